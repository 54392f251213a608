/**
 * Puts an answer together from stream parts of the AI SDK's language-model specification, versions 2 and 3.
 *
 * Parts may come from an extension, so each is looked at as foreign data. Nothing of the draft is an answer until a
 * `finish` part with a good reason came: providers that are cut off emit tool calls with half their arguments.
 */
import { LemonError } from "../../errors.ts";
import type {
  ModelAnswered,
  ModelCall,
  ModelDelta,
  ModelFinishReason,
  ModelUsage,
  ProviderMetadata,
  ReasoningPart,
  TextPart,
} from "./port.ts";
import { NO_USAGE } from "./port.ts";
import { toWellFormed } from "./text.ts";
import { usageOf } from "./usage.ts";

/** A stream part is not what the specification says. Code `LEMON_MALFORMED_PART`. */
export class MalformedPartError extends LemonError {
  constructor(field: string, expected: string, value: unknown) {
    const got = value === null ? "null" : typeof value;
    super("malformed_part", `stream part: ${field}: expected ${expected}, got ${got}`, {
      field,
      expected,
      got,
    });
  }
}

/** What one stream part meant. */
export type Taken =
  | { readonly type: "nothing" }
  | { readonly type: "delta"; readonly delta: ModelDelta }
  | { readonly type: "failed"; readonly error: unknown }
  /** The last part; whether it is a good end, {@link AnswerDraft.finish} says. */
  | { readonly type: "finished" };

interface OpenText {
  readonly type: "text" | "reasoning";
  text: string;
  metadata: ProviderMetadata | undefined;
  /** The first half of a surrogate pair whose second half is still to come: not shown yet. */
  half: string;
}

interface OpenCall {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  argumentsText: string;
  metadata: ProviderMetadata | undefined;
  /** Its `tool-call` part came. */
  whole: boolean;
}

type Part = Readonly<Record<string, unknown>>;

const NOTHING: Taken = { type: "nothing" };

const GOOD_FINISHES: ReadonlyMap<string, ModelFinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "content_filter"],
  ["tool-calls", "tool_calls"],
]);

/** An answer that is being written. One draft reads one stream. */
export class AnswerDraft {
  readonly #items: (OpenText | OpenCall)[] = [];
  readonly #openTexts = new Map<string, OpenText>();
  #modelId: string;
  #usage = NO_USAGE;
  #finishReason: ModelFinishReason | null = null;

  /** @param modelId - the model as it was asked for, until the stream says better */
  constructor(modelId: string) {
    this.#modelId = modelId;
  }

  get usage(): ModelUsage {
    return this.#usage;
  }

  /** The text so far, without reasoning. */
  get partialText(): string {
    const texts = this.#items.map((item) => (item.type === "text" ? item.text : ""));
    return toWellFormed(texts.join(""));
  }

  /** @throws MalformedPartError */
  take(value: unknown): Taken {
    const part = recordOf(value, "part");
    switch (part["type"]) {
      case "text-start":
      case "reasoning-start":
        this.#startText(part);
        return NOTHING;
      case "text-delta":
      case "reasoning-delta":
        return this.#growText(part);
      case "text-end":
      case "reasoning-end":
        addMetadata(this.#textOf(part), part);
        return NOTHING;
      case "tool-input-start":
        return this.#startCall(part);
      case "tool-input-delta":
        this.#growCall(part);
        return NOTHING;
      case "tool-call":
        return this.#endCall(part);
      case "response-metadata":
        if (typeof part["modelId"] === "string") this.#modelId = part["modelId"];
        return NOTHING;
      case "error":
        return { type: "failed", error: part["error"] };
      case "finish":
        this.#usage = usageOf(part["usage"]);
        this.#finishReason = GOOD_FINISHES.get(finishWordOf(part["finishReason"])) ?? null;
        return { type: "finished" };
      default: // stream-start, raw, source, file, …: nothing of an answer
        stringOf(part, "type");
        return NOTHING;
    }
  }

  /** The whole answer, or `null` when no good finish came. */
  finish(): ModelAnswered | null {
    if (this.#finishReason === null) return null;
    const calls = this.#items.filter((item) => item.type === "call").map((call) => this.#callOf(call));
    return {
      type: "answered",
      content: this.#items.filter((item) => item.type !== "call").flatMap(contentOf),
      calls,
      finishReason: reasonWith(this.#finishReason, calls.length > 0),
      usage: this.#usage,
      modelId: this.#modelId,
    };
  }

  /** An id may be used again for a later part, so a start always opens a new one. */
  #startText(part: Part): OpenText {
    const type = String(part["type"]).startsWith("text") ? "text" : "reasoning";
    const open: OpenText = { type, text: "", metadata: undefined, half: "" };
    this.#items.push(open);
    this.#openTexts.set(`${type}:${stringOf(part, "id")}`, open);
    addMetadata(open, part);
    return open;
  }

  #textOf(part: Part): OpenText {
    const type = String(part["type"]).startsWith("text") ? "text" : "reasoning";
    return this.#openTexts.get(`${type}:${stringOf(part, "id")}`) ?? this.#startText(part);
  }

  #growText(part: Part): Taken {
    const open = this.#textOf(part);
    const delta = stringOf(part, "delta");
    addMetadata(open, part);
    open.text += delta;
    const shown = open.half + delta;
    open.half = /[\uD800-\uDBFF]$/.exec(shown)?.[0] ?? "";
    const text = toWellFormed(shown.slice(0, shown.length - open.half.length));
    return text === "" ? NOTHING : { type: "delta", delta: { type: open.type, text } };
  }

