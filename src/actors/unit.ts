/**
 * Takes waiting inputs, in mailbox order, and runs each to quiescence: what comes out is committed together.
 */
import type { LemonError } from "../errors.ts";
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

/**
 * What becomes of an input. Nobody is told before the unit is durable: a refusal rests on what went before it in the
 * same unit, and if that cannot be recorded the input has to be judged again.
 */
export type Verdict =
  | {
      readonly kind: "taken";
      readonly version: number;
      /** Its data before masking, when masking changed it. */
      readonly unmasked: unknown;
    }
  /** Its slot is settled: it is dropped. */
  | { readonly kind: "late" }
  /** The root cannot take it now. */
  | { readonly kind: "refused"; readonly error: LemonError }
  /** It is no fact; the actors did not see it. */
  | { readonly kind: "unrecordable"; readonly error: unknown }
  /** An actor crashed on it: the unit ends before it, and the actors are spoilt. */
  | { readonly kind: "poison"; readonly error: unknown };

/** What commits together. */
export interface Unit {
  readonly facts: readonly UnitFact[];
  /** Every input that was looked at, in mailbox order. */
  readonly verdicts: readonly { readonly envelope: Envelope; readonly verdict: Verdict }[];
  /** The error of the poison, if the unit ended at one. */
  readonly crash: { readonly error: unknown } | null;
}

/** Empties the mailbox into a unit, up to its limits. */
export function takeUnit(cascade: Cascade, mailbox: Mailbox, parts: UnitParts): Unit {
  const facts: UnitFact[] = [];
  const verdicts: Unit["verdicts"][number][] = [];
  while (facts.length < MAX_UNIT_FACTS && verdicts.length < MAX_UNIT_INPUTS) {
    const envelope = mailbox.shift();
    if (envelope === undefined) break;
    const verdict = judge(cascade, envelope.input, facts, parts);
    verdicts.push({ envelope, verdict });
    if (verdict.kind === "poison") return { facts, verdicts, crash: { error: verdict.error } };
  }
  return { facts, verdicts, crash: null };
}

/** Decides about one input; when it is taken, its facts are added. */
function judge(cascade: Cascade, input: Input, facts: UnitFact[], parts: UnitParts): Verdict {
  const admitted = admit(cascade, input, parts);
  if ("kind" in admitted) return admitted;
  let prepared: Prepared;
  try {
    prepared = prepare(admitted, parts.clock.now(), parts.mask, parts.check);
  } catch (error) {
    return { kind: "unrecordable", error };
  }
  try {
    const version = cascade.version + 1;
    facts.push(...cascade.take(prepared.input));
    return { kind: "taken", version, unmasked: prepared.unmasked };
  } catch (error) {
    return { kind: "poison", error };
  }
}

/** The input with its cause filled in, when it is still wanted. */
function admit(cascade: Cascade, input: Input, parts: UnitParts): Input | Verdict {
  if (!needsSlot(input.type, input.causation)) {
    const rule: FactRule = catalogue[input.type];
    if (!rule.receivers.includes("root") || cascade.can(input.type, input.data)) return input;
    return { kind: "refused", error: parts.refuse(input.type) };
  }
  const causation = input.causation ?? openedAt(cascade, input);
  const slot = admittingSlot(cascade.slots, input.type, input.data, causation);
  return slot === null ? { kind: "late" } : { ...input, causation };
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
