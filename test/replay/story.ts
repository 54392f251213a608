/** A session in which most things happen, in a log that can be changed behind its back. */
import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { defineExtension } from "../../src/extensions/index.ts";
import type { Fact } from "../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import type { StateAt } from "../../src/replay/index.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

/** What a live session showed after each prompt. */
export interface Story {
  readonly file: string;
  readonly folder: string;
  readonly facts: readonly Fact[];
  /** By version: status, mode, calls and messages of the live session. */
  readonly shown: ReadonlyMap<number, unknown>;
}

const turns = [
  {
    toolCalls: [
      { name: "write", args: { path: "a.txt", content: "one\ntwo\n" } },
      { name: "read", args: { path: "no.txt" } },
    ],
  },
  { toolCalls: [{ name: "todo", args: { action: "put", todos: [{ content: "mend it" }] } }] },
  { text: "First done." },
  { toolCalls: [{ name: "edit", args: { path: "a.txt", oldText: "two", newText: "three" } }] },
  { toolCalls: [{ name: "write", args: { path: "blocked.txt", content: "no" } }] },
  { text: "Second done." },
];

const guard = defineExtension({
  name: "guard",
  version: "1.0.0",
  capabilities: ["hooks"],
  hooks: {
    onToolCall: ({ args }) =>
      String((args as { path?: string }).path).startsWith("blocked")
        ? { block: "not this file" }
        : { additionalContext: "watched" },
    onToolResult: () => ({ additionalContext: "seen" }),
  },
});

/** Tells it once. */
export async function tellStory(): Promise<Story> {
  const folder = temporaryFolder();
  const file = path.join(folder, "log.db");
  const work = path.join(folder, "work");
  mkdirSync(work);
  const runtime = await scriptedRuntime(file, turns, { home: folder, cwd: work, extensions: [guard] });
  const shown = new Map<number, unknown>();
  const session = await runtime.sessions.start({ model: "s/m", sessionId: "s" });
  session.subscribe(() => {
    const state = session.state();
    shown.set(state.version, state);
  });
  await session.prompt("Do the first thing.");
  await session.prompt("Do the second thing.");
  await session.shutdown("done");
  await runtime.close();
  const log = await openEventLog(file, { readOnly: true });
  const facts: Fact[] = [];
  for await (const fact of log.read("session-s")) facts.push(fact);
  await log.close();
  return { file, folder, facts, shown };
}

let copies = 0;

/** Opens a copy of the log after `change` was made to it, its guards taken away first. */
export async function changedCopy(
  { file, folder }: Story,
  change: (db: Database.Database) => void,
): Promise<EventLog> {
  copies += 1;
  const copy = path.join(folder, `copy-${copies}.db`);
  copyFileSync(file, copy);
  const db = new Database(copy);
  for (const trigger of ["facts_are_numbered", "facts_never_change", "facts_stay"])
    db.exec(`DROP TRIGGER ${trigger}`);
  change(db);
  db.close();
  return openEventLog(copy, { readOnly: true });
}

/** SQL that finds a fact of the session. */
export const OF_SESSION = "stream = (SELECT id FROM streams WHERE name = 'session-s') AND version = ?";

/** A state as JSON: what reaches a program. */
export function asJson(state: StateAt): unknown {
  return JSON.parse(JSON.stringify(state));
}
