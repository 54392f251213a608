/** What each line of a bundle must look like, and nothing else. */
import { z } from "zod";
import { isSessionId } from "../../harness/index.ts";
import { InvalidBundleError } from "./errors.ts";
import type { BundleHeader, BundleLine } from "./format.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();
/** Well-formed text that is not empty and has no U+0000, as the log demands it. */
const name = z
  .string()
  .refine((text) => text !== "" && text.isWellFormed() && !text.includes("\0"), "a name");
/** Streams of other kinds belong to folders, days and runtimes, not to sessions. */
const stream = name.refine(
  (text) =>
    (text.startsWith("session-") && isSessionId(text.slice("session-".length))) ||
    /^(?:background|extensions)-[\w-]{1,256}$/.test(text),
  "the stream of a session, of a background run or of loaded extensions",
);

/** First of all which version it is: what follows may be otherwise in another. */
export const bundleMark = z.looseObject({ lemonBundle: z.int().positive() });

const header: z.ZodType<BundleHeader> = z.strictObject({
  lemonBundle: z.int().positive(),
  sessionId: z.string().refine(isSessionId, "the id of a session"),
  isRedacted: z.boolean(),
  writtenBy: z.string().max(100),
  extensions: z.array(digest),
  streams: z.array(z.strictObject({ stream, facts: z.int().positive() })).min(1),
  blobs: count,
});

const line: z.ZodType<BundleLine> = z.discriminatedUnion("record", [
  z.strictObject({
    record: z.literal("fact"),
    stream,
    version: z.int().positive(),
    type: name,
    schemaVersion: z.int().positive(),
    at: z.int(),
    kind: z.enum(["input", "decision"]),
    actor: name,
    causation: z.int().positive().nullable(),
    correlation: name.nullable(),
    hash: digest,
    text: z
      .string()
      .refine((text) => text.isWellFormed(), "well-formed text")
      .optional(),
    sha256: digest.optional(),
  }),
  z.strictObject({
    record: z.literal("blob"),
    sha256: digest,
    sizeBytes: count,
    offset: count,
    base64: z.string(),
  }),
  z.strictObject({ record: z.literal("end"), lines: count, sha256: digest }),
]);

/** @throws InvalidBundleError */
export function parseHeader(value: unknown): BundleHeader {
  return parsed(header, value, 1);
}

/** @throws InvalidBundleError */
export function parseLine(value: unknown, number: number): BundleLine {
  return parsed(line, value, number);
}

function parsed<Shape>(shape: z.ZodType<Shape>, value: unknown, number: number): Shape {
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new InvalidBundleError(`${where}${issue?.message ?? "not what stands there"}`, number);
}
