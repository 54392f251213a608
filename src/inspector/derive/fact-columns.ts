/**
 * The facts of a session as columns: what lists, the timeline and the filter need of each, without its data. Some 300
 * bytes a fact, of which most is the summary.
 */
import { isKnownType, upcast, type Fact, type KnownFact } from "../../events/index.ts";
import type { FactRow, Lane } from "../api.ts";
import { laneOf } from "./lanes.ts";
import { membersLine } from "./one-line.ts";
import { isBlocking, isFailure } from "./outcome.ts";
import { summaryOf } from "./summary.ts";

const IS_ERROR = 1;
const IS_BLOCKED = 2;
const IS_DECISION = 4;

/** Grows by one fact at a time, in version order from version 1. */
export class FactColumns {
  readonly #types: string[] = [];
  readonly #positions: number[] = [];
  readonly #ats: number[] = [];
  readonly #flags: number[] = [];
  readonly #actors: string[] = [];
  readonly #causations: (number | null)[] = [];
  readonly #callIds: (string | null)[] = [];
  readonly #summaries: string[] = [];
  /** Facts that one fact caused, as a chain: its first, and from each the next. 0 for none. */
  readonly #firstEffects: number[] = [];
  readonly #lastEffects: number[] = [];
  readonly #nextEffects: number[] = [];
  readonly #tools = new Map<string, string>();
  /** One string for all that are equal. */
  readonly #words = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Version of the last fact. */
  get version(): number {
    return this.#types.length;
  }

  /** How many facts of each type there are. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Adds the next fact. `known` is the fact in its newest shape, `null` for one that this version can't read. */
  take(fact: Fact, known: KnownFact | null): void {
    const { version, type, causation } = fact;
    if (known !== null) this.noteTools(known);
    const callId = callOf(fact.data);
    const tool = callId === null ? null : (this.#tools.get(callId) ?? null);
    let flags = fact.kind === "decision" ? IS_DECISION : 0;
    if (known !== null && isFailure(known)) flags |= IS_ERROR;
    if (known !== null && isBlocking(known)) flags |= IS_BLOCKED;
    this.#types.push(this.#word(type));
    this.#positions.push(fact.position);
    this.#ats.push(fact.at);
    this.#flags.push(flags);
    this.#actors.push(this.#word(fact.actor));
    this.#causations.push(causation);
    this.#callIds.push(callId === null ? null : this.#word(callId));
    this.#summaries.push(known === null ? unknownSummary(fact) : summaryOf(known, tool));
    this.#firstEffects.push(0);
    this.#lastEffects.push(0);
    this.#nextEffects.push(0);
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    if (causation !== null && causation >= 1 && causation < version) this.#chain(causation, version);
  }

  /** Learns the tools of calls that an answer holds: also for answers of a session that this one was forked from. */
  noteTools({ type, data }: KnownFact): void {
    if (type !== "model.responded") return;
    for (const { callId, name } of data.calls) this.#tools.set(this.#word(callId), this.#word(name));
  }

  /** One fact as a row. @param version - 1 to `version` */
  row(version: number): FactRow {
    const at = version - 1;
    const type = this.#types[at] as string;
    const callId = this.#callIds[at] as string | null;
    const flags = this.#flags[at] as number;
    return {
      version,
      position: this.#positions[at] as number,
      type,
      lane: laneOf(type),
      at: this.#ats[at] as number,
      kind: (flags & IS_DECISION) === 0 ? "input" : "decision",
      actor: this.#actors[at] as string,
      causation: this.#causations[at] as number | null,
      summary: this.#summaries[at] as string,
      callId,
      tool: this.toolOf(callId),
      isError: (flags & IS_ERROR) !== 0,
      isBlocked: (flags & IS_BLOCKED) !== 0,
    };
  }

  typeOf(version: number): string {
    return this.#types[version - 1] as string;
  }

  laneOf(version: number): Lane {
    return laneOf(this.typeOf(version));
  }

  atOf(version: number): number {
    return this.#ats[version - 1] as number;
  }

  positionOf(version: number): number {
    return this.#positions[version - 1] as number;
  }

  summaryOf(version: number): string {
    return this.#summaries[version - 1] as string;
  }

  callIdOf(version: number): string | null {
    return this.#callIds[version - 1] as string | null;
  }

  isInput(version: number): boolean {
    return ((this.#flags[version - 1] as number) & IS_DECISION) === 0;
  }

  isError(version: number): boolean {
    return ((this.#flags[version - 1] as number) & IS_ERROR) !== 0;
  }

  isBlocked(version: number): boolean {
    return ((this.#flags[version - 1] as number) & IS_BLOCKED) !== 0;
  }

  causationOf(version: number): number | null {
    return this.#causations[version - 1] as number | null;
  }

  toolOf(callId: string | null): string | null {
    return callId === null ? null : (this.#tools.get(callId) ?? null);
  }

  /** Versions of the facts that a fact caused, in order. */
  *effectsOf(version: number): Generator<number> {
    let effect = this.#firstEffects[version - 1] as number;
    while (effect !== 0) {
      yield effect;
      effect = this.#nextEffects[effect - 1] as number;
    }
  }

  #chain(cause: number, effect: number): void {
    const last = this.#lastEffects[cause - 1] as number;
    if (last === 0) this.#firstEffects[cause - 1] = effect;
    else this.#nextEffects[last - 1] = effect;
    this.#lastEffects[cause - 1] = effect;
  }

  #word(text: string): string {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    this.#words.set(text, text);
    return text;
  }
}

/**
 * The fact in its newest shape; `null` when this version does not know its type, or only older ones of it, or its data was left
 * out.
 */
export function knownFact(fact: Fact): KnownFact | null {
  if (!isKnownType(fact.type) || fact.redacted !== undefined) return null;
  try {
    // The catalogue ties data to type.
    return upcast(fact) as KnownFact;
  } catch {
    // Written by a newer version: shown as it stands.
    return null;
  }
}

function unknownSummary(fact: Fact): string {
  return fact.redacted === undefined ? membersLine(fact.data) : "its data was left out";
}

function callOf(data: unknown): string | null {
  if (typeof data !== "object" || data === null) return null;
  const { callId } = data as { readonly callId?: unknown };
  return typeof callId === "string" && callId !== "" ? callId : null;
}
