import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { patchTool } from "../../src/tools/built-in/patch.ts";
import { textOf, workbench, type Workbench } from "./context.ts";

function files(contents: Record<string, string | Uint8Array>): Workbench {
  const bench = workbench();
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(bench.cwd, name)), { recursive: true });
    writeFileSync(join(bench.cwd, name), content);
  }
  return bench;
}

const content = (bench: Workbench, name: string): string => readFileSync(join(bench.cwd, name), "latin1");
const update = (name: string, from: string, to: string): string =>
  lines("*** Begin Patch", `*** Update File: ${name}`, "@@", `-${from}`, `+${to}`, "*** End Patch");
const lines = (...all: string[]): string => `${all.join("\n")}\n`;

describe("a unified diff", () => {
  it("changes, creates and deletes files", async () => {
    const bench = files({ "a.txt": "one\ntwo\nthree\n", "old.txt": "x\n" });
    const patch = lines(
      "--- a/a.txt",
      "+++ b/a.txt",
      "@@ -1,3 +1,4 @@",
      " one",
      "-two",
      "+TWO",
      "+2.5",
      " three",
      "--- /dev/null",
      "+++ b/new/b.txt",
      "@@ -0,0 +1 @@",
      "+hello",
      "--- a/old.txt",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-x",
    );
    const result = await bench.run(patchTool, { patch });
    expect(textOf(result)).toBe("Patched 3 files:\nM a.txt\nA new/b.txt\nD old.txt");
    expect(content(bench, "a.txt")).toBe("one\nTWO\n2.5\nthree\n");
    expect(content(bench, "new/b.txt")).toBe("hello\n");
    expect(existsSync(join(bench.cwd, "old.txt"))).toBe(false);
    expect(result.details?.["files"]).toEqual([
      { path: "a.txt", action: "updated", additions: 2, removals: 1 },
      { path: "new/b.txt", action: "created", additions: 1, removals: 0 },
      { path: "old.txt", action: "deleted", additions: 0, removals: 1 },
    ]);
  });

  it("changes nothing when one hunk fails, and says which", async () => {
    const bench = files({ "a.txt": "one\n", "b.txt": "uno\ndos\n" });
    const patch = lines(
      "--- a.txt",
      "+++ a.txt",
      "@@ -1 +1 @@",
      "-one",
      "+ONE",
      "--- b.txt",
      "+++ b.txt",
      "@@ -1 +1 @@",
      "-uno",
      "+UNO",
      "@@ -2 +2 @@",
      "-tres",
      "+TRES",
    );
    await expect(bench.run(patchTool, { patch })).rejects.toThrow(
      'Nothing was changed: hunk 2 of 2 of b.txt does not apply: its first line "tres" does not occur',
    );
    expect(content(bench, "a.txt")).toBe("one\n");
    expect(content(bench, "b.txt")).toBe("uno\ndos\n");
  });

  it.each(["garbage", "", "   \n", "*** something", "diff --git nothing"])("is not %j", async (patch) => {
    await expect(files({}).run(patchTool, { patch: patch === "" ? "\n" : patch })).rejects.toThrow(
      /holds no hunk|no unified diff/,
    );
  });

  it("may have wrong line numbers and counts, unless that makes it ambiguous", async () => {
    const bench = files({ "a.txt": "x\na\nb\nc\nx\n" });
    await bench.run(patchTool, {
      patch: lines("--- a.txt", "+++ a.txt", "@@ -40,9 +40,9 @@", " b", "-c", "+C"),
    });
    expect(content(bench, "a.txt")).toBe("x\na\nb\nC\nx\n");
    await expect(
      bench.run(patchTool, { patch: lines("--- a.txt", "+++ a.txt", "@@ -9 +9 @@", "-x", "+y") }),
    ).rejects.toThrow("occur 2 times (lines 1, 5)");
    await bench.run(patchTool, { patch: lines("--- a.txt", "+++ a.txt", "@@ -5 +5 @@", "-x", "+y") });
    expect(content(bench, "a.txt")).toBe("x\na\nb\nC\ny\n");
  });

  it("inserts after the line that its header names", async () => {
    const bench = files({ "a.txt": "1\n2\n3\n" });
    await bench.run(patchTool, { patch: lines("--- a.txt", "+++ a.txt", "@@ -2,0 +3,1 @@", "+new") });
    expect(content(bench, "a.txt")).toBe("1\n2\nnew\n3\n");
  });

  it("keeps CRLF, byte order mark and bytes that are not UTF-8", async () => {
    const bench = files({ "a.txt": Buffer.from("\u{ef}\u{bb}\u{bf}one\r\ncaf\u{e9}\r\ntwo\r\n", "latin1") });
    await bench.run(patchTool, {
      patch: lines("--- a.txt", "+++ a.txt", "@@ -1 +1,2 @@", "-one", "+ONE", "+ü"),
    });
    expect(content(bench, "a.txt")).toBe("\u{ef}\u{bb}\u{bf}ONE\r\n\u{c3}\u{bc}\r\ncaf\u{e9}\r\ntwo\r\n");
  });

  it("keeps a missing last line end unless it says otherwise", async () => {
    const hunk = ["--- a.txt", "+++ a.txt", "@@ -2 +2 @@", "-two", "+TWO"];
    const bench = files({ "a.txt": "one\ntwo" });
    await bench.run(patchTool, { patch: lines(...hunk) });
    expect(content(bench, "a.txt")).toBe("one\nTWO");
    const second = files({ "a.txt": "one\ntwo" });
    await second.run(patchTool, {
      patch: lines(...hunk.slice(0, 4), "\\ No newline at end of file", "+TWO"),
    });
    expect(content(second, "a.txt")).toBe("one\nTWO\n");
    const third = files({ "a.txt": "one\ntwo\n" });
    await third.run(patchTool, { patch: lines(...hunk, "\\ No newline at end of file") });
    expect(content(third, "a.txt")).toBe("one\nTWO");
  });

  it("of git renames, copies and changes modes", async () => {
    const bench = files({ "old.sh": "echo\n" });
    chmodSync(join(bench.cwd, "old.sh"), 0o640);
    const patch = lines(
      "diff --git a/old.sh b/bin/new.sh",
      "old mode 100644",
      "new mode 100755",
      "similarity index 50%",
      "rename from old.sh",
      "rename to bin/new.sh",
      "--- a/old.sh",
      "+++ b/bin/new.sh",
      "@@ -1 +1 @@",
      "-echo",
      "+echo hi",
    );
    expect(textOf(await bench.run(patchTool, { patch }))).toBe("Patched 1 file:\nR old.sh -> bin/new.sh");
    expect(existsSync(join(bench.cwd, "old.sh"))).toBe(false);
    expect(content(bench, "bin/new.sh")).toBe("echo hi\n");
    expect(statSync(join(bench.cwd, "bin/new.sh")).mode & 0o777).toBe(0o750);
  });
});

