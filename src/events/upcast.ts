/**
 * Old shapes of facts, read as the newest one. A fact in the log is never changed: it is translated when it is read.
 * Each old version has a log in test/fixtures/logs/ that must still replay.
 */
import { LemonError } from "../errors.ts";
import { catalogue, isKnownType } from "./catalogue.ts";
import type { Fact } from "./envelope.ts";

/** From the data of version n (the key) to that of version n + 1. */
type Upcaster = (data: never) => unknown;

/** Version 1 knew neither a choice of tools nor a policy. */
const withToolChoice = (data: object) => ({
  ...data,
  extensionPaths: null,
  disabled: [],
  enabledOnly: null,
  includeExtensions: true,
  toolPolicy: { allow: "all", deny: [], blockedTools: [], requireApproval: [], approvals: {} },
});

/** Version 2 did not say how much the model is to think. */
const withThinking = (data: object) => ({ ...data, thinkingLevel: null });

/** Until version 2 every session was one that somebody started for itself. */
const withLineage = (data: { readonly sessionId: string }) => ({
  ...withThinking(data),
  lineage: {
    origin: "session",
    sessionKey: `session:${data.sessionId}`,
    parentSessionId: null,
    parentSessionKey: null,
    agentId: null,
    depth: 0,
    ownSystemPrompt: false,
  },
});

/** Earlier versions did not look at what a call changed. */
const withoutReceipt = (data: object) => ({ ...data, receipt: null });

const upcasters: Readonly<Record<string, Readonly<Record<number, Upcaster>>>> = {
  "model.responded": {
    1: (data: { calls: readonly object[] }) => ({
      ...data,
      calls: data.calls.map((call) => ({ ...call, resultHooks: 0 })),
    }),
  },
  "model.requested": {
    1: (data: object) => ({ ...data, mode: "normal" }),
    2: (data: object) => ({ ...data, mayCompact: true }),
  },
  "model.failed": { 1: (data: object) => ({ ...data, compaction: null }) },
  "tool_call.requested": { 1: (data: object) => ({ ...data, resultHooks: 0, mode: "normal" }) },
  "tool_call.blocked": { 1: (data: object) => ({ ...data, context: null }) },
  // Version 1 knew fewer kinds of message.
  "message.appended": { 1: (data: object) => data },
  "approval.requested": { 1: (data: object) => ({ ...data, args: null }) },
  "tool_call.started": { 1: (data: object) => ({ ...data, args: null, mode: "normal" }) },
  "tool_call.returned": {
    1: (data: { errorType: string | null }) => ({ ...data, isThrown: data.errorType === "tool_exception" }),
    2: withoutReceipt,
  },
  "tool_call.interrupted": { 1: withoutReceipt },
  "session.started": { 1: withToolChoice, 2: withLineage },
  "session.configured": { 1: withToolChoice, 2: withThinking },
  "prompt.submitted": {
    // Version 1 held plain text; version 2 has content blocks, so that a prompt can carry images.
    1: (data: { runId: string; text: string }) => ({
      runId: data.runId,
      content: [{ type: "text", text: data.text }],
    }),
  },
};

/** A fact was written by a newer version of the runtime. Code `LEMON_SCHEMA_NEWER`. */
export class SchemaNewerError extends LemonError {
  constructor(type: string, found: number, known: number) {
    super(
      "schema_newer",
      `${type} has schema version ${found}, this version of lemon-runtime knows ${known}: use a newer lemon-runtime`,
      { field: "schemaVersion", expected: `at most ${known}`, got: String(found) },
    );
  }
}

/**
 * The fact with its data in the newest shape; the same object when it already has it or its type is unknown.
 *
 * @throws SchemaNewerError when the fact's schema version is newer than the catalogue's
 */
export function upcast(fact: Fact): Fact {
  if (!isKnownType(fact.type)) return fact;
  const newest = catalogue[fact.type].schemaVersion;
  if (fact.schemaVersion === newest) return fact;
  if (fact.schemaVersion > newest) throw new SchemaNewerError(fact.type, fact.schemaVersion, newest);
  // Its data was left out: there is nothing to translate.
  if (fact.redacted !== undefined) return fact;
  const steps = upcasters[fact.type];
  let data: unknown = fact.data;
  for (let version = fact.schemaVersion; version < newest; version += 1) {
    const step = steps?.[version];
    if (step === undefined) throw new Error(`no upcaster from version ${version} of ${fact.type}`);
    data = step(data as never);
  }
  return { ...fact, schemaVersion: newest, data };
}
