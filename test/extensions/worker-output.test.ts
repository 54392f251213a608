/** What an extension writes goes to its host as lines, by whatever door, and never to the host's own descriptors. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { LineLimit, OutputLines } from "../../src/extensions/host/output-lines.ts";
import { maxUpdatesUnread } from "../../src/extensions/worker/shared-memory.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

const imports = `import fs from "node:fs"; import { writeSync, readFileSync, promises } from "node:fs"; import * as cp from "node:child_process"; import { spawn, execSync } from "node:child_process"; import util from "node:util";`;

/** Runs `code` in a tool and gives the lines that came out. */
async function linesOf(code: string, count = 1): Promise<string[]> {
  await using t = await testWorld();
  const { members } = await t.open(withTools({ run: `${code}; return text("done")` }, "", imports));
  expect(await textOf(callTool(members, "run"))).toBe("done");
  await t.until(() => t.seen.lines.length >= count);
  return t.seen.lines;
}

describe("a line comes to the host by", () => {
  it.each([
    ["console.log", "console.log('line')"],
    ["console.error", "console.error('line')"],
    ["process.stdout.write", "process.stdout.write('li'); process.stdout.write(Buffer.from('ne\\n'))"],
    [
      "end, and a write after it",
      "process.stdout.end('line\\n'); process.stdout.destroy(); process.stdout.write('more\\n')",
    ],
    ["fs.writeSync", "fs.writeSync(1, 'line\\n')"],
    ["a named import of writeSync", "writeSync(2, Buffer.from('xline\\n'), 1)"],
    ["fs.write", "await new Promise((go) => fs.write(1, 'line\\n', go))"],
    ["fs.writevSync", "fs.writevSync(1, [Buffer.from('li'), Buffer.from('ne\\n')])"],
    ["fs.writeFileSync of a descriptor", "fs.writeFileSync(1, 'line\\n')"],
    ["fs.appendFileSync of a name", "fs.appendFileSync('/dev/stderr', 'line\\n')"],
    ["fs.promises.writeFile of a name", "await promises.writeFile('/proc/self/fd/1', 'line\\n')"],
    ["process._rawDebug", "process._rawDebug('line')"],
    [
      "a child that inherits",
      "await new Promise((go) => spawn('echo', ['line'], { stdio: 'inherit' }).on('close', go))",
    ],
    ["a child that is run synchronously", "cp.spawnSync('echo', ['line'], { stdio: [0, 1, 2] })"],
    ["execSync", "execSync('echo line', { stdio: 'inherit' })"],
    ["the standard error of execSync", "execSync('echo line >&2')"],
    [
      "fork",
      "await new Promise((go) => { fs.writeFileSync('/tmp/lemon-fork-' + process.pid + '.mjs', 'console.log(`line`)'); cp.fork('/tmp/lemon-fork-' + process.pid + '.mjs').on('close', go) }); fs.rmSync('/tmp/lemon-fork-' + process.pid + '.mjs')",
    ],
  ])("%s", async (_name, code) => {
    expect((await linesOf(code))[0]).toBe("line");
  });
});

