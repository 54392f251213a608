/** An extension that ends its own worker costs the calls that were under way, and nothing else. */
import { describe, expect, it } from "vitest";
import { ToolFailure } from "../../src/tools/index.ts";
import { callTool, testWorld, textOf, withTools } from "./worker-support.ts";

const runHooks = { handlerMs: 5000, eventMs: null, untilBlocked: false };

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => "it did not fail",
    (error: unknown) => error,
  );
  if (failure instanceof ToolFailure)
    return `${failure.result.details?.["errorType"] as string}: ${failure.message}`;
  return String(failure);
}

describe("a call whose worker dies ends as crashed", () => {
  it.each([
    ["process.exit in a tool", "process.exit(3)", "exit code 3"],
    ["process.exit with 0", "process.exit(0)", "exit code 0"],
    [
      "process.exit in a timer",
      "setTimeout(() => process.exit(4), 5); await new Promise(() => {})",
      "exit code 4",
    ],
    [
      "an unhandled rejection",
      "Promise.reject(new Error('left')); await new Promise(() => {})",
      "uncaught error: left",
    ],
    [
      "an error in a timer",
      "setTimeout(() => { throw new Error('late') }, 1); await new Promise(() => {})",
      "uncaught error: late",
    ],
    [
      "undefined thrown in a timer",
      "setTimeout(() => { throw undefined }, 1); await new Promise(() => {})",
      /exit code 1|uncaught error: undefined/,
    ],
    [
      "something thrown that can't be cloned",
      "setTimeout(() => { throw { f() {}, get message() { throw 1 } } }, 1); await new Promise(() => {})",
      /./,
    ],
    [
      "an uncaughtException handler that throws",
      "process.on('uncaughtException', () => { throw new Error('again') }); setTimeout(() => { throw new Error('x') }, 1); await new Promise(() => {})",
      /exit code 7|uncaught error/,
    ],
  ])("%s", async (_name, body, detail) => {
    await using t = await testWorld();
    const { members } = await t.open(withTools({ die: body, ok: "return text('ok')" }));
    const failure = await failureOf(callTool(members, "die"));
    expect(failure).toMatch(/^tool_task_crashed: Tool task crashed: /);
    expect(failure).toMatch(detail);
    expect(await textOf(callTool(members, "ok"))).toBe("ok");
    expect(t.seen.restarted).toHaveLength(1);
  });

  it("a handler that exits fails, and the next event is answered by a new worker", async () => {
    await using t = await testWorld();
    const { members } = await t.open(
      `let turns = 0; export default { name: "a", version: "1.0.0", hooks: { onTurnStart: () => process.exit(5), onTurnEnd: () => ({ seen: true }) } };`,
    );
    const [outcome] = await members.runHooks("onTurnStart", [], runHooks);
    expect(outcome).toMatchObject({ status: "failed", failure: { kind: "crash", message: "exit code 5" } });
    const [next] = await members.runHooks("onTurnEnd", [{ role: "user" }, []], runHooks);
    expect(next).toMatchObject({ status: "answered", answer: { seen: true } });
  });
});

it("a handler for uncaught exceptions that swallows them keeps its worker alive and useful", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools(
      { stray: "setTimeout(() => { throw new Error('x') }, 1); await caught; return text('caught')" },
      "",
      "let tell; const caught = new Promise((r) => (tell = r)); process.on('uncaughtException', () => tell());",
    ),
  );
  expect(await textOf(callTool(members, "stray"))).toBe("caught");
  expect(t.seen.restarted).toEqual([]);
});

it("a result that was sent just before the exit is not lost, and the death still counts", async () => {
  await using t = await testWorld();
  const { members } = await t.open(
    withTools({ last: "setImmediate(() => process.exit(0)); return text('done')", ok: "return text('ok')" }),
  );
  for (let round = 0; round < 3; round += 1) {
    expect(await textOf(callTool(members, "last"))).toBe("done");
    await t.until(() => t.seen.restarted.length === round + 1);
  }
  expect(await textOf(callTool(members, "ok"))).toBe("ok");
});
