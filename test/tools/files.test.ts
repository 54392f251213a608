import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { editTool } from "../../src/tools/built-in/edit.ts";
import { lsTool } from "../../src/tools/built-in/ls.ts";
import { readTool } from "../../src/tools/built-in/read.ts";
import { writeTool } from "../../src/tools/built-in/write.ts";
import { textOf, workbench, type Workbench } from "./context.ts";

function put(bench: Workbench, name: string, content: string | Uint8Array): string {
  const path = join(bench.cwd, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");

describe("read", () => {
  it("counts lines from 1 and knows where a file ends", async () => {
    const bench = workbench();
    put(bench, "five.txt", "a\nb\nc\nd\ne\n");
    put(bench, "empty.txt", "");
    const past = await bench.run(readTool, { path: "five.txt", offset: 30 });
    expect(past.isError).toBe(true);
    expect(textOf(past)).toContain("5 lines");
    expect(textOf(await bench.run(readTool, { path: "five.txt", offset: 5 }))).toBe("e");
    expect(textOf(await bench.run(readTool, { path: "five.txt", offset: 6 }))).toContain("5 lines");
    expect(textOf(await bench.run(readTool, { path: "five.txt", offset: 0 }))).toBe("a\nb\nc\nd\ne");
    const empty = await bench.run(readTool, { path: "empty.txt", offset: 1 });
    expect([textOf(empty), empty.isError]).toEqual(["", undefined]);
    expect(textOf(await bench.run(readTool, { path: "empty.txt", offset: 2 }))).toContain("0 lines");
  });

  it("says how to go on when there is more", async () => {
    const bench = workbench();
    put(bench, "a.txt", "1\n2\n3\n4\n");
    const result = await bench.run(readTool, { path: "a.txt", offset: 2, limit: 2 });
    expect(textOf(result)).toBe("2\n3\n\n[Lines 2 to 3 of 4. Continue with offset 4.]");
    expect(result.details).toMatchObject({ totalLines: 4, truncated: true });
    put(bench, "long.txt", Array.from({ length: 2_500 }, (_, index) => `${index + 1}\n`).join(""));
    expect(textOf(await bench.run(readTool, { path: "long.txt" }))).toContain(
      "Lines 1 to 2000 of 2500. Continue with offset 2001.",
    );
  });

  it("stops at 50 KB and at whole lines", async () => {
    const bench = workbench();
    put(bench, "wide.txt", `${"x".repeat(999)}\n`.repeat(100));
    const text = textOf(await bench.run(readTool, { path: "wide.txt" }));
    expect(text).toContain("Lines 1 to 51 of 100. Continue with offset 52.");
    put(bench, "line.txt", `${"é".repeat(40_000)}\nnext\n`);
    const cut = textOf(await bench.run(readTool, { path: "line.txt" }));
    expect(cut).toContain("Line 1 has 80000 bytes");
    expect(cut).not.toContain("\u{FFFD}");
  });

  it("leaves out byte order mark and carriage returns", async () => {
    const bench = workbench();
    put(bench, "main.py", Buffer.concat([hex("efbbbf"), Buffer.from("import os\r\nprint(1)\r\n")]));
    expect(textOf(await bench.run(readTool, { path: "main.py" }))).toBe("import os\nprint(1)");
  });

  it("says that bytes are not UTF-8", async () => {
    const bench = workbench();
    put(bench, "note.txt", hex("636166e90a"));
    expect(textOf(await bench.run(readTool, { path: "note.txt" }))).toBe(
      "caf\u{FFFD}\n\n[Some bytes are not UTF-8 and are shown as \u{FFFD}.]",
    );
    put(bench, "real.txt", "\u{FFFD}\n");
    expect(textOf(await bench.run(readTool, { path: "real.txt" }))).toBe("\u{FFFD}");
  });

  it("shows images by what they are, not by their name", async () => {
    const bench = workbench();
    const png = hex("89504e470d0a1a0a0000000d49484452");
    put(bench, "shot.txt", png);
    const result = await bench.run(readTool, { path: "shot.txt" });
    expect(result.content[1]).toEqual({ type: "image", data: png.toString("base64"), mimeType: "image/png" });
    put(bench, "big.png", Buffer.concat([png, Buffer.alloc(4_000_000)]));
    await expect(bench.run(readTool, { path: "big.png" })).rejects.toThrow("4000016 bytes");
  });

  it("refuses what is no text", async () => {
    const bench = workbench();
    put(bench, "a.bin", hex("00010203"));
    put(bench, "wide.txt", hex("fffe61006200"));
    mkdirSync(join(bench.cwd, "dir"));
    await expect(bench.run(readTool, { path: "a.bin" })).rejects.toThrow("binary file of 4 bytes");
    await expect(bench.run(readTool, { path: "wide.txt" })).rejects.toThrow("UTF-16LE");
    await expect(bench.run(readTool, { path: "dir" })).rejects.toThrow("use ls");
    if (process.platform === "linux")
      await expect(bench.run(readTool, { path: "/dev/zero" })).rejects.toThrow("not a regular file");
  });

  it("suggests similar names", async () => {
    const bench = workbench();
    put(bench, "src/Helper.ts", "");
    put(bench, "src/cafe\u{301}.txt", "");
    await expect(bench.run(readTool, { path: "src/helpr.ts" })).rejects.toThrow(
      "src/helpr.ts does not exist. Did you mean Helper.ts?",
    );
    await expect(bench.run(readTool, { path: "src/helper.ts" })).rejects.toThrow("Did you mean Helper.ts?");
    await expect(bench.run(readTool, { path: "src/caf\u{e9}.txt" })).rejects.toThrow(
      "Did you mean cafe\u{301}.txt?",
    );
    await expect(bench.run(readTool, { path: "nowhere/a.ts" })).rejects.toThrow("nor does the directory");
    await expect(bench.run(readTool, { path: "src/Helper.ts/x" })).rejects.toThrow(
      "is a file, not a directory",
    );
  });
});

describe("write", () => {
  it.each([
    ["a.json", '{"a":1}\n', "7b2261223a317d0a"],
    ["b.json", "[1,2]", "5b312c325d"],
    ["c.txt", "true", "74727565"],
    ["d.txt", "0012", "30303132"],
  ])("writes %s exactly", async (path, content, bytes) => {
    const bench = workbench();
    await bench.run(writeTool, { path, content });
    expect(readFileSync(join(bench.cwd, path)).toString("hex")).toBe(bytes);
  });

  it("creates directories, and says what it did", async () => {
    const bench = workbench();
    const result = await bench.run(writeTool, { path: "x/y/ü [1].txt", content: "é" });
    expect(textOf(result)).toBe("Created x/y/ü [1].txt (2 bytes)");
    expect(result.details).toEqual({ path: "x/y/ü [1].txt", bytesWritten: 2, created: true });
    expect(textOf(await bench.run(writeTool, { path: "x/y/ü [1].txt", content: "" }))).toBe(
      "Overwrote x/y/ü [1].txt (0 bytes)",
    );
    expect(readdirSync(join(bench.cwd, "x/y"))).toEqual(["ü [1].txt"]);
  });

  it("takes ~ for the home directory", async () => {
    const bench = workbench();
    mkdirSync(join(bench.cwd, "project"));
    const context = { cwd: join(bench.cwd, "project"), env: { HOME: join(bench.cwd, "home") } };
    await bench.run(writeTool, { path: "~/t/notes.txt", content: "hi\n" }, { context });
    expect(readFileSync(join(bench.cwd, "home/t/notes.txt"), "utf8")).toBe("hi\n");
    expect(existsSync(join(bench.cwd, "project/~"))).toBe(false);
  });

  it("keeps the mode of a file, and writes through a link", async () => {
    const bench = workbench();
    const script = put(bench, "run.sh", "old");
    chmodSync(script, 0o750);
    symlinkSync("run.sh", join(bench.cwd, "link"));
    symlinkSync("later.txt", join(bench.cwd, "dangling"));
    await bench.run(writeTool, { path: "link", content: "new" });
    await bench.run(writeTool, { path: "dangling", content: "late" });
    expect(readFileSync(script, "utf8")).toBe("new");
    expect(statSync(script).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(bench.cwd, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(bench.cwd, "later.txt"), "utf8")).toBe("late");
  });

  it("refuses directories", async () => {
    const bench = workbench();
    mkdirSync(join(bench.cwd, "dir"));
    await expect(bench.run(writeTool, { path: "dir", content: "" })).rejects.toThrow("is a directory");
    await expect(bench.run(writeTool, { path: "new/", content: "" })).rejects.toThrow("names a directory");
    await expect(bench.run(writeTool, { path: " ", content: "" })).rejects.toThrow("blank");
    put(bench, "file", "");
    await expect(bench.run(writeTool, { path: "file/x", content: "" })).rejects.toThrow(
      "is a file, not a directory",
    );
  });

  it("writes nothing after an abort", async () => {
    const bench = workbench();
    await expect(
      bench.run(writeTool, { path: "a", content: "" }, { signal: AbortSignal.abort() }),
    ).rejects.toThrow();
    expect(readdirSync(bench.cwd)).toEqual([]);
  });
});

describe("edit", () => {
  it("keeps CRLF", async () => {
    const bench = workbench();
    const file = put(bench, "crlf.txt", hex("616c7068610d0a626574610d0a67616d6d610d0a6f6d6567610d0a"));
    await bench.run(editTool, { path: "crlf.txt", oldText: "beta\ngamma", newText: "beta\nGAMMA\ndelta" });
    expect(readFileSync(file).toString("hex")).toBe(
      "616c7068610d0a626574610d0a47414d4d410d0a64656c74610d0a6f6d6567610d0a",
    );
  });

  it("keeps the byte order mark, which the texts need not have", async () => {
    const bench = workbench();
    const file = put(bench, "main.py", hex("efbbbf696d706f7274206f730a7072696e742831290a"));
    await bench.run(editTool, {
      path: "main.py",
      oldText: "import os\nprint(1)",
      newText: "import sys\nprint(1)",
    });
    expect(readFileSync(file).toString("hex")).toBe("efbbbf696d706f7274207379730a7072696e742831290a");
  });

  it("wants one match, or all", async () => {
    const bench = workbench();
    const before = "def dev():\n    debug = True\n\ndef prod():\n    debug = True\n";
    const file = put(bench, "conf.py", before);
    const args = { path: "conf.py", oldText: "    debug = True", newText: "    debug = False" };
    await expect(bench.run(editTool, args)).rejects.toThrow("occurs 2 times");
    expect(readFileSync(file, "utf8")).toBe(before);
    const result = await bench.run(editTool, { ...args, replaceAll: true });
    expect(readFileSync(file, "utf8")).toBe(before.replaceAll("True", "False"));
    expect(result.details).toMatchObject({ replacements: 2, firstChangedLine: 2 });
    expect(String(result.details?.["diff"])).toContain("-    debug = True\n+    debug = False");
  });

  it("touches no byte outside the edit", async () => {
    const bench = workbench();
    const file = put(bench, "note.txt", hex("636f6e73742078203d20313b0a2f2f20636166e9206e6f74650a"));
    await bench.run(editTool, { path: "note.txt", oldText: "const x = 1;", newText: "const x = 2;" });
    expect(readFileSync(file).toString("hex")).toBe("636f6e73742078203d20323b0a2f2f20636166e9206e6f74650a");
  });

  it("loses no change when edits of one file overlap", async () => {
    for (let round = 0; round < 20; round += 1) {
      const bench = workbench();
      const file = put(
        bench,
        "numbers.txt",
        Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join(""),
      );
      symlinkSync("numbers.txt", join(bench.cwd, "link"));
      await Promise.all([
        bench.run(editTool, { path: "numbers.txt", oldText: "50", newText: "FIFTY" }),
        bench.run(editTool, { path: "link", oldText: "75", newText: "SEVENTY-FIVE" }),
      ]);
      const bytes = readFileSync(file);
      expect([bytes.length, createHash("sha256").update(bytes).digest("hex")]).toEqual([
        305,
        "98d45a2efec6c30fcd896a5d7fc425033fdf1f16729b86b449ff21b97583efa8",
      ]);
    }
  });

  it.each([
    ["", "x", "oldText is empty"],
    ["same", "same", "are the same"],
    ["absent", "x", "does not occur in f.txt (0 matches)"],
  ])("refuses %j for %j", async (oldText, newText, message) => {
    const bench = workbench();
    put(bench, "f.txt", "same\n");
    await expect(bench.run(editTool, { path: "f.txt", oldText, newText })).rejects.toThrow(message);
  });

  it("counts overlapping places, because either could be meant", async () => {
    const bench = workbench();
    const file = put(bench, "f.txt", "aaa");
    await expect(bench.run(editTool, { path: "f.txt", oldText: "aa", newText: "b" })).rejects.toThrow(
      "2 times",
    );
    await bench.run(editTool, { path: "f.txt", oldText: "aa", newText: "b", replaceAll: true });
    expect(readFileSync(file, "utf8")).toBe("ba");
  });

  it.each([
    ["\tif (x) {", "if  (x)  {", "differs only in white space"],
    ["say “hi”", 'say "hi"', "kinds of quotes"],
    ["alpha\nbeta\nother", "alpha\ngamma", "first line stands at line 1"],
    ["foo", "12\tbar", "line number"],
    ["caf\u{e9}", "nothing", "Read the file"],
  ])("tells how %j differs from %j", async (content, oldText, hint) => {
    const bench = workbench();
    put(bench, "f.txt", content);
    await expect(bench.run(editTool, { path: "f.txt", oldText, newText: "x" })).rejects.toThrow(hint);
  });

  it("keeps the mode and follows links", async () => {
    const bench = workbench();
    const script = put(bench, "run.sh", "echo a");
    chmodSync(script, 0o755);
    symlinkSync("run.sh", join(bench.cwd, "link"));
    await bench.run(editTool, { path: "link", oldText: "echo a", newText: "echo b" });
    expect(statSync(script).mode & 0o777).toBe(0o755);
    expect(readFileSync(script, "utf8")).toBe("echo b");
    expect(lstatSync(join(bench.cwd, "link")).isSymbolicLink()).toBe(true);
  });

  it("takes the words of other tools", async () => {
    const bench = workbench();
    const file = put(bench, "f.txt", "a a");
    await bench.run(editTool, { file_path: "f.txt", old_string: "a", new_string: "b", replace_all: true });
    expect(readFileSync(file, "utf8")).toBe("b b");
  });
});

describe("ls", () => {
  it("marks directories and links, by code point, dot-files too", async () => {
    const bench = workbench();
    put(bench, "b/x", "");
    put(bench, ".hidden", "");
    put(bench, "Z", "");
    put(bench, "a10", "");
    put(bench, "a2", "");
    symlinkSync("b", join(bench.cwd, "link"));
    expect(textOf(await bench.run(lsTool, {}))).toBe(".hidden\nZ\na10\na2\nb/\nlink -> b");
    expect(textOf(await bench.run(lsTool, { path: "b" }))).toBe("x");
  });

  it("says that a directory is empty, missing or none", async () => {
    const bench = workbench();
    expect(textOf(await bench.run(lsTool, {}))).toBe(". is empty");
    put(bench, "file", "");
    await expect(bench.run(lsTool, { path: "file" })).rejects.toThrow("use read");
    await expect(bench.run(lsTool, { path: "fil" })).rejects.toThrow("Did you mean file?");
  });

  it("shows a name with a line feed in one line", async () => {
    const bench = workbench();
    put(bench, "a\nb", "");
    expect(textOf(await bench.run(lsTool, {}))).toBe('"a\\nb"');
  });

  it("stops at a thousand entries", async () => {
    const bench = workbench();
    for (let index = 0; index < 1_005; index += 1) put(bench, `f${index}`, "");
    expect(textOf(await bench.run(lsTool, {}))).toContain("[1000 of 1005 entries.");
  });
});
