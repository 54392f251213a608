/** Settings of extensions that are secret, and what threatens to tell them. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { registryStreamName } from "../../src/actors/index.ts";
import { factsOf, temporaryFolder } from "../support/runtimes.ts";
import { calling, dataOf, world, type World } from "./extensions-support.ts";
import { resultsIn } from "../cases/session.ts";
import type { Session } from "../../src/runtime/index.ts";

const [first, second] = ["first-very-secret-value", "second-very-secret-value"];
const schema = `configSchema: { type: "object", properties: { token: { type: "string", secret: true } } },`;

function home(token: string, folder = path.join(temporaryFolder(), "home")): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "config.toml"), `[extensions.settings.keeper]\ntoken = "${token}"\n`);
  return folder;
}

/** All that a runtime wrote down, showed or sent. */
async function allOf(here: World, session: Session): Promise<string> {
  const registry = await factsOf(here.log, registryStreamName(here.runtime.id));
  const told = [
    await here.factsOf(session),
    registry,
    session.extensionStatusReport(),
    here.lines,
    here.requests,
  ];
  return JSON.stringify(told);
}

const keeper = (
  tool: string,
  hooks = "",
): string => `export default { name: "keeper", version: "1.0.0", ${schema}
  tools: (cwd, { config }) => [{ name: "tell", description: "", parameters: { type: "object" },
    execute: () => ({ content: [{ type: "text", text: ${tool} }] }) }],
  hooks: ({ config }) => ({ ${hooks} }) };`;

test("a secret setting is hidden in results, and stays hidden when a reload brings another", async () => {
  const folder = home(first);
  const turns = [calling("tell"), { text: "1" }, calling("tell"), { text: "2" }];
  const files = { "ext/keeper.js": keeper(`config.token + " ${first} ${second}"`) };
  await using here = await world({ turns, files, home: folder });
  const session = await here.start();
  await session.prompt("go");
  expect(resultsIn(here.requests[1])[0]?.text).not.toContain(first);
  home(second, folder);
  await session.reloadExtensions();
  await session.prompt("again");
  const [result] = resultsIn(here.requests[3]);
  expect(result?.text).not.toContain(first);
  expect(result?.text).not.toContain(second);
  expect(await allOf(here, session)).not.toContain(first);
});

test("what a hook throws is hidden in facts and left out of log lines", async () => {
  const hooks = `onTurnStart() { throw new Error(config.token); }, onToolCall() { throw new Error(config.token); },
    onSessionStart: () => ({ additionalContext: config.token })`;
  const files = { "ext/keeper.js": keeper("'x'", hooks) };
  await using here = await world({ turns: [calling("tell"), { text: "done" }], files, home: home(first) });
  const session = await here.start();
  await session.prompt("go");
  const facts = await here.factsOf(session);
  expect(dataOf(facts, "hook.failed").length).toBeGreaterThan(0);
  expect(dataOf(facts, "hook.answered")).toHaveLength(1);
  expect(dataOf(facts, "hook_context.appended")).toHaveLength(1);
  expect(await allOf(here, session)).not.toContain(first);
  expect((await here.runtime.replay.verify(session.id)).divergences).toEqual([]);
});

test("what a member throws is hidden in the validation error", async () => {
  const files = {
    "ext/keeper.js": `export default { name: "keeper", version: "1.0.0", ${schema}
      tools: (cwd, { config }) => { throw new Error("no good: " + config.token); },
      providers: ({ config }) => [{ type: "model", name: config.token, provider: {} }] };`,
  };
  await using here = await world({ files, home: home(first) });
  const session = await here.start();
  const report = session.extensionStatusReport();
  expect(report.validationErrors).toMatchObject([
    { module: "keeper", errors: [expect.stringContaining("tools raised an error: no good: ")] },
  ]);
  expect(await allOf(here, session)).not.toContain(first);
});
