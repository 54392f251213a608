/** Blame of random histories agrees with a fold that is written here, line by line, without any diff. */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import { blame } from "../../src/replay/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { rounds } from "../support/soak.ts";

/** What somebody does to the file: lines put in, taken away or exchanged, by place. */
interface Edit {
  readonly by: "call" | "hand";
  readonly session: 0 | 1;
  readonly changes: readonly { readonly at: number; readonly remove: number; readonly insert: number }[];
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    by: fc.constantFrom<Edit["by"][]>("call", "call", "call", "hand"),
    session: fc.constantFrom<Edit["session"][]>(0, 1),
    changes: fc.array(fc.record({ at: fc.nat(200), remove: fc.nat(4), insert: fc.nat(5) }), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  { minLength: 1, maxLength: 12 },
);

type Line = { readonly text: string; readonly owner: string };

/** No line is like another, so there is one way only in which a diff can see a change. */
function applied(lines: readonly Line[], { changes }: Edit, owner: string, fresh: () => string): Line[] {
  const next = [...lines];
  for (const { at, remove, insert } of changes) {
    const made = Array.from({ length: insert }, () => ({ text: fresh(), owner }));
    next.splice(at % (next.length + 1), remove, ...made);
  }
  return next;
}

test("blame of every line agrees with a brute-force fold over the edits", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(100), edits, fc.boolean(), async (before, history, crlf) => {
      const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "lemon-blame-")));
      const file = path.join(folder, "file.txt");
      const log = await memoryLog();
      const end = crlf ? "\r\n" : "\n";
      let made = 0;
      const fresh = (): string => `line ${(made += 1)}`;
      let lines: Line[] = Array.from({ length: before }, () => ({ text: fresh(), owner: "before" }));
      let isThere = before > 0;
      let isTouched = false;
      for (const [index, edit] of history.entries()) {
        const bytes = bytesOf(lines, end);
        const owner = edit.by === "hand" ? (isTouched ? "outside" : "before") : `call_${index}`;
        lines = applied(lines, edit, owner, fresh);
        const after = bytesOf(lines, end);
        if (edit.by === "call") {
          const change = { path: file, before: isThere ? bytes : null, after };
          await write(log, `session-s${edit.session}`, `call_${index}`, change);
          isTouched = true;
        } else if (!isTouched && !isThere && lines.length === 0) continue;
        isThere = true;
      }
      // Bytes on disk that nobody touched have no history at all.
      if (!isTouched) lines = lines.map(({ text }) => ({ text, owner: "outside" }));
      writeFileSync(file, bytesOf(lines, end));
      const told = await blame(log, file);
      expect(told.map(({ text, origin, toolCallId }) => ({ text, owner: toolCallId ?? origin }))).toEqual(
        lines,
      );
      const one = fc.sample(fc.nat(Math.max(0, lines.length - 1)), 1)[0] ?? 0;
      if (lines.length > 0) expect(await blame(log, file, { line: one + 1 })).toEqual([told[one]]);
      await log.close();
    }),
    { numRuns: rounds(40, 300, 2_000) },
  );
});

function bytesOf(lines: readonly Line[], end: string): Buffer {
  return Buffer.from(lines.map(({ text }) => text + end).join(""));
}

interface Change {
  readonly path: string;
  readonly before: Buffer | null;
  readonly after: Buffer;
}

/** A call's receipt, with the bytes that it found and left. */
async function write(
  log: EventLog,
  stream: string,
  callId: string,
  { path: place, before, after }: Change,
): Promise<void> {
  for (const bytes of [before, after]) if (bytes !== null) await log.putBlob(bytes);
  const digest = (bytes: Buffer | null): string | null =>
    bytes === null ? null : createHash("sha256").update(bytes).digest("hex");
  const file = {
    path: place,
    change: before === null ? "created" : "modified",
    beforeSha256: digest(before),
    afterSha256: digest(after),
    beforeMode: before === null ? null : 0o644,
    afterMode: 0o644,
    code: null,
  };
  const receipt = {
    action: "write",
    outcome: "applied",
    success: true,
    checkpointId: null,
    checkpointIds: [],
    checkpointKind: null,
    affectedPaths: [place],
    changedPaths: [place],
    writtenPaths: [place],
    createdDirs: [],
    files: [file],
    coverage: "full",
    coverageReasons: [],
    overlappingCallIds: [],
  };
  const data = {
    callId,
    isError: false,
    errorType: null,
    isThrown: false,
    content: [],
    details: null,
    trust: "trusted",
    receipt,
  };
  const fact = {
    type: "tool_call.returned",
    data,
    kind: "input",
    actor: "caller",
    causation: null,
    correlation: null,
  } as const;
  await log.append(stream, "any", [fact]);
}
