/** Closing a runtime whose extensions do not let go. */
import { expect, test } from "vitest";
import { registryStreamName } from "../../src/actors/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf } from "../support/runtimes.ts";
import { calling, fileWith, world } from "./extensions-support.ts";

/** Inside one native call for many seconds. */
const stuck = `import { pbkdf2Sync } from "node:crypto";
export default { name: "stuck", version: "1.0.0", tools: [{ name: "stuck", description: "", parameters: { type: "object" },
  timeoutMs: 200, execute() { pbkdf2Sync("a", "b", 12_000_000, 64, "sha512"); return { content: [] }; } }] };`;

test("a thread inside a native call is named, and keeps nobody waiting", async () => {
  const log = await memoryLog();
  const files = { "ext/stuck.mjs": stuck, "ext/good.js": fileWith("good", "good", "good") };
  const here = await world({ turns: [calling("stuck"), { text: "done" }], files, onLog: log });
  const session = await here.start();
  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  const begun = performance.now();
  expect(await here.runtime.close()).toMatchObject([{ module: "stuck" }]);
  expect(performance.now() - begun).toBeLessThan(6_000);
  await log.close();
});

test("every load that ended is recorded as released when the runtime has closed", async () => {
  const log = await memoryLog();
  const here = await world({ files: { "ext/good.js": fileWith("good", "good", "good") }, onLog: log });
  await here.start();
  await here.start();
  await here.start({ extensions: [] });
  await here.runtime.extensions.load(["ext"]);
  expect(await here.runtime.close()).toEqual([]);
  const types = (await factsOf(log, registryStreamName(here.runtime.id))).map(({ type }) => type);
  expect(types.filter((type) => type === "extensions.requested")).toHaveLength(3);
  expect(types.filter((type) => type === "extensions.released")).toHaveLength(3);
  await log.close();
});

test("a session that could not start leaves nothing loaded", async () => {
  await using here = await world({ files: { "ext/good.js": fileWith("good", "good", "good") } });
  await here.start({ sessionId: "s" });
  await expect(here.start({ sessionId: "s" })).rejects.toMatchObject({ code: "LEMON_SESSION_EXISTS" });
  await here.runtime.sessions.get("s").then((session) => session?.shutdown());
  await expect(here.start({ sessionId: "s" })).rejects.toMatchObject({ code: "LEMON_SESSION_EXISTS" });
  await expect.poll(() => here.runtime.extensions.list()).toEqual([]);
});
