/** Files of extensions that are broken, hostile or unusual, each next to a good one. */
import { copyFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/projections/index.ts";
import { calling, fileWith, world, type World } from "../runtime/extensions-support.ts";
import { resultsIn } from "./session.ts";

const fixtures = path.resolve(import.meta.dirname, "../fixtures/cases");
const good = fileWith("good", "good", "good");

function copy(here: World, name: string): void {
  copyFileSync(path.join(fixtures, name), path.join(here.cwd, "ext", name));
}

/** Loads a fixture beside the good extension, whose tool has to work. */
async function besideGood(
  fixture: string,
  look: (here: World, events: SessionEvent[]) => void,
): Promise<void> {
  const turns = [calling("good", "extensions_status"), { text: "done" }];
  await using here = await world({ turns, files: { "ext/good.ts": good } });
  copy(here, fixture);
  const events: SessionEvent[] = [];
  const session = await here.start({ onEvent: (event) => void events.push(event) });
  expect(await session.prompt("go")).toMatchObject({ status: "completed", text: "done" });
  const [result] = resultsIn(here.requests.at(-1));
  expect(result).toMatchObject({ text: "good", isError: false });
  expect(session.extensionStatusReport()).toMatchObject({ totalLoaded: 1, totalErrors: 1 });
  look(here, events);
}

test("extension-wrong-export: the file is reported and told what to export", async () => {
  await besideGood("wrong-export.ts", (here, events) => {
    const published = events.find(({ type }) => type === "extension_status_report");
    expect(published).toMatchObject({
      report: {
        loadErrors: [
          {
            sourcePath: path.join(here.cwd, "ext", "wrong-export.ts"),
            errorMessage: expect.stringMatching(/export default defineExtension\(.*register/) as string,
          },
        ],
      },
    });
  });
});

test("extension-broken-neighbour: the error is in the report, its event and the status tool", async () => {
  await besideGood("broken-syntax.ts", (here, events) => {
    const published = events.find(({ type }) => type === "extension_status_report") as unknown as {
      report: { loadErrors: { sourcePath: string; errorMessage: string }[] };
    };
    const [error] = published.report.loadErrors;
    expect(error?.sourcePath).toMatch(/broken-syntax\.ts$/);
    expect(error?.errorMessage).toMatch(/^Syntax error at line 4: ./);
    const [, status] = resultsIn(here.requests.at(-1));
    expect(status?.text).toContain(error?.errorMessage);
    expect(status?.text).toContain("broken-syntax.ts");
  });
});

test("extension-typescript-only-syntax: what cannot be erased is compiled", async () => {
  const entry = `import { label } from "./ts-only-syntax.ts";
export default { name: "typed", version: "1.0.0", tools: [
  { name: "typed", description: label, parameters: { type: "object" }, execute: () => ({ content: [] }) }] };`;
  await using here = await world({ files: { "ext/typed.ts": entry } });
  copy(here, "ts-only-syntax.ts");
  const session = await here.start();
  expect(session.extensionStatusReport()).toMatchObject({ totalLoaded: 1, totalErrors: 0 });
  expect(session.tools().find(({ name }) => name === "typed")?.description).toBe("high:level:2");
});

test("extension-exits-process: neither at load nor in a hook does the host end", async () => {
  const before = process.exitCode;
  await besideGood("exit-on-load.ts", (_here, events) => {
    const published = events.find(({ type }) => type === "extension_status_report");
    expect(JSON.stringify(published)).toContain("Extension exited while loading (code 7)");
  });
  const quits = fileWith("quits", "quits", "still", "hooks: { onTurnStart() { process.exit(7); } },");
  await using here = await world({ turns: [{ text: "done" }], files: { "ext/quits.ts": quits } });
  const session = await here.start();
  expect(await session.prompt("go")).toMatchObject({ status: "completed" });
  expect(process.exitCode).toBe(before);
});

test("reload-imported-helper: helpers that changed are taken, and stay", async () => {
  const entry = `import { seen } from "./reload-entry.ts";
export default { name: "seen", version: "1.0.0", tools: [
  { name: "seen", description: seen, parameters: { type: "object" }, execute: () => ({ content: [] }) }] };`;
  await using here = await world({ files: { "ext/tool.ts": entry } });
  for (const name of ["reload-entry.ts", "reload-helper.mjs", "reload-helper2.js"]) copy(here, name);
  const session = await here.start();
  const described = (): string | undefined =>
    session.tools().find(({ name }) => name === "seen")?.description;
  expect(described()).toBe("old/old");
  for (const name of ["reload-helper.mjs", "reload-helper2.js"])
    here.write(`ext/${name}`, readFileSync(path.join(fixtures, name), "utf8").replace("old", "new"));
  await session.reloadExtensions();
  expect(described()).toBe("new/new");
  await session.reloadExtensions();
  expect(described()).toBe("new/new");
});
