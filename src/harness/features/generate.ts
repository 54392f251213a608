/** From a prompt to features: what the model is asked, and how its answer is read. docs/reference/features.md, "Generating" */
import { UNTITLED, type Feature, type FeatureDocument, type FeaturePriority } from "./document.ts";
import { FeatureError } from "./errors.ts";
import { parseJson } from "./text.ts";

/** How the model is asked. */
export const generation = {
  temperature: 0.3,
  maxOutputTokens: 4_000,
  timeoutMs: 120_000,
  defaultFeatures: 50,
  maxFeatures: 200,
} as const;

/** Features made of a prompt, which are saved nowhere yet. */
export interface GeneratedFeatures {
  readonly document: FeatureDocument;
  /** How many were beyond `maxFeatures`. */
  readonly dropped: number;
  /** Ids that an earlier feature had, and what took their place. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

/** The system text of the one request. */
export function systemPrompt(maxFeatures: number): string {
  return `You turn a project's description into a list of features that a coding agent builds one by one.

Answer with one JSON object and nothing else:

{
  "project_name": "a short name",
  "features": [
    {
      "id": "feature-1",
      "description": "what is built, in one or two sentences",
      "dependencies": ["ids of features that must be completed first"],
      "priority": "high, medium or low",
      "acceptance_criteria": ["what can be checked when it is done"]
    }
  ]
}

At most ${maxFeatures} features, each small enough to be built and tested by itself, in the order in which they are best
built. Each id once. Dependencies name ids of this list and never form a circle. Cover the whole description, and add
nothing that it does not ask for.`;
}

/**
 * Reads the model's answer: the first fence tagged `json`, else the first fence without a tag, else all of it.
 *
 * @param createdAt - ISO 8601, for the document and every feature
 * @throws JsonDecodeError, FeatureError `invalid_requirements`
 */
export async function readAnswer(
  answer: string,
  { prompt, createdAt, maxFeatures }: { prompt: string; createdAt: string; maxFeatures: number },
): Promise<GeneratedFeatures> {
  const root = await parseJson(fenced(answer), "the model's answer");
  if (!isObject(root)) throw invalid("", "an object");
  const given = root["features"];
  if (!Array.isArray(given)) throw invalid("/features", "an array");
  const kept = (given as readonly unknown[]).slice(0, maxFeatures).map((each, at) => {
    if (isObject(each)) return each;
    throw invalid(`/features/${at}`, "an object");
  });
  const { ids, renamed } = idsOf(kept.map(({ id }) => numberAsText(id)));
  const features = kept.map((feature, at): Feature => featureOf(ids[at] ?? "", feature, createdAt));
  const name = textOf(root["project_name"]);
  const document = {
    projectName: name.trim() === "" ? UNTITLED : name,
    originalPrompt: prompt,
    features,
    createdAt,
    version: "1.0",
  };
  return { document, dropped: given.length - kept.length, renamed };
}

type Entry = Readonly<Record<string, unknown>>;

function featureOf(id: string, feature: Entry, createdAt: string): Feature {
  return {
    id,
    description: textOf(feature["description"]),
    status: "pending",
    dependencies: textsOf(feature["dependencies"]),
    priority: priorityOf(feature["priority"]),
    acceptanceCriteria: textsOf(feature["acceptance_criteria"]),
    notes: textOf(feature["notes"]),
    createdAt,
    updatedAt: null,
  };
}

/** The first feature with an id keeps it. Ids that are missing or repeated become `feature-<n>`, the first n that is free. */
function idsOf(given: readonly unknown[]): { ids: string[]; renamed: { from: string; to: string }[] } {
  const isId = (id: unknown): id is string => typeof id === "string" && id.trim() !== "";
  const taken = new Set(given.filter(isId));
  const kept = new Set<string>();
  const renamed: { from: string; to: string }[] = [];
  let n = 1;
  const ids = given.map((id) => {
    if (isId(id) && !kept.has(id)) {
      kept.add(id);
      return id;
    }
    while (taken.has(`feature-${n}`)) n += 1;
    const to = `feature-${n}`;
    taken.add(to);
    if (isId(id)) renamed.push({ from: id, to });
    return to;
  });
  return { ids, renamed };
}

/**
 * A fence is a line that begins with three backticks; it ends at the next line of three or more, or, when the answer was
 * not finished, at the end.
 */
function fenced(answer: string): string {
  let untagged: string | null = null;
  const lines = answer.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const opening = /^ {0,3}(`{3,})\s*([^\s`]*)[^`]*$/.exec(lines[at] ?? "");
    if (opening === null) continue;
    const [, ticks = "", tag = ""] = opening;
    const rest = lines.slice(at + 1);
    const length = rest.findIndex((line) => line.trim().startsWith(ticks) && /^`+$/.test(line.trim()));
    const body = (length === -1 ? rest : rest.slice(0, length)).join("\n");
    if (tag.toLowerCase() === "json") return body;
    if (tag === "") untagged ??= body;
    at += length === -1 ? rest.length : length + 1;
  }
  return untagged ?? answer;
}

function invalid(field: string, expected: string): FeatureError {
  const where = field === "" ? "" : `${field}: `;
  const message = `the model's answer: ${where}expected ${expected}`;
  return new FeatureError("invalid_requirements", message, { field, expected });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Models number things, and then mean the number by its name. */
function numberAsText(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(numberAsText).filter((each) => typeof each === "string") : [];
}

function priorityOf(value: unknown): FeaturePriority {
  return value === "high" || value === "low" ? value : "medium";
}

function isObject(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
