/** What becomes of the runs of a program that ends, when another one opens its log. docs/reference/background-runs.md, "When a process ends" */
import path from "node:path";
import { expect, test } from "vitest";
import {
  factsOf,
  gate,
  probe,
  probeExtension,
  scriptedRuntime,
  temporaryFolder,
} from "../../support/runtimes.ts";
import { openEventLog } from "../../../src/log/index.ts";

const config = { runtime: { model: "s/m" } };

test("a run that only a closed program could do is lost at once, and its tool is stopped", async () => {
  const file = path.join(temporaryFolder(), "log.db");
  const began = gate<AbortSignal>();
  const effects: string[] = [];
  const probing = probeExtension(async (name, signal) => {
    began.open(signal);
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    if (!signal.aborted) effects.push(name);
    return name;
  });
  const first = await scriptedRuntime(file, [probe("x"), { text: "Done." }], {
    config,
    extensions: [probing],
  });
  const { id } = await first.background.start("Do it", { approval: "auto" });
  const signal = await began.promise;
  await first.close();
  expect(signal.aborted).toBe(true);
  const second = await scriptedRuntime(file, [{ text: "Never." }], { config });
  expect(await second.background.status(id)).toMatchObject({ status: "lost", errorCode: "BACKGROUND_LOST" });
  expect((await second.replay.verify(id)).divergences).toEqual([]);
  await second.close();
  expect(effects).toEqual([]);
  const log = await openEventLog(file, { readOnly: true });
  const types = (await factsOf(log, `background-${id}`)).map(({ type }) => type.slice(15));
  expect(types).toEqual(["queued", "started", "requeued", "lost"]);
  await log.close();
});
