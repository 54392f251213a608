/** What is told of whoever wrote a line: call, prompt, model, and the hook that changed the arguments. docs/reference/blame.md */
import { upcast, type ContentBlock, type Fact, type FactOf } from "../../events/index.ts";
import { judgeCall } from "../../hooks/index.ts";
import { historyOf, type EventLog } from "../../log/index.ts";
import { sessionIdOf, type PathWrite } from "./file-writes.ts";
import type { LineOwner } from "./fold.ts";

/** Characters of a prompt that are shown. */
const PROMPT_CAP = 200;

/** Whose a line is, told in full. What does not apply is `null`. */
export interface ToldOwner {
  readonly sessionId: string | null;
  readonly toolCallId: string | null;
  /** Of the fact that tells of the change, in that session. */
  readonly version: number | null;
  /** When; epoch milliseconds. */
  readonly at: number | null;
  readonly tool: string | null;
  /** What the run was asked for, on one line, cut. */
  readonly prompt: string | null;
  /** The model that called the tool. */
  readonly model: string | null;
  /** The extension whose hook changed the call's arguments. */
  readonly hook: { readonly extension: string; readonly version: string | null } | null;
  /**
   * `call`, `restore`; `before`: it stood there when the file was first changed; `outside`: by hand or by another
   * program; `unavailable`: bytes that would tell are not in the log.
   */
  readonly origin: "call" | "restore" | "before" | "outside" | "unavailable";
}

const nobody: Omit<ToldOwner, "origin"> = {
  sessionId: null,
  toolCallId: null,
  version: null,
  at: null,
  tool: null,
  prompt: null,
  model: null,
  hook: null,
};

/** Tells all of them; each session is read once. */
export async function toldOwners(
  log: EventLog,
  owners: ReadonlySet<LineOwner>,
): Promise<ReadonlyMap<LineOwner, ToldOwner>> {
  const told = new Map<LineOwner, ToldOwner>();
  const byStream = new Map<string, PathWrite[]>();
  for (const owner of owners) {
    if (typeof owner === "string") told.set(owner, { ...nobody, origin: owner });
    else byStream.set(owner.stream, [...(byStream.get(owner.stream) ?? []), owner]);
  }
  for (const [stream, writes] of byStream)
    for (const [write, owner] of await inSession(log, stream, writes)) told.set(write, owner);
  return told;
}

const types = ["prompt.submitted", "model.responded", "hook.answered", "extension_status_report.published"];

async function inSession(
  log: EventLog,
  stream: string,
  writes: readonly PathWrite[],
): Promise<(readonly [PathWrite, ToldOwner])[]> {
  const calls = new Set(writes.flatMap(({ callId }) => callId ?? []));
  const runs = new Set(writes.flatMap(({ runId }) => runId ?? []));
  const prompts = new Map<string, string>();
  const models = new Map<string, string>();
  const hooks = new Map<string, NonNullable<ToldOwner["hook"]>>();
  let versions: ReadonlyMap<string, string> = new Map();
  const last = Math.max(...writes.map(({ version }) => version));
  for await (const fact of historyOf(log, stream, { types, to: last })) {
    const known = knownOf(fact);
    switch (known?.type) {
      case "prompt.submitted":
        if (runs.has(known.data.runId)) prompts.set(known.data.runId, preview(known.data.content));
        break;
      case "model.responded":
        for (const { callId } of known.data.calls)
          if (calls.has(callId)) models.set(callId, known.data.modelId);
        break;
      case "extension_status_report.published":
        versions = versionsIn(known.data.report);
        break;
      case "hook.answered": {
        const { callId, hook, answers } = known.data;
        if (hook !== "onToolCall" || !calls.has(callId)) break;
        const changer = answers.findLast((answer) => judgeCall([answer]).args !== null);
        if (changer !== undefined && judgeCall(answers).args !== null)
          hooks.set(callId, { extension: changer.module, version: versions.get(changer.module) ?? null });
        break;
      }
      case undefined:
        break;
    }
  }
  return writes.map((write) => {
    const { callId, runId, version, at, tool, kind } = write;
    const owner: ToldOwner = {
      sessionId: sessionIdOf(stream),
      toolCallId: callId,
      version,
      at,
      tool,
      prompt: runId === null ? null : (prompts.get(runId) ?? null),
      model: callId === null ? null : (models.get(callId) ?? null),
      hook: callId === null ? null : (hooks.get(callId) ?? null),
      origin: kind,
    };
    return [write, owner] as const;
  });
}

type Told = FactOf<
  "prompt.submitted" | "model.responded" | "hook.answered" | "extension_status_report.published"
>;

function knownOf(fact: Fact): Told | null {
  return fact.redacted === undefined ? (upcast(fact) as Told) : null;
}

function versionsIn(report: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const extensions = report["extensions"];
  if (!Array.isArray(extensions)) return new Map();
  return new Map(
    (extensions as readonly { readonly module?: unknown; readonly version?: unknown }[]).flatMap(
      ({ module, version }) =>
        typeof module === "string" && typeof version === "string" ? [[module, version] as const] : [],
    ),
  );
}

function preview(content: readonly ContentBlock[]): string {
  const text = content
    .map((block) => (block.type === "text" ? block.text : `(image, ${block.mimeType})`))
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const characters = Array.from(text.slice(0, PROMPT_CAP * 2));
  return characters.length <= PROMPT_CAP ? text : `${characters.slice(0, PROMPT_CAP - 1).join("")}…`;
}
