/** An extension may have replaced any global: its calls are still answered. */
import { describe, expect, it } from "vitest";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

const hostile = "() => { throw new Error('patched') }";

const patches: [string, string][] = [
  ["Promise", "globalThis.Promise = class { constructor() { throw new Error('patched') } }"],
  ["JSON", `JSON.parse = JSON.stringify = ${hostile}; globalThis.JSON = {}`],
  ["structuredClone", `globalThis.structuredClone = ${hostile}`],
  ["setTimeout", `globalThis.setTimeout = globalThis.setInterval = globalThis.setImmediate = ${hostile}`],
  ["AbortController", `AbortController.prototype.abort = ${hostile}; globalThis.AbortController = class {}`],
  ["Buffer", `Buffer.from = Buffer.concat = ${hostile}; globalThis.Buffer = {}`],
  ["Error", "globalThis.Error = class { constructor() { return 5 } }"],
  ["console", "globalThis.console = {}"],
  [
    "frozen prototypes",
    "for (const p of [Object, Array, Function, Promise, Map]) Object.freeze(p.prototype)",
  ],
  [
    "data on Object.prototype",
    "Object.prototype.id = 7; Object.prototype.t = 'err'; Object.prototype.v = 'x'",
  ],
  [
    "setters on Object.prototype",
    "for (const k of ['id', 't', 'v', 'e', '0', 'content']) Object.defineProperty(Object.prototype, k, { set() { throw 1 }, get() { return 'x' } })",
  ],
  ["toJSON on Object.prototype", "Object.prototype.toJSON = () => 'rewritten'"],
  ["Error.prepareStackTrace", `Error.prepareStackTrace = ${hostile}`],
  [
    "Map, Array, Reflect and Function",
    `Map.prototype.get = Map.prototype.set = Array.prototype.push = Array.prototype.map = Reflect.apply = Function.prototype.call = Function.prototype.apply = Array.prototype[Symbol.iterator] = ${hostile}`,
  ],
  [
    "Object and Array themselves",
    `Object.keys = Object.setPrototypeOf = Array.isArray = ${hostile}; String.prototype.slice = String.prototype.indexOf = ${hostile}`,
  ],
  ["Atomics", `Atomics.add = Atomics.load = Atomics.store = ${hostile}`],
];

const hooks = "hooks: { onTurnStart: () => ({ turn: 1 }), onTurnEnd: () => { throw new TypeError('mine') } }";
const calm = { handlerMs: 5000, eventMs: null, untilBlocked: false };

describe("a call is answered after its extension has replaced", () => {
  it.each(patches)("%s", async (_name, patch) => {
    await using t = await testWorld();
    const { members } = await t.open(
      withTools(
        {
          patch: `${patch}; return { content: [{ type: "text", text: "patched" }] }`,
          ok: 'onUpdate({ content: [] }); return { content: [{ type: "text", text: "ok" + args.a }] }',
          fail: "missing.member",
        },
        hooks,
      ),
    );
    expect(await textOf(callTool(members, "patch"))).toBe("patched");
    const updates: unknown[] = [];
    const onUpdate = (update: unknown): void => void updates.push(update);
    expect(await textOf(callTool(members, "ok", { args: { a: 1 }, onUpdate }))).toBe("ok1");
    expect(updates).toEqual([{ content: [] }]);
    await expect(callTool(members, "fail")).rejects.toMatchObject({ message: "missing is not defined" });
    expect(await members.runHooks("onTurnStart", [], calm)).toMatchObject([
      { status: "answered", answer: { turn: 1 } },
    ]);
    expect(await members.runHooks("onTurnEnd", [{ role: "user" }, []], calm)).toMatchObject([
      { status: "failed", failure: { kind: "throw", message: "mine" } },
    ]);
    expect(t.seen.restarted).toEqual([]);
  });
});

it("a Promise.prototype.then that was replaced harms that extension alone", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools({ patch: `Promise.prototype.then = ${hostile}; return text(1)` }),
  );
  const other = await t.open(withTools({ ok: "return text('other')" }), "other");
  await callTool(members, "patch").catch(() => undefined);
  expect(await textOf(callTool(other.members, "ok"))).toBe("other");
});