describe("an extension", () => {
  it.each([
    ["can't open the host's output", "fs.openSync('/dev/stdout', 'w')", /EACCES/],
    ["can't open it through another name", "fs.openSync('/dev/../dev/fd/1', 'w')", /EACCES/],
    ["can't open it as a promise", "await promises.open('/proc/self/fd/2', 'w')", /EACCES/],
    ["can't signal its host", "process.kill(process.pid, 'SIGTERM')", /EPERM/],
    ["can't signal its host's group", "process.kill(0, 'SIGTERM')", /EPERM/],
    ["can't signal its host's parent", "process.kill(process.ppid, 'SIGTERM')", /EPERM/],
    ["can't use process.binding", "process.binding('fs')", /not available/],
    ["can't change the folder", "process.chdir('/')", /not supported/],
  ])("%s", async (_name, code, message) => {
    await using t = await testWorld();
    const { members } = await t.open(withTools({ run: `${code}; return text("done")` }, "", imports));
    await expect(callTool(members, "run")).rejects.toThrow(message);
  });

  it("reads nothing from the host's input", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools(
        {
          run: "return text(readFileSync(0, 'utf8').length + fs.readSync(0, Buffer.alloc(4)) + execSync('cat', { stdio: ['inherit', 'pipe', 'pipe'] }).length)",
        },
        "",
        imports,
      ),
    );
    expect(await textOf(callTool(members, "run"))).toBe("0");
  });

  it("still gets what util.promisify(exec) gives", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools(
        { run: "return text(JSON.stringify(await util.promisify(cp.exec)('echo out; echo err >&2')))" },
        "",
        imports,
      ),
    );
    expect(JSON.parse(await textOf(callTool(members, "run")))).toEqual({ stdout: "out\n", stderr: "err\n" });
  });

  it("still gets what util.promisify(fs.read) gives", async () => {
    await using t = await testWorld();
    const run =
      "const fd = fs.openSync('/proc/self/status', 'r'); const got = await util.promisify(fs.read)(fd, Buffer.alloc(4), 0, 4, 0); return text(Object.keys(got) + got.buffer)";
    const { members } = await t.open(withTools({ run }, "", imports));
    expect(await textOf(callTool(members, "run"))).toBe("bytesRead,bufferName");
  });

  it("logs through its host's logger", async () => {
    await using t = await testWorld();
    const { members } = await t.open(withTools({ run: "ctx.log.warn({ a: 1 }, 'told'); return text(1)" }));
    await callTool(members, "run");
    expect(t.seen.logged).toEqual([{ level: "warn", fields: { a: 1, module: "sample" }, message: "told" }]);
  });

  it("that floods its output is cut, and the rest is counted in one line", async () => {
    await using t = await testWorld({ clock: new ManualClock() });
    const flood = "for (let i = 0; i < 50000; i += 1) console.log('x'.repeat(100)); return text('done')";
    const { host, members } = await t.open(withTools({ run: flood }, "", imports));
    await callTool(members, "run");
    await host.end();
    expect(t.seen.lines).toHaveLength(1001);
    expect(t.seen.lines.at(-1)).toMatch(/^\(\d+ pieces of output dropped\)$/);
  });

  it("that updates without a pause fills nobody's memory, and its last update arrives", async () => {
    await using t = await testWorld();
    const saidAll = path.join(t.folder, "said-all");
    const { members } = await t.open(
      withTools(
        {
          run: `for (let i = 1; i <= 55000; i += 1) onUpdate({ content: [{ type: "text", text: String(i) }] });
            fs.writeFileSync(${JSON.stringify(saidAll)}, "");
            return text("done")`,
        },
        "",
        imports,
      ),
    );
    const seen: unknown[] = [];
    const onUpdate = (update: unknown): void => {
      seen.push(update);
      // This thread reads nothing until the worker has said all.
      const cell = new Int32Array(new SharedArrayBuffer(4));
      while (!existsSync(saidAll)) Atomics.wait(cell, 0, 0, 1);
    };
    await callTool(members, "run", { onUpdate });
    expect(seen.length).toBeLessThanOrEqual(maxUpdatesUnread + 2);
    expect(seen.at(-1)).toEqual({ content: [{ type: "text", text: "55000" }] });
  });
});

describe("lines", () => {
  const taken = (): { lines: OutputLines; seen: string[]; clock: ManualClock; limit: LineLimit } => {
    const seen: string[] = [];
    const clock = new ManualClock();
    const limit = new LineLimit(clock, (line) => seen.push(line));
    return { lines: new OutputLines(limit, (text) => text.replace("bundle", "author")), seen, clock, limit };
  };
  it("are bounded, without control characters, with the author's positions", () => {
    const { lines, seen } = taken();
    lines.push(1, `\u001b[31mred\u001b[0m\u0007 at bundle\r\n${"y".repeat(9000)}\nrest`);
    lines.push(2, "other\n");
    lines.flush();
    expect(seen).toEqual(["red at author", `${"y".repeat(8191)}…`, "other", "rest"]);
  });
  it("a thousand of them pass in a second", () => {
    const { lines, seen, clock } = taken();
    for (let n = 0; n < 1500; n += 1) lines.push(1, `${n}\n`);
    expect(seen).toHaveLength(1000);
    clock.advance(1000);
    lines.push(1, "next\n");
    expect(seen.slice(1000)).toEqual(["(500 pieces of output dropped)", "next"]);
  });
});
