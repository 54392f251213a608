/**
 * A fact as it was recorded, found again by its hash: of a fact that was changed in one place, whatever gives the recorded hash in
 * that place is what was there. Nothing is guessed: what can't be proved stays unknown.
 */
import { catalogue } from "../events/index.ts";
import { GENESIS, type EventLog, type StoredFact } from "../log/index.ts";
import { hashOf, type Before } from "./chain.ts";

/** Versions on both sides that are looked at. */
const WINDOW = 16;
/** Milliseconds, each tried, beyond the times of the neighbours. */
const CLOCK_MS = 1_000;
const MAX_CLOCK_TRIES = 100_000;
/** Causes that are tried, the nearest first. */
const MAX_CAUSES = 2_000;

/** What was found out about a fact whose hash is not its own. */
export type Restored =
  /** The hash was changed, and the fact was not. */
  | { readonly is: "hash"; readonly hash: string }
  /** The fact was moved here, with its hash. */
  | { readonly is: "moved"; readonly version: number }
  /** One member of its envelope, or its data, was another. */
  | { readonly is: "changed"; readonly fact: StoredFact }
  | { readonly is: "unknown" };

/** Other texts that the data may have had. */
export type Texts = Iterable<string>;

/** @param texts - tried last */
export async function restored(
  log: Pick<EventLog, "readStored">,
  fact: StoredFact,
  before: Before,
  texts: Texts,
): Promise<Restored> {
  const near = await neighbours(log, fact);
  const computed = hashOf(before.hash, fact);
  const next = near.find(({ version }) => version === fact.version + 1);
  if (next !== undefined && hashOf(computed, next) === next.hash) return { is: "hash", hash: computed };
  const fits = (candidate: StoredFact): boolean => hashOf(before.hash, candidate) === fact.hash;
  for (const text of texts) {
    const candidate = { ...fact, text };
    if (fits(candidate)) return { is: "changed", fact: candidate };
  }
  const moved = movedFrom(fact, near);
  if (moved !== null) return { is: "moved", version: moved };
  for (const members of envelopes(fact, near)) {
    const candidate = { ...fact, ...members };
    if (fits(candidate)) return { is: "changed", fact: candidate };
  }
  return { is: "unknown" };
}

async function neighbours(
  log: Pick<EventLog, "readStored">,
  { stream, version }: StoredFact,
): Promise<StoredFact[]> {
  const found: StoredFact[] = [];
  const range = { from: Math.max(1, version - WINDOW), to: version + WINDOW };
  for await (const page of log.readStored(stream, range)) found.push(...page);
  return found;
}

/** The version that it had behind one of its neighbours; `null` for none. */
function movedFrom(fact: StoredFact, near: readonly StoredFact[]): number | null {
  for (const { hash } of [{ hash: GENESIS }, ...near]) {
    for (let version = Math.max(1, fact.version - WINDOW); version <= fact.version + WINDOW; version += 1) {
      if (version !== fact.version && hashOf(hash, { ...fact, version }) === fact.hash) return version;
    }
  }
  return null;
}

function* envelopes(fact: StoredFact, near: readonly StoredFact[]): Iterable<Partial<StoredFact>> {
  for (const at of times(fact, near)) yield { at };
  for (const kind of ["input", "decision"] as const) yield { kind };
  for (const actor of new Set(["caller", "recovery", ...near.map((other) => other.actor)])) yield { actor };
  for (const correlation of new Set([null, ...near.map((other) => other.correlation)])) yield { correlation };
  for (let schemaVersion = 1; schemaVersion <= 9; schemaVersion += 1) yield { schemaVersion };
  for (const type of Object.keys(catalogue)) yield { type };
  yield { causation: null };
  const oldest = Math.max(1, fact.version - MAX_CAUSES);
  for (let causation = fact.version; causation >= oldest; causation -= 1) yield { causation };
}

/** Those of its neighbours, then every millisecond around them. */
function* times(fact: StoredFact, near: readonly StoredFact[]): Iterable<number> {
  const known = near.filter(({ version }) => version !== fact.version).map(({ at }) => at);
  yield* new Set(known);
  const closest = near.filter(({ version }) => Math.abs(version - fact.version) === 1).map(({ at }) => at);
  if (closest.length === 0) return;
  const from = Math.min(...closest) - CLOCK_MS;
  const to = Math.min(Math.max(...closest) + CLOCK_MS, from + MAX_CLOCK_TRIES);
  for (let at = from; at <= to; at += 1) yield at;
}
