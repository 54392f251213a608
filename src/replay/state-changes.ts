/** What differs between two states, part by part and thing by thing, for people. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { SupervisionNode } from "../projections/index.ts";
import type { StateAt } from "./state-at.ts";

/** The parts of a state. */
export type StatePart = Exclude<keyof StateAt, "version">;

/** One thing that is there, gone or another. */
export interface StateChange {
  readonly part: StatePart;
  /** Which one: an id, a path, a name; of a message its place, from 0. */
  readonly key: string;
  readonly change: "added" | "removed" | "changed";
  /** As it is in `a`; `null` when it is not there. */
  readonly before: unknown;
  /** As it is in `b`. */
  readonly after: unknown;
}

/** In the order of the parts below, of things in the order in which they stand there, those of `a` first. */
export function stateChanges(a: StateAt, b: StateAt): StateChange[] {
  return parts.flatMap((part) => changesOf(part, thingsOf(part, a), thingsOf(part, b)));
}

const parts: readonly StatePart[] = [
  "session",
  "messages",
  "todos",
  "features",
  "files",
  "tools",
  "approvals",
  "tasks",
  "checkpoints",
  "extensions",
  "supervision",
];

type Things = ReadonlyMap<string, unknown>;

function changesOf(part: StatePart, a: Things, b: Things): StateChange[] {
  const found: StateChange[] = [];
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [before, after] = [a.get(key) ?? null, b.get(key) ?? null];
    if (isDeepStrictEqual(before, after)) continue;
    const change = before === null ? "added" : after === null ? "removed" : "changed";
    found.push({ part, key, change, before, after });
  }
  return found;
}

function thingsOf(part: StatePart, state: StateAt): Things {
  switch (part) {
    case "session":
      return new Map(Object.entries(state.session));
    case "messages":
      return new Map(state.messages.map((message, at) => [String(at), message]));
    case "todos":
      return byId(state.todos, ({ id }) => id);
    case "features":
      return byId(state.features?.document?.features ?? [], ({ id }) => id);
    case "files":
    case "tools":
    case "checkpoints":
      return new Map(Object.entries(state[part]));
    case "approvals":
      return byId(state.approvals, ({ id }) => id);
    case "tasks":
      return byId(state.tasks, ({ taskId }) => taskId);
    case "extensions":
      return byId(state.extensions?.extensions ?? [], ({ module }) => module);
    case "supervision":
      return state.supervision === null ? new Map() : nodes(state.supervision.tree);
  }
}

/** Ids of old lists may repeat: then they are told apart by their count. */
function byId<Thing>(things: readonly Thing[], idOf: (thing: Thing) => string): Things {
  const found = new Map<string, unknown>();
  for (const thing of things) {
    const id = idOf(thing);
    let key = id;
    for (let count = 2; found.has(key); count += 1) key = `${id} (${count})`;
    found.set(key, thing);
  }
  return found;
}

/** Flat, each without what stands under it. */
function nodes({ children, ...node }: SupervisionNode): Things {
  return new Map<string, unknown>([[node.path, node], ...children.flatMap((child) => [...nodes(child)])]);
}
