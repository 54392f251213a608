/** Divergences in the terms of whoever reads them: of which kind, which leaves differ, what led there, and a sentence. */
import type { FedDivergence } from "../actors/feed.ts";
import type { UnitFact } from "../actors/cascade.ts";
import type { StoredFact } from "../log/index.ts";
import type { ChainFault } from "./chain.ts";
import type { Divergence, DivergenceKind } from "./divergence.ts";
import { leafDifferences } from "./leaf-differences.ts";
import type { UnknownCode } from "./loaded-extensions.ts";
import type { Restored } from "./restored.ts";

type Place = Pick<Divergence, "position" | "version">;

/** What the machines found. @param unit - the input that they had taken, and what they decide upon it */
export function explainDecision(found: FedDivergence, unit: readonly UnitFact[]): Divergence {
  const { position, version, expected, actual } = found;
  const input = unit[0];
  const cause = found.kind === "crashed" ? version : (input?.version ?? null);
  const differences = leafDifferences(expected, actual);
  const paths = differences.map(({ path }) => path);
  const kind = kindOfDecision(found, unit, paths);
  const said = sentences[kind];
  const because =
    input === undefined || cause === null
      ? ""
      : `; what is decided here follows from ${input.type} at version ${cause}`;
  const where =
    paths.length === 0 || expected === null || actual === null ? "" : ` (${paths.slice(0, 3).join(", ")})`;
  return {
    position,
    version,
    kind,
    expected,
    actual,
    differences,
    cause,
    explanation: `${said}${where}${because}`,
  };
}

function kindOfDecision(
  { kind, expected, actual }: FedDivergence,
  unit: readonly UnitFact[],
  paths: readonly string[],
): DivergenceKind {
  if (kind === "crashed") return kind;
  const isClock = paths.length > 0 && paths.every((path) => path === "/at");
  if (kind === "decision_changed" && isClock) return "clock_changed";
  // `shown` of the feed made both.
  const [was, now] = [expected as Shown | null, actual as Shown | null];
  if (kind !== "decision_missing" && was !== null && isElsewhere(was, unit)) return "order_changed";
  const input = unit[0];
  const isVerdict = input?.type === "hook.answered" && (now ?? was)?.causation === input.version;
  return isVerdict ? "hook_verdict_changed" : kind;
}

interface Shown {
  readonly type: string;
  readonly version: number;
  readonly actor: string;
  readonly causation: number | null;
  readonly data: unknown;
}

/** Whether it is decided too, only not here. */
function isElsewhere({ type, version, actor, data }: Shown, unit: readonly UnitFact[]): boolean {
  const text = JSON.stringify(data);
  return unit.some(
    (fact) => fact.version !== version && fact.type === type && fact.actor === actor && fact.text === text,
  );
}

/** A fact that is not what was written there. */
export function explainFault(
  stored: StoredFact,
  fault: ChainFault,
  found: Restored,
  cause: number | null,
): Divergence {
  const { position, version } = stored;
  const actual = shownText(stored);
  const place = { position, version };
  if (fault.is === "out_of_order") {
    const expected = { version: version - fault.own.version + fault.before.version + 1 };
    return divergence(place, "order_changed", expected, { version }, cause);
  }
  switch (found.is) {
    case "hash":
      return divergence(place, "hash_changed", { hash: found.hash }, { hash: stored.hash }, cause);
    case "moved":
      return divergence(
        place,
        "order_changed",
        { ...actual, version: version - fault.own.version + found.version },
        actual,
        cause,
      );
    case "changed": {
      const before = shownText({ ...found.fact, version, causation: shiftedBack(stored, fault, found.fact) });
      return divergence(place, kindOfChange(found.fact, before, actual), before, actual, cause);
    }
    case "unknown":
      return divergence(
        place,
        kindOfContent(stored),
        { hash: stored.hash },
        { ...actual, hash: null },
        cause,
        "its text as it was can't be known, only that it was another",
      );
  }
}

function shiftedBack(stored: StoredFact, { own }: ChainFault, { causation }: StoredFact): number | null {
  return causation === null ? null : causation - own.version + stored.version;
}

