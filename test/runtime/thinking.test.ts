import { expect, test } from "vitest";
import type { Model } from "../../src/providers/index.ts";
import { AskedModel, said } from "../support/asked-model.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { scriptedRuntime } from "../support/runtimes.ts";

test("a session tells its model how hard to think, if it was told, and after a resume too", async () => {
  const log = await memoryLog();
  const model = new AskedModel();
  const runtime = await scriptedRuntime(log, [], { models: { asked: model as Model } });
  const prompt = async (sessionId: string, at: number): Promise<unknown> => {
    const session = await runtime.sessions.resume(sessionId);
    const run = session.prompt("Go");
    const request = await model.asked(at);
    request.answer(said("Done."));
    await run;
    await session.shutdown();
    return request.options.thinkingLevel;
  };
  for (const [sessionId, options] of [
    ["plain", {}],
    ["hard", { thinkingLevel: "high" }],
  ] as const)
    await (await runtime.sessions.start({ sessionId, model: "asked/model", ...options })).shutdown();
  expect(await prompt("plain", 0)).toBeUndefined();
  expect(await prompt("hard", 1)).toBe("high");
  expect(await prompt("hard", 2)).toBe("high");
  await runtime.close();
});
