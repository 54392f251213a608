/** A JavaScript expression over `state`, in a context that holds nothing else. docs/reference/bisect.md, "An expression" */
import vm from "node:vm";
import { messageOf } from "../../errors.ts";
import { BisectError, InvalidExpressionError } from "../errors.ts";

/** What one turn of a scan says: evaluate at this version, or stop. */
export type NextState = () => number | null;

/**
 * Stands in the context, and is the only thing that reaches out of it: by names that the expression can't say. What the
 * expression gets was parsed in the context and is frozen, so it leads to no object of ours and no state changes another.
 */
const harness = `
"use strict";
const lemonScan = (() => {
  const { parse } = JSON;
  const { freeze, values } = Object;
  const members = Object.create(null);
  const frozen = (value) => {
    if (typeof value === "object" && value !== null) {
      freeze(value);
      for (const member of values(value)) frozen(member);
    }
    return value;
  };
  let next, note, holds;
  const scan = () => {
    for (;;) {
      const at = next();
      if (at === null) return null;
      try {
        if (holds(freeze({ ...members }))) return at;
      } catch (error) {
        note(String(error?.name), String(error?.message));
      }
    }
  };
  scan.begin = (given) => {
    ({ next, note, holds } = given);
    delete scan.begin;
    return {
      set: (name, text) => { members[name] = frozen(parse(text)); },
      append: (name, from, text) => {
        members[name] = freeze([...(members[name] ?? []).slice(0, from), ...frozen(parse(text))]);
      },
    };
  };
  return scan;
})();
lemonScan`;

const scanning = new vm.Script("lemonScan()");

/** How states get into the context. */
interface Door {
  set(name: string, text: string): void;
  append(name: string, from: number, text: string): void;
}

interface Scan {
  (): number | null;
  begin(given: { next: NextState; note: (name: string, message: string) => void; holds: unknown }): Door;
}

/** An expression that is asked of one state after the other. */
export class Expression {
  readonly #context = vm.createContext(Object.create(null) as object, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: "afterEvaluate",
  });
  readonly #door: Door;
  /** What was last handed over of each member. */
  readonly #given = new Map<string, unknown>();
  /** The members that it can see; `null`: all. */
  readonly members: ReadonlySet<string> | null;
  #next: NextState = () => null;
  /** What it threw at the last state that it threw at; `null` for nothing. */
  thrown: string | null = null;
  #isLost = false;

  /** @throws InvalidExpressionError */
  constructor(text: string) {
    let holds: unknown;
    const scan = vm.runInContext(harness, this.#context) as Scan; // What the harness ends with.
    try {
      // As an expression, not as statements; and without the name of the harness.
      const script = new vm.Script(`(function (state, lemonScan) { "use strict"; return (${text}\n); })`, {
        filename: "expression",
      });
      holds = script.runInContext(this.#context);
    } catch (error) {
      throw new InvalidExpressionError(messageOf(error));
    }
    this.#door = scan.begin({
      next: () => this.#next(),
      note: (name, message) => {
        this.thrown = `${name}: ${message}`;
        if (name === "ReferenceError") this.#isLost = true;
      },
      holds,
    });
    this.members = membersOf(text);
  }

  /** Hands a member of the state over, unless it is what it was. A list that only grew is handed over by its end. */
  give(name: string, value: unknown): void {
    const before = this.#given.get(name);
    if (this.#given.has(name) && before === value) return;
    this.#given.set(name, value);
    if (!Array.isArray(value)) return this.#door.set(name, JSON.stringify(value ?? null));
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    let same = 0;
    while (same < old.length && old[same] === value[same]) same += 1;
    if (same === old.length && same === value.length && Array.isArray(before)) return;
    this.#door.append(name, same, JSON.stringify(value.slice(same)));
  }

  /**
   * Asks it of the states that `next` hands over, until it holds.
   *
   * @returns the version at which it holds; `null` when `next` has no more
   * @throws InvalidExpressionError when it names what is not there; BisectError `expression_timed_out`
   */
  scan(next: NextState, timeoutMs: number): number | null {
    this.#next = () => (this.#isLost ? null : next());
    let at: number | null;
    try {
      // A number or null: what the harness returns.
      at = scanning.runInContext(this.#context, { timeout: Math.max(1, Math.ceil(timeoutMs)) }) as
        | number
        | null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      throw new BisectError("expression_timed_out", "the expression takes too long", { cause: error });
    }
    if (this.#isLost) throw new InvalidExpressionError(this.thrown ?? "");
    return at;
  }
}

/** Which members of `state` a text names; `null` when it does more with `state` than that. */
function membersOf(text: string): ReadonlySet<string> | null {
  const names = new Set<string>();
  for (const { index } of text.matchAll(/(?<![\w$])state(?![\w$])/g)) {
    const name = /^\s*\??\.\s*([A-Za-z_$][\w$]*)/.exec(text.slice(index + "state".length))?.[1];
    if (name === undefined) return null;
    names.add(name);
  }
  return names;
}
