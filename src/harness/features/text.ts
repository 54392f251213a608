/** From the bytes of the file to a document, and back with as little changed as can be. */
import { isUtf8 } from "node:buffer";
import {
  documentMembers,
  featureMembers,
  readDocument,
  unknownMembers,
  type Feature,
  type FeatureDocument,
  type FeatureStatus,
} from "./document.ts";
import { FeatureError, JsonDecodeError } from "./errors.ts";
import {
  findFault,
  memberNamed,
  parseTree,
  printTree,
  treeOfValue,
  withMember,
  type JsonTree,
} from "./json-tree.ts";

/** What the file is called. */
export const FILE_NAME = "FEATURE_REQUIREMENTS.json";
/** The largest file that is read or written. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Deeper values could not be written again: writing goes one call down for each level. */
const MAX_DEPTH = 500;

/** The file as it was read. */
export interface ReadText {
  readonly text: string;
  readonly document: FeatureDocument;
}

/** @throws JsonDecodeError, FeatureError `invalid_requirements` */
export async function readText(bytes: Uint8Array): Promise<ReadText> {
  if (!isUtf8(bytes)) throw new JsonDecodeError(FILE_NAME, "invalid UTF-8", firstBadByte(bytes));
  const text = new TextDecoder().decode(bytes); // Without a byte order mark.
  return { text, document: readDocument(await parseJson(text, FILE_NAME), "file") };
}

/** @throws JsonDecodeError, FeatureError `invalid_requirements` for what is nested too deeply */
export async function parseJson(text: string, subject: string): Promise<unknown> {
  if (depthOf(text) > MAX_DEPTH) {
    throw new FeatureError("invalid_requirements", `${subject} is nested too deeply`, {
      field: "",
      expected: `at most ${MAX_DEPTH} levels`,
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What the engine says of it quotes the text.
    const { offset, what } = await findFault(text);
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    throw new JsonDecodeError(subject, what, { line, column: offset - before.lastIndexOf("\n") });
  }
}

function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  const shown = Buffer.from(lines[at] ?? "", "latin1").toString("utf8");
  return { line: at + 1, column: shown.indexOf("\u{fffd}") + 1 };
}

/** The deepest nesting of brackets outside strings, of what may be no JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (isString) {
      if (char === "\\") at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "[" || char === "{") deepest = Math.max(deepest, (depth += 1));
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
}

/** A document that a program gives, checked. @throws FeatureError `invalid_requirements` */
export async function readGiven(document: unknown): Promise<FeatureDocument> {
  let text: string | undefined;
  try {
    text = JSON.stringify(document) as string | undefined;
  } catch (cause) {
    const expected = "a document that can be written as JSON";
    throw new FeatureError("invalid_requirements", `the root: expected ${expected}`, {
      field: "",
      expected,
      cause,
    });
  }
  return readDocument(text === undefined ? undefined : await parseJson(text, "the document"), "program");
}

/** A change of one feature, or of all that share its id. */
export interface StatusChange {
  readonly id: string;
  readonly status: FeatureStatus;
  /** `undefined` keeps the old ones. */
  readonly notes: string | undefined;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** The text with the change made and all else as it is, laid out anew. */
export async function withStatus({ text, document }: ReadText, change: StatusChange): Promise<Uint8Array> {
  const root = await parseTree(text);
  const features = itemsOf(memberNamed(root, "features")).map((feature, at) => {
    if (document.features[at]?.id !== change.id) return feature;
    const changed = withMember(feature, "status", treeOfValue(change.status));
    const dated = withMember(changed, "updated_at", treeOfValue(change.updatedAt));
    return change.notes === undefined ? dated : withMember(dated, "notes", treeOfValue(change.notes));
  });
  return bytesOf(withMember(root, "features", { kind: "array", items: features }));
}

/**
 * The document as a file. What the file has beyond it stays: members that are not known, of features under the same id
 * too, and the order of members.
 *
 * @param base - the file that is replaced
 */
export async function withDocument(document: FeatureDocument, base: ReadText | null): Promise<Uint8Array> {
  const root = base === null ? emptyObject : await parseTree(base.text);
  const before = new Map<string, JsonTree[]>();
  const trees = itemsOf(memberNamed(root, "features"));
  for (const [at, { id }] of (base?.document.features ?? []).entries()) {
    const known = before.get(id);
    const tree = trees[at] ?? emptyObject;
    if (known === undefined) before.set(id, [tree]);
    else known.push(tree);
  }
  const features = document.features.map((feature: Feature) =>
    laid(before.get(feature.id)?.shift() ?? emptyObject, feature, featureMembers),
  );
  return bytesOf(
    withMember(laid(root, document, documentMembers), "features", { kind: "array", items: features }),
  );
}

const emptyObject: JsonTree = { kind: "object", members: [] };

function laid(base: JsonTree, value: object, members: typeof documentMembers): JsonTree {
  const given = value as Readonly<Record<string, unknown>>;
  // The list of features is laid member by member; here it only gets its place.
  const known = members.map(({ program, file }): [string, unknown] => [
    file,
    file === "features" ? [] : given[program],
  ]);
  let tree = base;
  for (const [name, each] of [...known, ...unknownMembers(value, members)])
    if (each !== undefined) tree = withUnlessSame(tree, name, each);
  return tree;
}

/** A value that did not change keeps its spelling. */
function withUnlessSame(tree: JsonTree, name: string, value: unknown): JsonTree {
  const before = memberNamed(tree, name);
  const fresh = treeOfValue(value);
  if (before !== undefined && sameValue(before, fresh)) return tree;
  return withMember(tree, name, fresh);
}

function sameValue(before: JsonTree, fresh: JsonTree): boolean {
  const compact = (tree: JsonTree): string => JSON.stringify(JSON.parse(printTree(tree)));
  return compact(before) === compact(fresh);
}

function itemsOf(tree: JsonTree | undefined): readonly JsonTree[] {
  return tree?.kind === "array" ? tree.items : [];
}

/** @throws FeatureError `file_too_large` for what could not be read again */
function bytesOf(tree: JsonTree): Uint8Array {
  const bytes = Buffer.from(`${printTree(tree)}\n`);
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(bytes.length);
  return bytes;
}

/** The error for a file beyond the limit. */
export function tooLarge(bytes: number): FeatureError {
  return new FeatureError("file_too_large", `${FILE_NAME} has ${bytes} bytes: at most ${MAX_FILE_BYTES}`, {
    expected: `at most ${MAX_FILE_BYTES} bytes`,
    got: String(bytes),
  });
}
