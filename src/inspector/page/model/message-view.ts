/** A message as it is drawn. */
import type { TranscriptMessage } from "../../../projections/index.ts";

/** The result of a call. */
export interface ResultView {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

/** Who says what. */
export interface MessageView {
  readonly role: TranscriptMessage["role"];
  readonly who: string;
  readonly text: string;
  readonly thoughts: string;
  readonly images: number;
  readonly calls: readonly { readonly callId: string; readonly name: string; readonly args: unknown }[];
  readonly results: readonly ResultView[];
}

const SOURCES = {
  prompt: "You",
  steer: "You, meanwhile",
  follow_up: "You, afterwards",
  task: "Task",
} as const;

/** How a message is drawn. */
export function messageView(message: TranscriptMessage): MessageView {
  const nothing = { text: "", thoughts: "", images: 0, calls: [], results: [] };
  switch (message.role) {
    case "user":
      return { ...nothing, role: "user", who: SOURCES[message.source], ...blocks(message.content) };
    case "custom":
      return { ...nothing, role: "custom", who: "Hook context", ...blocks(message.content) };
    case "summary":
      return {
        ...nothing,
        role: "summary",
        who: `Summary of ${message.messages} messages`,
        text: message.text,
      };
    case "assistant":
      return {
        ...nothing,
        role: "assistant",
        who: "Model",
        ...blocks(message.content),
        calls: message.calls.map(({ callId, name, args, argumentsText }) => ({
          callId,
          name,
          args: args ?? argumentsText,
        })),
      };
    case "tool":
      return {
        ...nothing,
        role: "tool",
        who: message.results.length === 1 ? "Result" : "Results",
        results: message.results.map(({ callId, name, content, isError }) => ({
          callId,
          name,
          isError,
          text: blocks(content).text,
        })),
      };
  }
}

/** Arguments in one line: `path: src/a.ts, limit: 20`. */
export function argsLine(args: unknown): string {
  if (typeof args !== "object" || args === null)
    return typeof args === "string" ? args : (JSON.stringify(args) ?? "");
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ")
    .replaceAll(/\s+/g, " ")
    .slice(0, 200);
}

interface Piece {
  readonly type: string;
  readonly text?: string;
}

function blocks(content: readonly Piece[]): Pick<MessageView, "text" | "thoughts" | "images"> {
  const texts = (types: readonly string[]): string =>
    content
      .filter(({ type }) => types.includes(type))
      .map(({ text }) => text ?? "")
      .join("\n");
  return {
    text: texts(["text"]),
    thoughts: texts(["reasoning", "thinking"]),
    images: content.filter(({ type }) => type === "image").length,
  };
}
