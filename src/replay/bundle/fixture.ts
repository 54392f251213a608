/** A test that replays a session, for the project of whoever has it: plain vitest, and nothing but public names. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { upcast, type FactOf } from "../../events/index.ts";
import { historyOf, type EventLog } from "../../log/index.ts";
import { requireWhole } from "../session-list.ts";
import { viewsAt } from "../state-at.ts";
import { exportBundle } from "./export.ts";

const LINE_CHARS = 100;

/** How a call ended: the name of its tool, and the last word of the fact. */
type EndOfCall = readonly [tool: string, end: string];

/**
 * The text of a vitest file that holds a session's bundle, replays it, and expects what became of it: its outcome, and its
 * calls with their ends. docs/reference/bundles.md, "Fixtures"
 *
 * @throws SessionNotFoundError, DataRedactedError
 */
export async function fixtureOf(log: EventLog, sessionId: string): Promise<string> {
  const { version } = await requireWhole(log, sessionId);
  const stream = `session-${sessionId}`;
  const { session } = await viewsAt(log, stream, version);
  const folder = await mkdtemp(path.join(tmpdir(), "lemon-fixture-"));
  try {
    const file = path.join(folder, "session.lemon");
    await exportBundle(log, sessionId, file);
    const bundle = (await readFile(file)).toString("base64");
    const { status, stopReason, text } = session.outcome ?? {};
    const outcome = session.outcome === null ? null : { status, stopReason, text };
    return textOf({ sessionId, bundle, outcome, calls: await endsOf(log, stream) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Ended = FactOf<"tool_call.completed" | "tool_call.blocked" | "tool_call.interrupted">;

async function endsOf(log: EventLog, stream: string): Promise<EndOfCall[]> {
  const types = ["tool_call.requested", "tool_call.completed", "tool_call.blocked", "tool_call.interrupted"];
  const names = new Map<string, string>();
  const ends: EndOfCall[] = [];
  for await (const fact of historyOf(log, stream, { types })) {
    const { type, data } = upcast(fact) as Ended | FactOf<"tool_call.requested">;
    if (type === "tool_call.requested") names.set(data.callId, data.name);
    else {
      const word =
        type === "tool_call.completed" && data.isError ? "failed" : type.slice("tool_call.".length);
      ends.push([names.get(data.callId) ?? "", word]);
    }
  }
  return ends;
}

interface FixtureParts {
  readonly sessionId: string;
  readonly bundle: string;
  readonly outcome: object | null;
  readonly calls: readonly EndOfCall[];
}

function textOf({ sessionId, bundle, outcome, calls }: FixtureParts): string {
  const lines = bundle.match(new RegExp(`.{1,${LINE_CHARS}}`, "g")) ?? [];
  return `/**
 * A recorded session: it must be decided again as it was. Made by \`lemon fixture\`; edit what is expected as you like.
 * When a test fails after an update of lemon-runtime, the update decides otherwise than the session was recorded.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { historyOf, openEventLog } from "lemon-runtime/log";
import { importBundle, stateAt, verifyReplay } from "lemon-runtime/replay";

const sessionId = ${literal(sessionId)};
const bundle = [
${lines.map((line) => `  "${line}",`).join("\n")}
];

const log = await openEventLog(":memory:");
afterAll(() => log.close());

const folder = mkdtempSync(join(tmpdir(), "lemon-fixture-"));
try {
  const file = join(folder, "session.lemon");
  writeFileSync(file, Buffer.from(bundle.join(""), "base64"));
  await importBundle(log, file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const stream = \`session-\${sessionId}\`;

test("it is decided again as it was recorded", async () => {
  const { divergences } = await verifyReplay(log, sessionId);
  expect(divergences).toEqual([]);
});

test("it ends as it did", async () => {
  const { session } = await stateAt(log, stream);
  ${
    outcome === null
      ? "expect(session.outcome).toBeNull();"
      : `expect(session.outcome).toMatchObject(${literal(outcome)});`
  }
});

test("its calls end as they did", async () => {
  const names = new Map();
  const ends = [];
  const types = ["tool_call.requested", "tool_call.completed", "tool_call.blocked", "tool_call.interrupted"];
  for await (const fact of historyOf(log, stream, { types })) {
    const data = Object(fact.data);
    if (fact.type === "tool_call.requested") names.set(data.callId, data.name);
    else {
      const end = fact.type === "tool_call.completed" && data.isError ? "failed" : fact.type.slice(10);
      ends.push([names.get(data.callId) ?? "", end]);
    }
  }
  expect(ends).toEqual(${literal(calls)});
});
`;
}

/** As JSON, which is JavaScript; nothing in it ends a line or a comment. */
function literal(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
