/** `lemon show ID [--at N]` */
import type { ContentBlock } from "../../events/index.ts";
import type { SessionView, TranscriptMessage } from "../../projections/index.ts";
import { requireSession, stateAt } from "../../replay/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { describeCall } from "../calls.ts";
import { readingLog } from "../reading.ts";

/** Shows a session and its conversation, as they are or were after a fact. */
export async function show(context: Context, id: string, { at }: { readonly at?: number }): Promise<Status> {
  const { out } = context;
  const state = await readingLog(context, async (log) => {
    const { sessionId } = await requireSession(log, id);
    return stateAt(log, `session-${sessionId}`, at);
  });
  const { version, session, messages } = state;
  if (out.json) {
    out.document({ sessionId: id, version, session, messages });
    return statuses.done;
  }
  for (const line of head(id, version, session)) out.line(line);
  for (const message of messages) {
    out.line("");
    out.line(out.paint("bold", `${message.role} (version ${message.version})`));
    for (const line of body(message)) out.line(line);
  }
  return statuses.done;
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
