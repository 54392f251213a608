/** The children of one supervisor, in the order in which they were first started. */
import type { Child } from "./child.ts";
import type { Instance } from "./instance.ts";
import { type ChildType, type FullChildSpec, idText, type RestartType } from "./spec.ts";

/** Where a child is in its life. */
export type ChildState = "starting" | "running" | "restarting" | "stopped";

/** A child spec with the life that it has now. @internal */
export interface Entry {
  readonly key: unknown;
  /** The child's name in paths and events. */
  readonly label: string;
  spec: FullChildSpec;
  /** Extra arguments of its start. */
  args: readonly unknown[];
  state: ChildState;
  current: Instance | undefined;
  lastInstance: number;
  restarts: number;
  /** Restarts in a row, for backoff. */
  streak: number;
  startedAtMs: number;
  cancelBackoff: (() => void) | undefined;
}

/** One row of `whichChildren`. */
export interface ChildRow {
  /** Undefined under a dynamic supervisor, as in OTP. */
  readonly id: unknown;
  readonly child: Child | "restarting" | undefined;
  readonly type: ChildType;
}

/** `countChildren`: `workers` and `supervisors` count specs, dead or alive. */
export interface ChildCounts {
  readonly specs: number;
  readonly active: number;
  readonly supervisors: number;
  readonly workers: number;
}

/** @internal */
export class Roster {
  readonly #isStatic: boolean;
  readonly #entries = new Map<unknown, Entry>();
  /** Dynamic children have no id and are found by the child itself. */
  readonly #byChild = new Map<object, Entry>();
  #added = 0;

  constructor(isStatic: boolean) {
    this.#isStatic = isStatic;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** In start order. */
  all(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  newestFirst(): Entry[] {
    return [...this.#entries.values()].reverse();
  }

  has(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  /** By id in a static supervisor, by the child in a dynamic one. */
  find(idOrChild: unknown): Entry | undefined {
    if (this.#isStatic) return this.#entries.get(idOrChild);
    return typeof idOrChild === "object" && idOrChild !== null ? this.#byChild.get(idOrChild) : undefined;
  }

  add(spec: FullChildSpec, args: readonly unknown[], label?: string): Entry {
    this.#added += 1;
    const key = this.#isStatic ? spec.id : this.#added;
    const entry: Entry = {
      key,
      label: label ?? (spec.id === undefined ? `#${this.#added}` : idText(spec.id)),
      spec,
      args,
      state: "starting",
      current: undefined,
      lastInstance: 0,
      restarts: 0,
      streak: 0,
      startedAtMs: 0,
      cancelBackoff: undefined,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  /** The number that the next child gets, for labels of children made from one template. */
  get nextNumber(): number {
    return this.#added + 1;
  }

  /** The entry's new life has begun. */
  setCurrent(entry: Entry, instance: Instance): void {
    entry.current = instance;
    entry.state = "running";
    if (!this.#isStatic && instance.child !== undefined) this.#byChild.set(instance.child, entry);
  }

  /** The entry's life is over. */
  clearCurrent(entry: Entry): void {
    if (!this.#isStatic && entry.current?.child !== undefined) this.#byChild.delete(entry.current.child);
    entry.current = undefined;
    entry.state = "stopped";
  }

  drop(entry: Entry): void {
    if (this.has(entry)) this.#entries.delete(entry.key);
  }

  which(): ChildRow[] {
    return this.newestFirst().map((entry) => this.row(entry));
  }

  row(entry: Entry): ChildRow {
    const child = entry.state === "restarting" ? "restarting" : entry.current?.child;
    return { id: this.#isStatic ? entry.spec.id : undefined, child, type: entry.spec.type };
  }

  count(): ChildCounts {
    let active = 0;
    let supervisors = 0;
    for (const { current, spec } of this.#entries.values()) {
      if (current !== undefined) active += 1;
      if (spec.type === "supervisor") supervisors += 1;
    }
    return { specs: this.size, active, supervisors, workers: this.size - supervisors };
  }
}

/** A child in {@link SupervisorTree}. */
export interface ChildTree {
  readonly id: string;
  readonly type: ChildType;
  readonly restart: RestartType;
  readonly isolation: "inline" | "thread";
  readonly state: ChildState;
  /** Number of the latest instance; 0 when none has been started. */
  readonly instance: number;
  /** Automatic restarts so far. */
  readonly restarts: number;
  /** Messages that wait, where the child tells. */
  readonly mailboxLength?: number;
  /** The tree below, where the child is a supervisor. */
  readonly supervisor?: SupervisorTree;
}

/** A supervisor and all that is below it, at one moment. JSON data. */
export interface SupervisorTree {
  readonly path: string;
  readonly name?: string;
  readonly strategy: string;
  readonly state: "starting" | "running" | "stopping" | "ended";
  readonly intensity: number;
  readonly periodSeconds: number;
  /** Specs that are kept though their child has ended: those that pile up under a static supervisor. */
  readonly stopped: number;
  /** In start order. */
  readonly children: readonly ChildTree[];
}

/** @internal */
export function childTree(entry: Entry): ChildTree {
  const { spec, current } = entry;
  const child = current?.child;
  return {
    id: entry.label,
    type: spec.type,
    restart: spec.restart,
    isolation: spec.isolation,
    state: entry.state,
    instance: entry.lastInstance,
    restarts: entry.restarts,
    ...(child?.mailboxLength === undefined ? {} : { mailboxLength: child.mailboxLength }),
    ...(hasTree(child) ? { supervisor: child.tree() } : {}),
  };
}

function hasTree(child: object | undefined): child is { tree(): SupervisorTree } {
  return child !== undefined && "tree" in child && typeof child.tree === "function";
}
