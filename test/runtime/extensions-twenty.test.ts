/** Twenty extensions, good and hostile, in a real session of a program. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { resultsIn } from "../cases/session.ts";
import { world } from "./extensions-support.ts";
import { broken, good, harmful, turns, twenty } from "./extensions-twenty.ts";

const threads = (): number => readdirSync("/proc/self/task").length;
const config = { extensions: { memoryLimitMb: 150 } };

test(
  "the session runs, the good ones work, each fault is told, nothing is left",
  { timeout: 120_000 },
  async () => {
    const warm = await world({ files: { "ext/a.js": twenty["ext/good-1.js"] ?? "" } });
    await warm.start();
    await warm[Symbol.asyncDispose]();
    const before = threads();
    const listeners = process.listenerCount("uncaughtException");
    expect(Object.keys(twenty)).toHaveLength(20);
    const here = await world({ turns, files: twenty, config });
    const session = await here.start();
    const fine = good.map((name) => ({ text: `${name} is done`, isError: false }));
    expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "done" });
    const [, first, second, third] = here.requests;
    expect(resultsIn(first)).toMatchObject(fine);
    expect(resultsIn(third)).toMatchObject(fine);
    const told = Object.values(harmful);
    for (const [index, { text }] of resultsIn(second).entries()) expect(text).toContain(told[index]);

    const report = session.extensionStatusReport();
    expect(report.totalLoaded).toBe(14);
    const errors = report.loadErrors.map(({ sourcePath, errorMessage }) => [
      path.basename(sourcePath),
      errorMessage,
    ]);
    expect(errors.map(([name]) => name)).toEqual(Object.keys(broken));
    for (const [name = "", message] of errors) expect(message).toMatch(broken[name] ?? "");
    expect(report.validationErrors).toMatchObject([
      { module: "invalid", errors: ["missing required field: version"] },
    ]);
    const failed = (await here.factsOf(session)).filter(({ type }) => type === "hook.failed");
    expect(failed.map(({ data }) => data)).toMatchObject([
      { hook: "onAgentStart", module: "loop-hook", kind: "timeout" },
    ]);
    expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);

    expect(await here.runtime.close()).toEqual([]);
    await here.log.close();
    await expect.poll(threads, { timeout: 10_000 }).toBeLessThanOrEqual(before);
    expect(process.listenerCount("uncaughtException")).toBe(listeners);
    expect([1, 2].map((value) => value * 2)).toEqual([2, 4]);
  },
);
