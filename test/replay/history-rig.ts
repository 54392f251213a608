/** Sessions whose calls change files, with a real copy of the workspace kept after each of them. */
import fc from "fast-check";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { defineExtension } from "../../src/extensions/index.ts";
import type { FactOf } from "../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { defineTool } from "../../src/tools/index.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

/** A file as it is on the disk: its bytes and its mode, or where it leads. */
export type Tree = Readonly<Record<string, string>>;

/** All files and links below a folder. */
export function treeOf(root: string, without: readonly string[] = []): Tree {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const absolute = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, absolute);
    if (without.some((hidden) => name === hidden || name.startsWith(`${hidden}/`))) continue;
    if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(absolute)}`;
    else if (entry.isFile())
      found[name] = `${(lstatSync(absolute).mode & 0o7777).toString(8)} ${readFileSync(absolute, "base64")}`;
  }
  return found;
}

/** What a call does to the workspace. */
export type Change =
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "chmod"; readonly path: string; readonly mode: number };

/** Small enough a tree that files come where folders were, and the other way round. */
const names = fc.constantFrom("a", "b", "a/x", "a/y", "a/deep/z", "b/x", "c/.hidden", "run.sh");

/** Changes of one call. */
export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("write" as const),
        path: names,
        text: fc.string({ maxLength: 12 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), path: names }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("chmod" as const),
        path: names,
        mode: fc.constantFrom(0o600, 0o644, 0o755),
      }),
    },
  ),
  { maxLength: 4 },
);

function apply(root: string, change: Change): void {
  const file = path.join(root, change.path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (change.do === "remove") rmSync(file, { recursive: true, force: true });
  else if (change.do === "chmod") {
    if (found?.isFile() === true) chmodSync(file, change.mode);
  } else {
    for (let at = path.dirname(file); at.startsWith(`${root}/`); at = path.dirname(at))
      if (lstatSync(at, { throwIfNoEntry: false })?.isFile() === true) rmSync(at);
    if (found?.isDirectory() === true) rmSync(file, { recursive: true });
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, change.text);
  }
}

/** A session that was run. */
export interface Ran {
  readonly log: EventLog;
  readonly sessionId: string;
  readonly workspace: string;
  /** By version: the tree as it was after the call that ended there. */
  readonly trees: ReadonlyMap<number, Tree>;
  readonly last: number;
}

/** Runs a session with a call for each list of changes. */
export async function ranSession(calls: readonly (readonly Change[])[], logPlace = ":memory:"): Promise<Ran> {
  const workspace = temporaryFolder();
  mkdirSync(path.join(workspace, "a"));
  writeFileSync(path.join(workspace, "a", "x"), "at first");
  writeFileSync(path.join(workspace, "untouched"), "always");
  const log = await openEventLog(logPlace);
  const seen = new Map<string, Tree>();
  const mutate = defineExtension({
    name: "mutate",
    version: "1.0.0",
    tools: [
      defineTool({
        name: "mutate",
        description: "changes files",
        parameters: { type: "object", properties: { at: { type: "number" } }, required: ["at"] },
        execute: async (id, args) => {
          for (const change of calls[(args as { at: number }).at] ?? []) apply(workspace, change);
          seen.set(id, treeOf(workspace));
          return { content: [{ type: "text", text: "done" }] };
        },
      }),
    ],
  });
  const turns = calls.map((_, at) => ({ toolCalls: [{ name: "mutate", args: { at } }] }));
  const runtime = await scriptedRuntime(log, [...turns, { text: "done" }], { extensions: [mutate] });
  const session = await runtime.sessions.start({ cwd: workspace, model: "s/m", approval: "auto" });
  const { status } = await session.prompt("change files");
  if (status !== "completed") throw new Error(`the session ended as ${status}`);
  await runtime.close();
  const trees = new Map<number, Tree>();
  let last = 0;
  for await (const fact of log.read(`session-${session.id}`)) {
    last = fact.version;
    if (fact.type !== "tool_call.returned") continue;
    const tree = seen.get((fact as FactOf<"tool_call.returned">).data.callId);
    if (tree !== undefined) trees.set(fact.version, tree);
  }
  return { log, sessionId: session.id, workspace, trees, last };
}
