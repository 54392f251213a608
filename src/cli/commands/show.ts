/** `lemon show ID [--at N]` */
import type { ContentBlock } from "../../events/index.ts";
import { currentTasks } from "../../harness/index.ts";
import type { SessionView, TranscriptMessage } from "../../projections/index.ts";
import { requireSession, stateAt } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { describeCall } from "../calls.ts";
import { oneLine, UNAVAILABLE } from "../printable.ts";
import { readingLog } from "../reading.ts";

/** Shows a session and its conversation, as they are or were after a fact. */
export async function show(context: Context, id: string, { at }: { readonly at?: number }): Promise<Status> {
  const { out } = context;
  const { state, tasks, isRedacted, forkedFrom } = await readingLog(context, async (log) => {
    const { sessionId, cwd, forkedFrom } = await requireSession(log, id);
    const found = await stateAt(log, `session-${sessionId}`, at);
    // Now, a task may have ended without anybody to tell it.
    const given = at === undefined ? Object.values(await currentTasks(log, sessionId)) : found.tasks;
    return { state: found, tasks: given, isRedacted: cwd === null, forkedFrom };
  });
  const { version, session, messages } = state;
  if (out.json) {
    const redacted = isRedacted ? { isRedacted } : {};
    out.document({ sessionId: id, ...redacted, forkedFrom, ...state, tasks });
    return statuses.done;
  }
  if (isRedacted) {
    // What the views say of it is how they begin.
    out.line(`session   ${id}`);
    out.line(`version   ${version}`);
    out.line(`data      ${UNAVAILABLE}: it was left out of the bundle that the session came with`);
    return statuses.done;
  }
  for (const line of head(id, version, session)) out.line(line);
  if (forkedFrom !== null) out.line(`forked    from ${forkedFrom.sessionId} at version ${forkedFrom.at}`);
  for (const { taskId, status, description } of tasks)
    out.line(`task      ${taskId} ${status}: ${oneLine(description, 80)}`);
  for (const message of messages) {
    out.line("");
    out.line(out.paint("bold", `${message.role} (${placeOf(message.version)})`));
    for (const line of body(message)) out.line(line);
  }
  return statuses.done;
}

/** Messages of the sessions that it was forked from count back from the fork. */
function placeOf(version: number): string {
  return version > 0 ? `version ${version}` : `before the fork, ${version}`;
}

function head(id: string, version: number, session: SessionView): string[] {
  const { settings, outcome, usage } = session;
  return [
    `session   ${id}`,
    `version   ${version}`,
    `status    ${session.status}${session.run === null ? "" : `, turn ${session.run.turn}`}`,
    `model     ${settings.model}`,
    `approval  ${settings.approval}`,
    `folder    ${session.cwd}`,
    `tokens    ${usage.inputTokens} in, ${usage.outputTokens} out`,
    ...(outcome === null ? [] : [`outcome   ${outcome.status}, ${outcome.stopReason}`]),
  ];
}

function body(message: TranscriptMessage): string[] {
  switch (message.role) {
    case "user":
    case "custom":
      return message.content.map(textOf);
    case "summary":
      return [`(in place of the first ${message.messages} messages)`, ...message.text.split("\n")];
    case "assistant":
      return [
        ...message.content.map(({ type, text }) => (type === "text" ? text : `(reasoning) ${text}`)),
        ...message.calls.map((call) => `→ ${describeCall(call.name, call.args ?? call.argumentsText)}`),
      ].filter((line) => line !== "");
    case "tool":
      return message.results.flatMap(({ name, isError, content }) => [
        `${name}${isError ? " failed" : ""}:`,
        ...content.map(textOf),
      ]);
  }
}

function textOf(block: ContentBlock): string {
  return block.type === "text" ? block.text.trimEnd() : `(image, ${block.mimeType})`;
}
