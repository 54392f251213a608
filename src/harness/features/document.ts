/** Feature requirements: their shape, what is filled in, and what is refused. docs/reference/features.md, "The file" */
import { dependencyProblems, percentage, type DependencyProblem } from "../../projections/index.ts";
import { FeatureError } from "./errors.ts";

/** The words for a status. Any may follow any other. */
export const featureStatuses = ["pending", "in_progress", "completed", "failed"] as const;
/** How far a feature is. */
export type FeatureStatus = (typeof featureStatuses)[number];

const priorities = ["high", "medium", "low"] as const;
/** Which features come first. */
export type FeaturePriority = (typeof priorities)[number];

/** One feature. Times are ISO 8601, UTC. Members of the file that are not known stand beside these, under their own names. */
export interface Feature {
  /** Not blank. Several features may have the same. */
  readonly id: string;
  readonly description: string;
  readonly status: FeatureStatus;
  /** Ids of features. */
  readonly dependencies: readonly string[];
  readonly priority: FeaturePriority;
  readonly acceptanceCriteria: readonly string[];
  readonly notes: string;
  readonly createdAt: string;
  /** When its status was last set; `null` for never. */
  readonly updatedAt: string | null;
}

/** All of a project's features. */
export interface FeatureDocument {
  readonly projectName: string;
  readonly originalPrompt: string;
  readonly features: readonly Feature[];
  readonly createdAt: string;
  readonly version: string;
}

/** A document as it may be given: what has a default may be left out. */
export type FeatureDocumentInput = Partial<Omit<FeatureDocument, "features">> & {
  readonly features: readonly (Partial<Feature> & Pick<Feature, "id">)[];
};

/** How far a document is. Failed features count in the total, and are never done. */
export interface FeatureProgress {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly inProgress: number;
  readonly pending: number;
  /** `floor(100 * completed / total)`, 0 without features. */
  readonly percentage: number;
  readonly projectName: string;
}

/** Features in one file. */
const MAX_FEATURES = 10_000;
/** What a project is called that has no name. */
export const UNTITLED = "Untitled Project";

/** How names are spelt: as in the file, or as a program has them. */
export type Spelling = "file" | "program";

type Entry = Readonly<Record<string, unknown>>;

interface Member {
  readonly program: string;
  readonly file: string;
  /** What it is when it is left out; without this it may not be. */
  readonly absent?: unknown;
  readonly expected: string;
  readonly isRight: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === "string";
const text = { expected: "a string", isRight: isText, absent: "" };
const texts = {
  expected: "an array of strings",
  isRight: (value: unknown) => Array.isArray(value) && value.every(isText),
  absent: [],
};
const wordOf = (words: readonly string[], absent: string) => ({
  expected: words.join(", "),
  isRight: (value: unknown) => typeof value === "string" && words.includes(value),
  absent,
});
const list = {
  expected: `an array of at most ${MAX_FEATURES} features`,
  isRight: (value: unknown) => Array.isArray(value) && value.length <= MAX_FEATURES,
};
const nonBlank = {
  expected: "a string that is not blank",
  isRight: (value: unknown) => typeof value === "string" && value.trim() !== "",
};
const textOrNull = {
  expected: "a string or null",
  isRight: (value: unknown) => value === null || isText(value),
  absent: null,
};

/** In the order in which a new file has them. */
export const documentMembers: readonly Member[] = [
  { program: "projectName", file: "project_name", ...text, absent: UNTITLED },
  { program: "originalPrompt", file: "original_prompt", ...text },
  { program: "features", file: "features", ...list },
  { program: "createdAt", file: "created_at", ...text },
  { program: "version", file: "version", ...text, absent: "1.0" },
];

/** The same of a feature. */
export const featureMembers: readonly Member[] = [
  { program: "id", file: "id", ...nonBlank },
  { program: "description", file: "description", ...text },
  { program: "status", file: "status", ...wordOf(featureStatuses, "pending") },
  { program: "dependencies", file: "dependencies", ...texts },
  { program: "priority", file: "priority", ...wordOf(priorities, "medium") },
  { program: "acceptanceCriteria", file: "acceptance_criteria", ...texts },
  { program: "notes", file: "notes", ...text },
  { program: "createdAt", file: "created_at", ...text },
  { program: "updatedAt", file: "updated_at", ...textOrNull },
];

/**
 * Checks a document and fills in what it leaves out. Members that are not known are kept.
 *
 * @param value - JSON
 * @throws FeatureError `invalid_requirements`; `field` is the JSON Pointer of the first fault
 */
export function readDocument(value: unknown, spelling: Spelling): FeatureDocument {
  const document = readMembers(value, documentMembers, spelling, "");
  const features = (document["features"] as readonly unknown[]).map((feature, at) =>
    readMembers(feature, featureMembers, spelling, `/features/${at}`),
  );
  // Every member was read by the rule of its name.
  return { ...document, features } as unknown as FeatureDocument;
}

function readMembers(value: unknown, members: readonly Member[], spelling: Spelling, at: string): Entry {
  if (!isObject(value)) refuse(at, "an object", value);
  const known = members.map((member): [string, unknown] => {
    const given = Object.hasOwn(value, member[spelling]) ? value[member[spelling]] : undefined;
    const read = given === undefined ? member.absent : given;
    if (!member.isRight(read)) refuse(`${at}/${member[spelling]}`, member.expected, given);
    return [member.program, read];
  });
  return Object.fromEntries([...unknownMembers(value, members), ...known]);
}

/** Members that are known under neither spelling. A name that is taken by the other spelling stays in the file alone. */
export function unknownMembers(value: object, members: readonly Member[]): [string, unknown][] {
  return Object.entries(value).filter(
    ([key]) => !members.some(({ file, program }) => key === file || key === program),
  );
}

function isObject(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(field: string, expected: string, value: unknown): never {
  const got = typeOf(value);
  const where = field === "" ? "the root" : field;
  throw new FeatureError("invalid_requirements", `${where}: expected ${expected}, got ${got}`, {
    field,
    expected,
    got,
  });
}

/** Never content: of a wrong word only that it is a string. */
function typeOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? `an array of ${value.length}` : typeof value;
}

/** How far a document is. */
export function progressOf({ features, projectName }: FeatureDocument): FeatureProgress {
  const count = (wanted: FeatureStatus): number => features.filter(({ status }) => status === wanted).length;
  const [total, completed] = [features.length, count("completed")];
  return {
    total,
    completed,
    failed: count("failed"),
    inProgress: count("in_progress"),
    pending: count("pending"),
    percentage: percentage(completed, total),
    projectName,
  };
}

/** What is wrong with ids and dependencies, in the order of the file. */
export function problemsOf({ features }: FeatureDocument): DependencyProblem[] {
  return dependencyProblems(features);
}