  #startCall(part: Part): Taken {
    // The provider runs these itself: the session has nothing to do for them.
    if (part["providerExecuted"] === true) return NOTHING;
    const name = stringOf(part, "toolName");
    const call: OpenCall = {
      type: "call",
      id: stringOf(part, "id"),
      name,
      argumentsText: "",
      metadata: undefined,
      whole: false,
    };
    addMetadata(call, part);
    this.#items.push(call);
    return { type: "delta", delta: { type: "tool_call", name } };
  }

  #growCall(part: Part): void {
    const call = this.#openCall(stringOf(part, "id"));
    if (call !== undefined) call.argumentsText += stringOf(part, "delta");
  }

  #endCall(part: Part): Taken {
    if (part["providerExecuted"] === true) return NOTHING;
    const id = stringOf(part, "toolCallId");
    const name = stringOf(part, "toolName");
    const argumentsText = stringOf(part, "input");
    const open = this.#openCall(id);
    if (open !== undefined && open.name === name) {
      open.argumentsText = argumentsText;
      open.whole = true;
      addMetadata(open, part);
      return NOTHING;
    }
    const call: OpenCall = { type: "call", id, name, argumentsText, metadata: undefined, whole: true };
    addMetadata(call, part);
    this.#items.push(call);
    return { type: "delta", delta: { type: "tool_call", name } };
  }

  /** Two calls of one answer may have the same id; the first that is still open is meant. */
  #openCall(id: string): OpenCall | undefined {
    return this.#items.find(
      (item): item is OpenCall => item.type === "call" && !item.whole && item.id === id,
    );
  }

  #callOf(call: OpenCall): ModelCall {
    const limited = this.#finishReason === "length" || this.#finishReason === "content_filter";
    const cutOff = !call.whole || (limited && call === this.#items.at(-1));
    // An answer that is cut off before the first argument gives "" or (Anthropic) "{}", which would run as a call
    // without arguments. "{" is the shortest text that says that more was to come.
    const isBare = /^\s*(\{\s*\})?\s*$/.test(call.argumentsText);
    return {
      providerCallId: call.id === "" ? null : call.id,
      name: toWellFormed(call.name),
      argumentsText: cutOff && isBare ? "{" : toWellFormed(call.argumentsText),
      ...(call.metadata === undefined ? {} : { providerMetadata: call.metadata }),
    };
  }
}

/** Some servers say `stop` beside tool calls, and some `tool_calls` without any: what is there decides. */
function reasonWith(reason: ModelFinishReason, hasCalls: boolean): ModelFinishReason {
  if (reason === "stop" || reason === "tool_calls") return hasCalls ? "tool_calls" : "stop";
  return reason;
}

/** An empty part is kept only when the provider wants its metadata back (redacted thinking). */
function contentOf(open: OpenText): (TextPart | ReasoningPart)[] {
  const text = toWellFormed(open.text);
  if (open.metadata !== undefined) return [{ type: open.type, text, providerMetadata: open.metadata }];
  return text === "" ? [] : [{ type: open.type, text }];
}

/** Metadata comes at the start, in a delta of its own (Anthropic's signature), or at the end; later members win. */
function addMetadata(open: { metadata: ProviderMetadata | undefined }, part: Part): void {
  if (part["providerMetadata"] === undefined || part["providerMetadata"] === null) return;
  let merged: ProviderMetadata = open.metadata ?? {};
  // Through JSON and back, so that what is kept is what a log can hold.
  const plain = recordOf(JSON.parse(JSON.stringify(part["providerMetadata"])), "providerMetadata");
  for (const [provider, members] of Object.entries(plain)) {
    const own = recordOf(members, `providerMetadata.${provider}`);
    // By spread, not by assignment: a provider called __proto__ is then a member like any other.
    merged = {
      ...merged,
      [provider]: { ...(Object.hasOwn(merged, provider) ? merged[provider] : {}), ...own },
    };
  }
  open.metadata = merged;
}

/** Version 3 has `{ unified, raw }`, version 2 the bare word. */
function finishWordOf(finishReason: unknown): string {
  if (typeof finishReason === "string") return finishReason;
  return stringOf(recordOf(finishReason, "finishReason"), "unified");
}

function recordOf(value: unknown, field: string): Part {
  if (typeof value !== "object" || value === null) throw new MalformedPartError(field, "an object", value);
  return value as Part; // every member is still unknown
}

function stringOf(part: Part, key: string): string {
  const value = part[key];
  if (typeof value !== "string") throw new MalformedPartError(key, "a string", value);
  return value;
}
