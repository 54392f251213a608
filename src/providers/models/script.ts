/**
 * The script of a scripted model: its shape, and the checks of a script that comes from a file.
 * The checks are written by hand so that a run without a network loads no schema library for them.
 */
import { LemonError } from "../../errors.ts";
import type { ModelFinishReason } from "./port.ts";

/** A call that a scripted answer asks for. */
export interface ScriptedToolCall {
  readonly name: string;
  /** Default: none, which reaches the session as empty text. */
  readonly args?: unknown;
  /** The text of the arguments as it is, for text that is no JSON. Instead of `args`. */
  readonly rawArguments?: string;
  /** The provider's id. Default `null`. */
  readonly id?: string;
}

/** One answer, or one failure. An empty turn is an empty answer. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default `tool_calls` when the turn has some, else `stop`. */
  readonly finishReason?: ModelFinishReason;
  /** Waits so long before it says anything. */
  readonly delayMs?: number;
  /** Breaks the stream after that many characters of `text`. */
  readonly cutAfter?: number;
  /** Refuses the request, as a provider would with this HTTP status. */
  readonly error?: { readonly status: number; readonly retryAfterMs?: number };
}

/** Turns, in the order in which a session asks. */
export interface Script {
  readonly turns: readonly ScriptedTurn[];
}

/** A script is not what the reference describes. Code `LEMON_INVALID_SCRIPT`; `field` is the path, e.g. `turns.2.text`. */
export class InvalidScriptError extends LemonError {
  constructor(file: string, field: string, expected: string, value: unknown) {
    const got = kindOf(value);
    super(
      "invalid_script",
      `${file}: ${field === "" ? "the script" : field}: expected ${expected}, got ${got}`,
      {
        field,
        expected,
        got,
      },
    );
  }
}

type Check = (value: unknown, path: string) => void;

/**
 * Checks a script that was read from a file.
 *
 * @param json - the parsed file
 * @param file - how the file is called in the error
 * @throws InvalidScriptError naming the first path that is wrong and what was expected there
 */
export function parseScript(json: unknown, file: string): Script {
  const refuse = (path: string, expected: string, value: unknown): never => {
    throw new InvalidScriptError(file, path, expected, value);
  };
  const is =
    (expected: string, accepts: (value: unknown) => boolean): Check =>
    (value, path) => {
      if (!accepts(value)) refuse(path, expected, value);
    };
  const object =
    (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
    (value, path) => {
      if (!isObject(value)) return refuse(path, "an object", value);
      for (const [key, member] of Object.entries(value)) {
        const check = Object.hasOwn(members, key) ? members[key] : undefined;
        if (check === undefined) {
          refuse(join(path, key), `no such key (known: ${Object.keys(members).join(", ")})`, member);
        } else check(member, join(path, key));
      }
      for (const key of required) if (!Object.hasOwn(value, key)) members[key]?.(undefined, join(path, key));
    };
  const list =
    (check: Check): Check =>
    (value, path) => {
      if (!Array.isArray(value)) return refuse(path, "a list", value);
      value.forEach((member, index) => check(member, join(path, String(index))));
    };

  const string = is("a string", (value) => typeof value === "string");
  const count = is("an integer, 0 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 0);
  const toolCall = object(
    {
      name: is("a string that is not empty", (value) => typeof value === "string" && value !== ""),
      args: () => undefined,
      rawArguments: string,
      id: string,
    },
    ["name"],
  );
  const turn = object({
    text: string,
    reasoning: string,
    toolCalls: list((value, path) => {
      toolCall(value, path);
      if (isObject(value) && "args" in value && "rawArguments" in value) {
        refuse(join(path, "rawArguments"), "either args or rawArguments, not both", value["rawArguments"]);
      }
    }),
    finishReason: is(`one of ${FINISH_REASONS.join(", ")}`, (value) =>
      FINISH_REASONS.some((each) => each === value),
    ),
    delayMs: count,
    cutAfter: count,
    error: object(
      {
        status: is("an HTTP status from 400 to 599", (value) => {
          return Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;
        }),
        retryAfterMs: count,
      },
      ["status"],
    ),
  });
  object({ turns: list(turn) }, ["turns"])(json, "");
  return json as Script; // every member has just been checked
}

const FINISH_REASONS: readonly ModelFinishReason[] = ["stop", "length", "content_filter", "tool_calls"];

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
