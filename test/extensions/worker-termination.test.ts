/** Whatever an extension loops in, its thread is gone: the operating system's own list of threads is asked. */
import { describe, expect, it } from "vitest";
import { ToolDeadlineError } from "../../src/tools/index.ts";
import { testWorld, threadCount } from "./worker-support.ts";

/** `(module (func (export "run") (loop br 0)))` */
const wasmLoop =
  "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,7,1,3,114,117,110,0,0,10,9,1,7,0,3,64,12,0,11,11";

const loops: [string, string][] = [
  ["a JavaScript loop", "for (;;);"],
  ["a catastrophic regular expression", "/^(a+)+$/.test('a'.repeat(60) + 'b')"],
  ["Atomics.wait", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)"],
  ["a microtask loop", "const go = () => Promise.resolve().then(go); return go()"],
  ["a nextTick loop", "const go = () => process.nextTick(go); go(); return new Promise(() => {})"],
  ["a setImmediate loop", "const go = () => setImmediate(go); go(); return new Promise(() => {})"],
  ["a loop in an exit listener", "process.on('exit', () => { for (;;); }); process.exit(0)"],
  [
    "a loop in WebAssembly",
    `new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${wasmLoop}]))).exports.run()`,
  ],
  ["JSON.stringify over and over", "const a = Array(2e5).fill({ a: 1 }); for (;;) JSON.stringify(a)"],
  ["structuredClone over and over", "const a = Array(1e5).fill({ a: 1 }); for (;;) structuredClone(a)"],
  ["powers of a BigInt", "for (let n = 3n; ; n += 1n) n ** 20000n"],
  [
    "zlib over and over",
    "const { deflateSync } = process.getBuiltinModule('node:zlib'); for (;;) deflateSync(Buffer.alloc(1e6))",
  ],
];

describe("a handler that is stuck in", () => {
  it.each(loops)("%s is ended at its deadline", async (_name, body) => {
    await using t = await testWorld();
    const { host, members } = await t.open(
      `export default { name: "a", version: "1.0.0", hooks: { onTurnStart() { ${body} } } }`,
    );
    const before = threadCount();
    const options = { handlerMs: 150, eventMs: null, untilBlocked: false };
    const [outcome] = await members.runHooks("onTurnStart", [], options);
    expect(outcome).toMatchObject({ status: "failed", failure: { kind: "timeout" } });
    await t.until(() => t.world.zombies().length === 0); // the thread's own `exit`
    await host.end(true);
    await t.until(() => threadCount() < before); // its successor is gone too
  });
});

it("a tool that ignores its abort is settled at once, and its thread goes a second later", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    `export default { name: "a", version: "1.0.0", tools: [{ name: "loop", description: "", execute() { for (;;); } }] }`,
  );
  const before = threadCount();
  const user = new AbortController();
  const [tool] = members.tools;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const context = { sessionId: "s", cwd: "/", config: {}, log };
  const call = tool?.execute("c", {}, user.signal, () => undefined, context);
  const reason = new ToolDeadlineError(1);
  user.abort(reason);
  await expect(call).rejects.toBe(reason);
  await t.until(() => t.seen.restarted.length === 1);
  await t.until(() => threadCount() === before && t.world.zombies().length === 0);
});
