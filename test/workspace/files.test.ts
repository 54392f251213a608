import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { inFileOrder } from "../../src/workspace/file-queue.ts";
import { removeSibling, replaceFile, targetOf } from "../../src/workspace/replace-file.ts";
import { globMatcher } from "../../src/workspace/file-list.ts";
import { transpiledRoom } from "../tools/transpiled-room.ts";

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "lemon-workspace-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("the target of a path", () => {
  it("is one for all its names", async () => {
    const cwd = directory();
    mkdirSync(join(cwd, "real"));
    symlinkSync("real", join(cwd, "dir"));
    symlinkSync("../real/new", join(cwd, "real/link"));
    const wanted = join(cwd, "real/new");
    expect(await targetOf(join(cwd, "dir/new"))).toBe(wanted);
    expect(await targetOf(join(cwd, "dir/link"))).toBe(wanted);
    expect(await targetOf(join(cwd, "no/such/dir"))).toBe(join(cwd, "no/such/dir"));
    symlinkSync("loop", join(cwd, "loop"));
    await expect(targetOf(join(cwd, "loop"))).rejects.toThrow();
  });
});

describe("replacing a file", () => {
  it("leaves no other file behind, also when it fails", async () => {
    const cwd = directory();
    expect(await replaceFile(join(cwd, "a/b"), Buffer.from("x"), "w")).toEqual({ created: true });
    expect(await replaceFile(join(cwd, "a/b"), Buffer.from("y"), "w")).toEqual({ created: false });
    await expect(replaceFile(join(cwd, "a"), Buffer.from("z"), "w")).rejects.toThrow("is a directory");
    await expect(replaceFile(join(cwd, "a", "n".repeat(300)), Buffer.from("z"), "w")).rejects.toThrow(
      "ENAMETOOLONG",
    );
    expect(readdirSync(join(cwd, "a"))).toEqual(["b"]);
    expect(readFileSync(join(cwd, "a/b"), "utf8")).toBe("y");
  });

  it("leaves a sibling when it is killed, which its writer's id finds again", async () => {
    const cwd = directory();
    const script = `
      import { open } from "node:fs/promises";
      const handle = await open(process.execPath);
      Object.getPrototypeOf(handle).sync = () => process.kill(process.pid, "SIGKILL");
      const { replaceFile } = await import(${JSON.stringify(transpiledRoom(directory(), "workspace/replace-file.js"))});
      await replaceFile(${JSON.stringify(join(cwd, "f"))}, Buffer.from("x"), "call_1");`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const [sibling, ...others] = readdirSync(cwd);
    expect(sibling).toMatch(/^\.lemon-[0-9a-f]{16}\.tmp$/);
    expect(others).toEqual([]);
    await removeSibling(join(cwd, "f"), "call_2");
    expect(readdirSync(cwd)).toEqual([sibling]);
    await removeSibling(join(cwd, "f"), "call_1");
    await removeSibling(join(cwd, "f"), "call_1");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("never shows a part of it to a reader", async () => {
    const file = join(directory(), "f");
    const [one, other] = [Buffer.from("a".repeat(300_000)), Buffer.from("b".repeat(300_000))];
    await replaceFile(file, one, "w");
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 20; round += 1) await replaceFile(file, round % 2 === 0 ? other : one, "w");
      writing = false;
    })();
    while (writing) {
      const seen = readFileSync(file);
      expect(one.equals(seen) || other.equals(seen)).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writer;
  });

  it.runIf(process.getuid?.() === 0)("keeps the owner, and respects write protection", async () => {
    const cwd = directory();
    chmodSync(cwd, 0o777);
    const owned = join(cwd, "owned");
    writeFileSync(owned, "old");
    chownSync(owned, 65_534, 65_534);
    await replaceFile(owned, Buffer.from("new"), "w");
    expect(statSync(owned)).toMatchObject({ uid: 65_534, gid: 65_534 });
    writeFileSync(join(cwd, "protected"), "old");
    chmodSync(join(cwd, "protected"), 0o444);
    mkdirSync(join(cwd, "closed"));
    writeFileSync(join(cwd, "closed/open"), "old");
    chmodSync(join(cwd, "closed/open"), 0o666);
    chmodSync(join(cwd, "closed"), 0o755);
    const script = `
      const { replaceFile } = await import(${JSON.stringify(transpiledRoom(cwd, "workspace/replace-file.js"))});
      const bytes = Buffer.from("new");
      const code = await replaceFile(${JSON.stringify(join(cwd, "protected"))}, bytes, "w").then(() => "written", (error) => error.code);
      await replaceFile(${JSON.stringify(join(cwd, "closed/open"))}, bytes, "w");
      console.log(code);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      uid: 65_534,
      gid: 65_534,
      cwd,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    await once(child, "exit");
    expect(answer.toString().trim()).toBe("EACCES");
    expect(readFileSync(join(cwd, "protected"), "utf8")).toBe("old");
    expect(readFileSync(join(cwd, "closed/open"), "utf8")).toBe("new");
  });
});

describe("tasks for one file", () => {
  it("run one after the other, those for others beside them, and a failure stops nothing", async () => {
    const seen: string[] = [];
    const task = (name: string) => async (): Promise<string> => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${name} ends`);
      if (name === "first") throw new Error("broken");
      return name;
    };
    const results = await Promise.allSettled([
      inFileOrder(["/a", "/b"], task("first")),
      inFileOrder(["/b", "/a"], task("second")),
      inFileOrder(["/c"], task("third")),
    ]);
    expect(results.map((result) => result.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(seen.indexOf("second begins")).toBeGreaterThan(seen.indexOf("first ends"));
    expect(seen.indexOf("third begins")).toBeLessThan(seen.indexOf("first ends"));
  });
});

describe("a glob", () => {
  it.each([
    ["*.ts", "src/a.ts", true],
    ["*.ts", ".hidden/a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["./src/*.ts", "src/a.ts", true],
    ["/src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["[", "[", true],
    ["*.{ts,js}", "a.js", true],
  ])("%j and %j: %j", async (glob, path, wanted) => {
    expect((await globMatcher(glob))(path)).toBe(wanted);
  });
});
