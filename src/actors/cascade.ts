/**
 * The actors of one stream, run to quiescence on one input at a time. No log, clock or promise: the same inputs
 * give the same facts, which is what replay rests on. The only file that starts XState actors of a session.
 *
 * The array of a unit's facts is the queue: each is delivered to its receivers, and what they emit goes to the end
 * of the array with the delivered fact as its cause. docs/reference/journaled-stream.md
 */
import { createActor, type AnyActorLogic, type AnyActorRef, type AnyStateMachine } from "xstate";
import {
  callIdOf,
  catalogue,
  currentSchemaVersion,
  slotName,
  type Decision,
  type FactEvent,
  type FactRule,
  type FactType,
  type NewFact,
  type Receiver,
} from "../events/index.ts";

/** A fact of a unit: complete but for position and hash, which the log gives it. */
export interface UnitFact extends NewFact<FactType> {
  readonly version: number;
  readonly text: string;
  readonly at: number;
  readonly schemaVersion: number;
}

/** An input that has passed the intake check. `data` is the parsed `text`. */
export interface CascadeInput {
  readonly type: FactType;
  readonly data: unknown;
  readonly text: string;
  readonly at: number;
  readonly actor: string;
  readonly causation: number | null;
}

/** Which logic runs a stream, and how its actors are called. */
export interface StreamActors {
  readonly root: AnyStateMachine;
  readonly rootPath: string;
  readonly member: AnyActorLogic;
  readonly memberPath: (callId: string) => string;
  /** The same for another stream of its kind. Left out for kinds that are never forked. */
  readonly ofSession?: (sessionId: string) => StreamActors;
  /** Checks a decision's data before it becomes a fact; left out in replay, where it is compared instead. */
  readonly check?: (type: string, schemaVersion: number, data: unknown) => void;
}

/** The actors of a stream at rest, as JSON. Disposable; valid only for the machine version that wrote it. */
export interface CascadeSnapshot {
  readonly version: number;
  readonly root: { readonly value: unknown; readonly context: unknown };
  readonly members: readonly (readonly [callId: string, context: unknown])[];
  readonly slots: readonly (readonly [slot: string, version: number])[];
  readonly correlation: string | null;
}

interface LiveActor {
  readonly path: string;
  readonly ref: AnyActorRef;
  readonly emitted: Decision[];
  crash: { readonly error: unknown } | null;
}

/** An actor threw; its stream has to be restarted from the log. `cause` is what it threw. */
class ActorCrashedError extends Error {
  constructor(path: string, input: string, cause: unknown) {
    super(`${path} crashed on ${input}`, { cause });
    this.name = "ActorCrashedError";
  }
}

/** The live actors of one stream. After a throw it must be discarded. */
export class Cascade {
  readonly #actors: StreamActors;
  readonly #root: LiveActor;
  readonly #members = new Map<string, LiveActor>();
  #slots: Map<string, number>;
  #version: number;
  #correlation: string | null;

  constructor(actors: StreamActors, snapshot: CascadeSnapshot | null = null) {
    this.#actors = actors;
    this.#version = snapshot?.version ?? 0;
    this.#correlation = snapshot?.correlation ?? null;
    this.#slots = new Map(snapshot?.slots ?? []);
    // `resolveState` wants the machine's own state value and context types; the snapshot was made by `snapshot()`.
    const rootState = snapshot === null ? undefined : actors.root.resolveState(snapshot.root as never);
    this.#root = startActor(actors.root, actors.rootPath, rootState);
    for (const [callId, context] of snapshot?.members ?? []) {
      const state = { status: "active", output: undefined, error: undefined, context };
      this.#members.set(callId, startActor(actors.member, actors.memberPath(callId), state));
    }
  }

  /** Version of the last fact taken. */
  get version(): number {
    return this.#version;
  }

  /** Slots that are open, with the version of the fact that opened each. */
  get slots(): ReadonlyMap<string, number> {
    return this.#slots;
  }

  /** Steps over a recorded fact that this version's catalogue doesn't know: it is carried and changes nothing. */
  pass(version: number): void {
    this.#version = version;
  }

  /**
   * The actors of a fork that begins after fact `base`, standing before its first fact. What an ancestor's decision
   * awaits, the fork's first fact awaits; what was decided beyond `base` comes after that one.
   */
  fork(sessionId: string, base: number): Cascade {
    const { ofSession, check } = this.#actors;
    if (ofSession === undefined) throw new Error(`${this.#actors.rootPath} can't be forked`);
    const { slots, ...snapshot } = this.snapshot();
    const forked = slots.map(([slot, version]) => [slot, Math.max(version, base) + 1] as const);
    const actors = { ...ofSession(sessionId), ...(check === undefined ? {} : { check }) };
    return new Cascade(actors, { ...snapshot, version: base, slots: forked });
  }

  /** What these actors are called in the place of another stream's. */
  pathAs(path: string, of: Cascade): string {
    return this.#actors.rootPath + path.slice(of.#actors.rootPath.length);
  }