/** The request of a model, rebuilt, is another than the one that it answered. */
export function explainPrompt(
  place: Place & { readonly type: string },
  expected: string,
  actual: string,
  messages: readonly { readonly index: number; readonly version: number }[],
): Divergence {
  const { position, version, type } = place;
  const shown = (requestSha256: string): unknown => ({ version, type, requestSha256 });
  const suspects = messages.map(({ index, version: at }) => `message ${index} (version ${at})`).join(", ");
  const why =
    messages.length === 0
      ? "the system prompt, or how a request is built, is another"
      : `what the model was sent before it is as it was; new since are ${suspects}`;
  const first = messages[0]?.version ?? null;
  return divergence({ position, version }, "prompt_changed", shown(expected), shown(actual), first, why);
}

/** An extension that was not loaded in that version. */
export function explainExtension(
  { position, version, type }: Place & { readonly type: string },
  { module, member, said, loaded }: UnknownCode,
): Divergence {
  const why = `${type} names another ${member} of ${module} than any that was loaded`;
  const known = loaded.at(-1) ?? null;
  return divergence(
    { position, version },
    "extension_changed",
    { module, [member]: known },
    { module, [member]: said },
    null,
    why,
  );
}

/** Data that is no JSON any more, in a chain that says it is what was written. */
export function explainUnreadable({ position, version, kind, text }: StoredFact): Divergence {
  const actual = { text: text.slice(0, 200) };
  const what = kind === "decision" ? "decision_changed" : "input_changed";
  return divergence({ position, version }, what, null, actual, null, "its data is no JSON");
}

function divergence(
  place: Place,
  kind: DivergenceKind,
  expected: unknown,
  actual: unknown,
  cause: number | null,
  why?: string,
): Divergence {
  const differences = leafDifferences(expected, actual).filter(({ path }) => isKnown(expected, path));
  const where = differences.map(({ path }) => path).slice(0, 3);
  const told = why ?? (where.length === 0 ? "" : `it differs at ${where.join(", ")}`);
  const explanation = told === "" ? sentences[kind] : `${sentences[kind]}: ${told}`;
  return { ...place, kind, expected, actual, differences, cause, explanation };
}

/** Of a fact whose old text is not known, the hash alone is compared. */
function isKnown(expected: unknown, path: string): boolean {
  const isHashAlone =
    typeof expected === "object" && expected !== null && Object.keys(expected).join() === "hash";
  return !isHashAlone || path === "/hash";
}

/** What a fact is about, when nothing is known of what it was. */
function kindOfContent({ type, kind }: StoredFact): DivergenceKind {
  if (type === "hook.answered" || type === "hook.failed") return "hook_verdict_changed";
  if (type === "extension_status_report.published") return "extension_changed";
  if (prompts.has(type)) return "prompt_changed";
  return kind === "decision" ? "decision_changed" : "input_changed";
}

function kindOfChange(was: StoredFact, before: unknown, now: unknown): DivergenceKind {
  const paths = leafDifferences(before, now).map(({ path }) => path);
  if (paths.every((path) => path === "/at")) return "clock_changed";
  if (paths.every((path) => path === "/data/requestSha256")) return "prompt_changed";
  if (was.type === "hook.answered" && paths.every((path) => /^\/data\/answers\/\d+\/sha256$/.test(path)))
    return "extension_changed";
  return kindOfContent(was);
}

/** What people and hooks gave for the model to read. */
const prompts: ReadonlySet<string> = new Set([
  "session.started",
  "session.forked",
  "prompt.submitted",
  "steer.submitted",
  "follow_up.submitted",
  "message.appended",
  "hook_context.appended",
]);

function shownText({ version, type, at, kind, actor, causation, correlation, text }: StoredFact): object {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = text; // It is shown, and nothing is concluded from it.
  }
  return { version, type, at, kind, actor, causation, correlation, data };
}

const sentences: Readonly<Record<DivergenceKind, string>> = {
  prompt_changed: "a prompt, or what the model is sent, is another",
  decision_changed: "the log and the machines differ",
  decision_missing: "a decision is taken now that the log does not hold",
  decision_extra: "the log holds a decision that is not taken now",
  hook_verdict_changed: "what hooks answered, or what the log says follows from it, is another",
  extension_changed: "an extension is named in another version",
  input_changed: "an input is not the one that was recorded",
  order_changed: "facts stand in another order, or one is gone",
  clock_changed: "a fact has another time",
  hash_changed: "the hash is another and the fact is not",
  crashed: "an actor crashes on this input now",
};