describe("the form *** Begin Patch", () => {
  it("adds, updates, moves and deletes", async () => {
    const bench = files({
      "a.py":
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n",
      "gone.txt": "x\n",
      "m.txt": "1\n2\n",
    });
    const patch = lines(
      "*** Begin Patch",
      "*** Add File: new/n.txt",
      "+first",
      "+",
      "+third",
      "*** Update File: a.py",
      "@@ class B:",
      "@@     def f(self):",
      "-        return 1",
      "+        return 2",
      "*** Update File: m.txt",
      "*** Move to: moved/m.txt",
      "@@",
      " 1",
      "-2",
      "+two",
      "*** End of File",
      "*** Delete File: gone.txt",
      "*** End Patch",
    );
    expect(textOf(await bench.run(patchTool, { patch }))).toBe(
      "Patched 4 files:\nA new/n.txt\nM a.py\nR m.txt -> moved/m.txt\nD gone.txt",
    );
    expect(content(bench, "new/n.txt")).toBe("first\n\nthird\n");
    expect(content(bench, "a.py")).toContain(
      "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n",
    );
    expect(content(bench, "moved/m.txt")).toBe("1\ntwo\n");
    expect(existsSync(join(bench.cwd, "m.txt"))).toBe(false);
    expect(existsSync(join(bench.cwd, "gone.txt"))).toBe(false);
  });

  it("that was cut off changes nothing", async () => {
    const bench = files({});
    await expect(bench.run(patchTool, { patch: "*** Begin Patch\n*** Add File: a\n+x" })).rejects.toThrow(
      "cut off",
    );
    expect(existsSync(join(bench.cwd, "a"))).toBe(false);
  });

  it.each([
    [["*** Update File: a.txt", "@@", "-zzz", "+y"], "hunk 1 of 1 of a.txt does not apply"],
    [["*** Update File: a.txt", "@@ nowhere", "-x", "+y"], '"nowhere" of its @@ does not occur'],
    [["*** Update File: a.txt", "@@", "-x", "+y"], "occur 2 times"],
    [["*** Update File: a.txt", "@@", "-  b", "+y"], "white space only"],
    [["*** Update File: a.txt", "@@", " x", "-q", "+y"], 'after line 1 it expects "q" but the file has "b"'],
    [["*** Update File: a.txt"], "has no changes"],
    [["*** Update File: b.txt", "@@", "-x", "+y"], "b.txt does not exist"],
    [["*** Add File: a.txt", "+y"], "exists already"],
    [["*** Delete File: zz"], "zz does not exist"],
    [["*** Remove File: a.txt"], "Line 2 of the patch"],
    [["*** Update File: a.txt", "@@", "x"], "begins with a blank, + or -"],
    [["*** Update File: a.txt", "*** Move to: c.txt", "@@", " b"], "c.txt exists already"],
  ])("%j is refused", async (body, message) => {
    const bench = files({ "a.txt": "x\nb\nx\n", "c.txt": "" });
    await expect(
      bench.run(patchTool, { patch: lines("*** Begin Patch", ...body, "*** End Patch") }),
    ).rejects.toThrow(message);
    expect(content(bench, "a.txt")).toBe("x\nb\nx\n");
  });

  it("may touch one file more than once", async () => {
    const bench = files({ "a.txt": "1\n2\n" });
    const update = (from: string, to: string): string[] => [
      "*** Update File: a.txt",
      "@@",
      `-${from}`,
      `+${to}`,
    ];
    await bench.run(patchTool, {
      patch: lines("*** Begin Patch", ...update("1", "one"), ...update("one", "uno"), "*** End Patch"),
    });
    expect(content(bench, "a.txt")).toBe("uno\n2\n");
    await bench.run(patchTool, {
      patch: lines(
        "*** Begin Patch",
        "*** Delete File: a.txt",
        "*** Add File: a.txt",
        "+new",
        "*** End Patch",
      ),
    });
    expect(content(bench, "a.txt")).toBe("new\n");
  });

  it("keeps modes", async () => {
    const bench = files({ "run.sh": "a\n" });
    chmodSync(join(bench.cwd, "run.sh"), 0o755);
    await bench.run(patchTool, { patch: update("run.sh", "a", "b") });
    expect(content(bench, "run.sh")).toBe("b\n");
    expect(statSync(join(bench.cwd, "run.sh")).mode & 0o777).toBe(0o755);
  });

  it.each([
    ["link", "is a symbolic link"],
    ["folder/in.txt", "lies below a symbolic link"],
    ["deep/../folder/in.txt", "lies below a symbolic link"],
    ["../outside.txt", "is outside of the working directory"],
    ["/etc/hostname", "is outside of the working directory"],
    ["~/../x", "is outside of the working directory"],
  ])("does not touch %s", async (name, message) => {
    const bench = files({ "a.txt": "a\n", "target.txt": "a\n", "real/in.txt": "a\n" });
    symlinkSync("target.txt", join(bench.cwd, "link"));
    symlinkSync("real", join(bench.cwd, "folder"));
    const patches = [
      update(name, "a", "b"),
      lines("*** Begin Patch", `*** Delete File: ${name}`, "*** End Patch"),
      lines("*** Begin Patch", "*** Update File: a.txt", `*** Move to: ${name}`, "*** End Patch"),
    ];
    for (const patch of patches) await expect(bench.run(patchTool, { patch })).rejects.toThrow(message);
    expect(["a.txt", "target.txt", "real/in.txt"].map((file) => content(bench, file))).toEqual([
      "a\n",
      "a\n",
      "a\n",
    ]);
    expect(bench.guards).toEqual([]);
  });

  it("takes the working directory by its own name and by its real one", async () => {
    const bench = files({ "real/a.txt": "a\n" });
    symlinkSync("real", join(bench.cwd, "work"));
    const context = { cwd: join(bench.cwd, "work") };
    await bench.run(patchTool, { patch: update("a.txt", "a", "b") }, { context });
    await bench.run(patchTool, { patch: update(join(bench.cwd, "real/a.txt"), "b", "c") }, { context });
    await bench.run(patchTool, { patch: update(join(bench.cwd, "work/a.txt"), "c", "d") }, { context });
    expect(content(bench, "real/a.txt")).toBe("d\n");
    expect(bench.noted().files.map(({ path }) => path)).toEqual([join(bench.cwd, "real/a.txt")]);
  });

  it("keeps what it wrote when the disk refuses in the middle, and says what is done and what is not", async () => {
    const bench = files({ "a.txt": "a\n" });
    const long = "n".repeat(300);
    const patch = lines(
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@",
      "-a",
      "+b",
      `*** Add File: x/${long}`,
      "+y",
      "*** End Patch",
    );
    const result = await bench.run(patchTool, { patch });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /^The patch stopped in the middle: x\/n+…: the name is too long\nDone and kept:\nM a.txt\nNot done, or not wholly:\nA x\/n+$/,
    );
    expect(result.details).toMatchObject({ files: [{ path: "a.txt" }], notDone: [`x/${long}`] });
    expect(content(bench, "a.txt")).toBe("b\n");
    expect(bench.noted()).toMatchObject({
      files: [{ path: join(bench.cwd, "a.txt") }],
      createdDirs: [join(bench.cwd, "x")],
    });
  });
});
