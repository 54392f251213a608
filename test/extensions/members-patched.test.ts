/** In a worker an author may have replaced what everybody uses: members are read all the same. */
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { builtFile } from "../../src/extensions/built-file.ts";

const code = `
const { parentPort, workerData } = require("node:worker_threads");
const post = parentPort.postMessage.bind(parentPort), stringify = JSON.stringify;
const arm = setTimeout, disarm = clearTimeout;
(async () => {
  const { describe } = await import(workerData.describe);
  const { collectMembers } = await import(workerData.collect);
  const ports = { compiles: false, setTimer: (ms, fire) => { const timer = arm(fire, ms); return () => disarm(timer); } };
  const definition = {
    name: () => "a", version: async () => "1", capabilities: ["tools"], configSchema: { type: "object" },
    tools: (cwd, { config }) => [
      { name: "t", description: cwd + config.x, parameters: { type: "object", properties: { a: { type: "string" } } }, execute() {} },
      { name: "bad name" },
    ],
    hooks: () => ({ onToolCall: [() => 1, "no"], onFoo() {} }),
    providers: async () => [{ type: "search", name: " s ", provider: { search() {} }, config: { y: 1 } }, { type: "model", name: "m", provider: {} }],
  };
  (0, eval)(workerData.patch);
  const described = await describe(definition, ports);
  const { tools, hooks, providers, errors, warnings } = await collectMembers(definition, "/w", { x: "y" }, ports);
  const bare = (value) => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) { const all = []; for (let at = 0; at < value.length; at += 1) all[at] = bare(value[at]); return Object.setPrototypeOf(all, null); }
    const copy = Object.create(null);
    for (const key in value) if (Object.hasOwn(value, key)) copy[key] = bare(value[key]);
    return copy;
  };
  post(stringify(bare({ described, tools, hooks: hooks.table.onToolCall.length, providers, errors, warnings })));
})().catch((error) => post("failed: " + error.stack));
`;

async function membersAfter(patch: string): Promise<unknown> {
  const url = (file: string) => pathToFileURL(builtFile(`members/${file}.js`)).href;
  const workerData = { patch, describe: url("describe"), collect: url("collect") };
  const worker = new Worker(code, { eval: true, execArgv: [], workerData });
  try {
    const text = await new Promise<string>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    return JSON.parse(text);
  } finally {
    await worker.terminate();
  }
}

test.each([
  ["nothing", ""],
  ["Promise", "Promise = class {}; globalThis.Promise = function () { throw 1; };"],
  ["JSON", "JSON.parse = JSON.stringify = () => { throw 1; };"],
  ["Error", "globalThis.Error = function () { throw 1; };"],
  ["timers", "globalThis.setTimeout = globalThis.clearTimeout = () => { throw 1; };"],
  ["Map and Set", "globalThis.Map = globalThis.Set = globalThis.WeakMap = function () { throw 1; };"],
  ["structuredClone and Buffer", "globalThis.structuredClone = globalThis.Buffer = undefined;"],
  ["Error.prepareStackTrace", "Error.prepareStackTrace = () => { throw 1; };"],
  [
    "frozen prototypes",
    "for (const k of [Object, Array, Function, Error, Promise, Map, Set]) Object.freeze(k.prototype);",
  ],
  [
    "Object.prototype with data",
    'Object.prototype.toJSON = () => "gone"; Object.prototype.extra = { a: 1 };',
  ],
  [
    "setters on Object.prototype",
    'for (const k of ["tools", "name", "version", "hooks", "onToolCall", "providers", "config"]) Object.defineProperty(Object.prototype, k, { get: () => undefined, set() { throw 1; }, configurable: true });',
  ],
])("with %s in another form", async (_what, patch) => {
  expect(await membersAfter(patch)).toMatchObject({
    described: {
      name: "a",
      version: "1",
      capabilities: ["tools"],
      configSchema: { type: "object" },
      errors: {},
      warnings: ['version "1" is no semantic version'],
    },
    tools: [
      {
        name: "t",
        description: "/wy",
        parameters: { type: "object", properties: { a: { type: "string" } } },
      },
    ],
    hooks: 2,
    providers: [{ type: "search", name: "s", config: { y: 1 }, functions: ["search"] }],
    errors: {},
    warnings: [
      'tool name "bad name" must match ^[A-Za-z0-9_-]{1,64}$',
      'unknown hook "onFoo" is never called',
      "hook onToolCall is not a function but string",
      'providers[1]: model provider "m" has no function stream',
    ],
  });
});
