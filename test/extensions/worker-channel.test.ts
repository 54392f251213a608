/** What an extension may try on the way between itself and its host. */
import { describe, expect, it } from "vitest";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

describe("calls are still answered when an extension", () => {
  it.each([
    ["closes parentPort", "parentPort.close()"],
    ["lets go of parentPort", "parentPort.unref(); parentPort.removeAllListeners()"],
    [
      "posts garbage on parentPort",
      "for (const x of [null, 1, 'x', '{}', { a: 1 }]) parentPort.postMessage(x)",
    ],
    ["looks for the port in workerData", "if (Object.keys(workerData).length !== 0) process.exit(1)"],
    [
      "replaces what ports post with",
      "MessagePort.prototype.postMessage = () => { throw new Error('mine') }",
    ],
    [
      "replaces what ports receive with",
      "EventTarget.prototype.dispatchEvent = () => { throw new Error('mine') }",
    ],
    ["removes every listener of the process", "process.removeAllListeners()"],
  ])("%s", async (_name, code) => {
    await using t = await testWorld();
    const top = "import { parentPort, workerData } from 'node:worker_threads';";
    const { members } = await t.open(
      withTools({ attack: `${code}; return text('ok')`, ok: "return text('ok')" }, "", top),
    );
    expect(await textOf(callTool(members, "attack"))).toBe("ok");
    expect(await textOf(callTool(members, "ok"))).toBe("ok");
    expect(t.seen.restarted).toEqual([]);
  });
});

const findPort =
  "const port = process._getActiveHandles().find((h) => h.constructor.name === 'MessagePort' && h !== parentPort);";
const top = "import { parentPort } from 'node:worker_threads';";

it("an extension that finds the port and closes it ends its own worker, and no other", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools(
      { close: `${findPort} port.close(); await new Promise(() => {})`, ok: "return text('ok')" },
      "",
      top,
    ),
  );
  const other = await t.open(withTools({ ok: "return text('other')" }), "other");
  await expect(callTool(members, "close")).rejects.toThrow("Tool task crashed");
  expect(await textOf(callTool(members, "ok"))).toBe("ok");
  expect(await textOf(callTool(other.members, "ok"))).toBe("other");
});

it("garbage on the port is ignored with one warning", async () => {
  await using t = await testWorld();
  const garbage = `[1, null, "x", "{}", "[]", '{"id":99,"t":"ok"}', '{"id":"a"}', '{"id":1,"t":"ask","v":3}'].forEach((x) => port.postMessage(x));`;
  const { members } = await t.open(withTools({ spam: `${findPort} ${garbage} return text('ok')` }, "", top));
  expect(await textOf(callTool(members, "spam"))).toBe("ok");
  expect(t.seen.logged.filter(({ level }) => level === "warn")).toHaveLength(1);
});

it("the worker has no flags, arguments or secrets of its host but a copy of the environment", async () => {
  await using t = await testWorld({ env: { ONE: "1", NONE: undefined } });
  const { members } = await t.open(
    withTools({
      show: "process.env.ONE = '2'; return text(JSON.stringify([process.execArgv, process.argv.slice(2), Object.keys(process.env)]))",
    }),
  );
  expect(JSON.parse(await textOf(callTool(members, "show")))).toEqual([[], [], ["ONE"]]);
  expect(process.env["ONE"]).toBeUndefined();
});
