import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import type { ScriptedTurn } from "../../src/index.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/reference/session-events.md"), "utf8");

test("the worked example is what a session tells", async () => {
  const { turns } = JSON.parse(fence("json")) as { turns: ScriptedTurn[] };
  const told: unknown[] = [{ type: "header", schemaVersion: 1, sessionId: "tour" }];
  const runtime = await scriptedRuntime(":memory:", turns, { cwd: temporaryFolder() });
  const session = await runtime.sessions.start({
    model: "s/m",
    sessionId: "tour",
    onEvent: (event) => void told.push(event),
  });
  const outcome = await session.prompt("Say hi");
  told.push({ type: "result", ...outcome });
  await session.release();
  await runtime.close();
  expect(steady(told.map((event) => JSON.stringify(event)))).toEqual(
    steady(fence("jsonl").trim().split("\n")),
  );
});

test("the table lists every event, and no other", () => {
  const types = eventTypes();
  const [table = ""] = /## Events[\s\S]*?## Messages/.exec(page) ?? [];
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(types.length).toBeGreaterThan(10);
  expect(listed.toSorted()).toEqual(types.toSorted());
});

/** The words that `type` of an event may be, read off the source. */
function eventTypes(): string[] {
  const room = path.join(root, "src/projections");
  const statements = readdirSync(room).flatMap((file) => [
    ...ts.createSourceFile(file, readFileSync(path.join(room, file), "utf8"), ts.ScriptTarget.Latest, true)
      .statements,
  ]);
  const found: string[] = [];
  const collect = (node: ts.Node): void => {
    const isType = ts.isPropertySignature(node) && node.name.getText() === "type";
    if (!isType) return node.forEachChild(collect);
    node.forEachChild(function words(part: ts.Node): void {
      if (ts.isStringLiteral(part)) found.push(part.text);
      else part.forEachChild(words);
    });
  };
  for (const statement of statements) {
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === "SessionEventBody") {
      statement.type.forEachChild(collect);
    }
  }
  return found;
}

function fence(language: string): string {
  return new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
}

/** Lines without what differs from run to run: ids, durations, and the length of the prompt. */
function steady(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line
      .replaceAll(/_[0-9a-f]{16}"/g, '_…"')
      .replaceAll(/"(durationMs|inputTokens|loadedAt)":\d+/g, '"$1":0'),
  );
}
