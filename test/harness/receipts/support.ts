/** A session in a workspace of its own, and the receipts of its calls. */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Fact, FactData } from "../../../src/events/index.ts";
import type { Receipt } from "../../../src/harness/index.ts";
import type { SessionEvent } from "../../../src/projections/index.ts";
import type { ScriptedToolCall } from "../../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, Session } from "../../../src/runtime/index.ts";
import { scriptedRuntime, temporaryFolder } from "../../support/runtimes.ts";

export interface World {
  readonly runtime: Runtime;
  readonly session: Session;
  /** Real path of its working directory. */
  readonly cwd: string;
  readonly home: string;
  readonly events: SessionEvent[];
  /** Lets the model make one call after the other. @returns the receipt of each */
  calls(...calls: readonly ScriptedToolCall[]): Promise<(Receipt | null)[]>;
  facts(): Promise<Fact[]>;
  close(): Promise<void>;
}

export async function world(
  turns: readonly (readonly ScriptedToolCall[])[],
  options: Partial<RuntimeOptions> = {},
): Promise<Omit<World, "calls"> & { readonly receipts: () => Promise<(Receipt | null)[]> }> {
  const home = temporaryFolder();
  const cwd = path.join(realpathSync(temporaryFolder()), "work");
  mkdirSync(cwd);
  const script = [...turns.map((toolCalls) => ({ toolCalls })), { text: "Done." }];
  const runtime = await scriptedRuntime(path.join(home, "log.db"), script, { home, cwd, ...options });
  const events: SessionEvent[] = [];
  const session = await runtime.sessions.start({ model: "s/m", onEvent: (event) => void events.push(event) });
  const facts = async (): Promise<Fact[]> => {
    const found: Fact[] = [];
    for await (const fact of session.facts()) found.push(fact);
    return found;
  };
  return {
    runtime,
    session,
    cwd,
    home,
    events,
    facts,
    receipts: async () => (await facts()).flatMap(receiptIn),
    close: async () => void (await runtime.close()),
  };
}

function receiptIn({ type, data }: Fact): (Receipt | null)[] {
  switch (type) {
    case "tool_call.returned":
    case "tool_call.interrupted":
    case "tool_call.receipt_recorded":
      return [(data as FactData<"tool_call.returned">).receipt];
    default:
      return [];
  }
}

/** Each file and folder below `root`: digest and mode, `null` for a folder. Links, `.git` and its like left out. */
export function treeOf(root: string): Map<string, string | null> {
  const tree = new Map<string, string | null>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      const found = lstatSync(file);
      if (name === ".git" || found.isSymbolicLink()) continue;
      if (found.isDirectory()) {
        tree.set(file, null);
        walk(file);
      } else tree.set(file, `${sha256(readFileSync(file))} ${(found.mode & 0o7777).toString(8)}`);
    }
  };
  walk(root);
  return tree;
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What differs between two trees, as a receipt would tell it: files by path, and folders that are new. */
export function differenceOf(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): { readonly files: Record<string, string>; readonly createdDirs: string[] } {
  const files: Record<string, string> = {};
  for (const file of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(file) ?? null, after.get(file) ?? null];
    if (was !== is) files[file] = `${was ?? "none"} -> ${is ?? "none"}`;
  }
  const createdDirs = [...after.keys()].filter(
    (file) => after.get(file) === null && before.get(file) !== null,
  );
  return { files, createdDirs: createdDirs.filter((folder) => !before.has(folder)).toSorted() };
}

/** The same of a receipt. */
export function claimsOf({ files, createdDirs }: Receipt): ReturnType<typeof differenceOf> {
  const side = (hash: string | null, mode: number | null): string =>
    mode === null ? "none" : `${hash} ${mode.toString(8)}`;
  return {
    files: Object.fromEntries(
      files.map(({ path: file, beforeSha256, beforeMode, afterSha256, afterMode }) => [
        file,
        `${side(beforeSha256, beforeMode)} -> ${side(afterSha256, afterMode)}`,
      ]),
    ),
    createdDirs: [...createdDirs].toSorted(),
  };
}