  /** Whether the root would take this input now. */
  can(type: FactType, data: unknown): boolean {
    // The root's event type is erased in the definition; a fact's event is what its machine was written for.
    return (this.#root.ref.getSnapshot() as { can(event: unknown): boolean }).can({
      type,
      data,
      version: 0,
      at: 0,
    });
  }

  /**
   * Takes one input and runs it to quiescence.
   *
   * @returns the input and the decisions that follow from it, in the order in which they are recorded
   * @throws ActorCrashedError when an actor threw: none of these facts may be recorded
   */
  take(input: CascadeInput): UnitFact[] {
    const before = { version: this.#version, correlation: this.#correlation, slots: [...this.#slots] };
    const rule = catalogue[input.type];
    if (rule.run === "opens") this.#correlation = (input.data as { readonly runId: string }).runId;
    const facts: UnitFact[] = [];
    try {
      facts.push(this.#fact(input, "input", input.text, input.at));
      for (let index = 0; index < facts.length; index += 1) this.#deliver(facts, facts[index] as UnitFact);
    } catch (error) {
      // The actors are spoilt, but which slots are open must stay true: running effects are kept by them.
      this.#version = before.version;
      this.#correlation = before.correlation;
      this.#slots = new Map(before.slots);
      throw error;
    }
    return facts;
  }

  /** The actors as JSON. Only between two inputs whose facts are durable. */
  snapshot(): CascadeSnapshot {
    const { value, context } = this.#root.ref.getSnapshot() as { value: unknown; context: unknown };
    return {
      version: this.#version,
      root: { value, context },
      members: [...this.#members].map(([callId, { ref }]) => [
        callId,
        (ref.getSnapshot() as { context: unknown }).context,
      ]),
      slots: [...this.#slots],
      correlation: this.#correlation,
    };
  }

  #deliver(facts: UnitFact[], fact: UnitFact): void {
    const rule = catalogue[fact.type];
    const callId = callIdOf(fact.data);
    if (rule.member === "creates") {
      this.#members.set(callId, startActor(this.#actors.member, this.#actors.memberPath(callId)));
    }
    for (const receiver of rule.receivers) {
      for (const actor of this.#receiving(receiver, callId)) {
        if (fact.kind === "decision" && fact.actor === actor.path) continue;
        this.#send(facts, actor, fact);
      }
    }
    if (rule.member === "ends") this.#members.delete(callId);
  }

  #receiving(receiver: Receiver, callId: string): readonly LiveActor[] {
    if (receiver === "root") return [this.#root];
    if (receiver === "members") return [...this.#members.values()];
    const member = this.#members.get(callId);
    return member === undefined ? [] : [member];
  }

  #send(facts: UnitFact[], actor: LiveActor, fact: UnitFact): void {
    // Its type and data belong together: both come from the catalogue.
    const event = { type: fact.type, version: fact.version, at: fact.at, data: fact.data } as FactEvent;
    actor.ref.send(event);
    // `send` does not throw: the error arrives, synchronously, at the observer.
    if (actor.crash !== null) throw new ActorCrashedError(actor.path, fact.type, actor.crash.error);
    for (const { type, data } of actor.emitted.splice(0)) {
      this.#actors.check?.(type, currentSchemaVersion(type), data);
      const text = JSON.stringify(data);
      const decided = { type, data: JSON.parse(text) as unknown, actor: actor.path, causation: fact.version };
      facts.push(this.#fact(decided, "decision", text, fact.at));
    }
  }

  /** Gives a fact its version and correlation, and moves the slots on. */
  #fact(
    { type, data, actor, causation }: Omit<CascadeInput, "text" | "at">,
    kind: "input" | "decision",
    text: string,
    at: number,
  ): UnitFact {
    this.#version += 1;
    const version = this.#version;
    const rule = catalogue[type];
    const correlation = this.#correlation;
    if (rule.run === "closes") this.#correlation = null;
    for (const slot of rule.settles ?? []) this.#slots.delete(slotName(slot, data));
    if (rule.opens !== undefined) this.#slots.set(slotName(rule.opens, data), version);
    return {
      version,
      type,
      schemaVersion: rule.schemaVersion,
      at,
      actor,
      causation,
      correlation,
      kind,
      data,
      text,
    };
  }
}

/** The open slot at `version` that lets an outcome of this type in, or `null`: then it comes too late. */
export function admittingSlot(
  slots: ReadonlyMap<string, number>,
  type: FactType,
  data: unknown,
  causation: number | null,
): string | null {
  const rule: FactRule = catalogue[type];
  const kept = rule.belongsTo ?? rule.mayBelongTo;
  const kinds = kept === undefined ? (rule.settles ?? []) : [kept];
  for (const kind of kinds) {
    const slot = slotName(kind, data);
    const version = slots.get(slot);
    if (version !== undefined && version === causation) return slot;
  }
  return null;
}

/** True for an input that is taken only while a slot is open. */
export function needsSlot(type: FactType, causation: number | null): boolean {
  const rule: FactRule = catalogue[type];
  if (rule.mayBelongTo !== undefined) return causation !== null;
  return rule.belongsTo !== undefined || (rule.kind !== "decision" && rule.settles !== undefined);
}

function startActor(logic: AnyActorLogic, path: string, snapshot?: unknown): LiveActor {
  // The snapshot is one that this logic made; XState's type for it can't be known here.
  const ref = createActor(logic, snapshot === undefined ? {} : { snapshot: snapshot as never });
  const live: LiveActor = { path, ref, emitted: [], crash: null };
  // Only pushes: what throws in a listener of XState surfaces later and elsewhere.
  ref.on("*", (decision: unknown) => live.emitted.push(decision as Decision));
  // Without an observer of errors XState rethrows them outside of any call and the process dies.
  ref.subscribe({ error: (error: unknown) => (live.crash = { error }) });
  ref.start();
  return live;
}
