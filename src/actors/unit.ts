/**
 * Takes waiting inputs, in mailbox order, and runs each to quiescence: what comes out is committed together.
 */
import { LemonError } from "../errors.ts";
import { catalogue, slotName, type FactRule, type FactType } from "../events/index.ts";
import type { Clock } from "../ports.ts";
import type { Masker } from "../secrets/index.ts";
import { admittingSlot, needsSlot, type Cascade, type UnitFact } from "./cascade.ts";
import { prepare, type FactCheck, type Prepared } from "./intake.ts";
import type { Envelope, Input, Mailbox } from "./mailbox.ts";

/** Facts of one commit, at most; the decisions of one input are never parted. */
const MAX_UNIT_FACTS = 256;
/** Inputs of one commit, at most. */
const MAX_UNIT_INPUTS = 32;

/** What a unit is made with. */
export interface UnitParts {
  readonly clock: Clock;
  readonly mask: Masker;
  readonly check: FactCheck;
  /** Why the root cannot take an input now. */
  readonly refuse: (type: FactType) => LemonError;
}

/** An input whose facts are in the unit. */
export interface Taken {
  readonly envelope: Envelope;
  readonly version: number;
  /** Its data before masking, when masking changed it. */
  readonly unmasked: unknown;
}

/** What commits together. */
export interface Unit {
  readonly facts: readonly UnitFact[];
  readonly taken: readonly Taken[];
  /** Inputs that cannot be recorded; the actors did not see them. */
  readonly unrecordable: readonly { readonly envelope: Envelope; readonly error: unknown }[];
  /** The input on which an actor crashed. The unit ends before it, and the actors are spoilt. */
  readonly poison: { readonly envelope: Envelope; readonly error: unknown } | null;
}

/** Empties the mailbox into a unit, up to its limits. Inputs that are not wanted any more are answered here. */
export function takeUnit(cascade: Cascade, mailbox: Mailbox, parts: UnitParts): Unit {
  const facts: UnitFact[] = [];
  const taken: Taken[] = [];
  const unrecordable: Unit["unrecordable"][number][] = [];
  while (facts.length < MAX_UNIT_FACTS && taken.length < MAX_UNIT_INPUTS) {
    const envelope = mailbox.shift();
    if (envelope === undefined) break;
    const input = admit(cascade, envelope, parts);
    if (input === null) continue;
    let prepared: Prepared;
    try {
      prepared = prepare(input, parts.clock.now(), parts.mask, parts.check);
    } catch (error) {
      unrecordable.push({ envelope, error });
      continue;
    }
    try {
      const version = cascade.version + 1;
      facts.push(...cascade.take(prepared.input));
      taken.push({ envelope, version, unmasked: prepared.unmasked });
    } catch (error) {
      return { facts, taken, unrecordable, poison: { envelope, error } };
    }
  }
  return { facts, taken, unrecordable, poison: null };
}

/** The input with its cause filled in, when it is still wanted; else it is answered here and `null` comes back. */
function admit(cascade: Cascade, envelope: Envelope, parts: UnitParts): Input | null {
  const { input } = envelope;
  if (!needsSlot(input.type)) {
    const rule: FactRule = catalogue[input.type];
    if (!rule.receivers.includes("root") || cascade.can(input.type, input.data)) return input;
    envelope.reject(parts.refuse(input.type));
    return null;
  }
  const causation = input.causation ?? openedAt(cascade, input);
  if (admittingSlot(cascade.slots, input.type, input.data, causation) !== null) return { ...input, causation };
  envelope.resolve(null);
  return null;
}

/** A caller names the call, not the version of the decision that waits for the answer. */
function openedAt(cascade: Cascade, input: Input): number | null {
  const rule: FactRule = catalogue[input.type];
  for (const kind of rule.settles ?? []) {
    const version = cascade.slots.get(slotName(kind, input.data));
    if (version !== undefined) return version;
  }
  return null;
}
