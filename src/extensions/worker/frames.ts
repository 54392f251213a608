/**
 * What host and worker say to each other, as text over one private port: a line of JSON, and after a line feed, where
 * there is one, a second JSON text that is parsed by whoever needs it (each handler of an event has a copy of its own).
 */
import type { ErrorMarks } from "./error-marks.ts";

/** A call to the worker, or a one-way word about one (`abort`, `credit`, `answer`, `drop`). `id` 0 is the load. */
export type ToWorker = Call | OneWay;

/** What a worker is asked. */
export type Call = { readonly id: number } & (
  | { readonly m: "load"; readonly a: { readonly url: string } }
  /** Payload: the settings. */
  | { readonly m: "collect"; readonly a: { readonly key: number; readonly cwd: string } }
  /** Payload: the arguments. */
  | { readonly m: "tool"; readonly a: ToolCallHead }
  /** Payload: a list of arguments. */
  | { readonly m: "hooks"; readonly a: HookBatchHead }
  /** Payload: a list of arguments, options without `signal` last. */
  | { readonly m: "provider"; readonly a: ProviderCallHead }
  /** Payload: a list of arguments with tagged values. */
  | { readonly m: "stream"; readonly a: ProviderCallHead }
  | { readonly m: "ping"; readonly a: null }
);

/** Words that are not answered. */
export type OneWay = { readonly id: number } & (
  | { readonly m: "abort"; readonly a: { readonly name: string; readonly message: string } }
  | { readonly m: "credit"; readonly a: number }
  | {
      readonly m: "answer";
      readonly a: { readonly url: string } | { readonly name: string; readonly message: string };
    }
  | { readonly m: "drop"; readonly a: { readonly key: number } }
);

/** Which tool is called, and for whom. */
export interface ToolCallHead {
  readonly key: number;
  readonly name: string;
  /** Of the tools with that name, which one. */
  readonly nth: number;
  readonly toolCallId: string;
  readonly sessionId: string;
  /** Where updates are counted in the shared memory. */
  readonly slot: number;
  /** Left of the call's own time; `null`: no limit. */
  readonly leftMs: number | null;
}

/** Which handlers are run. */
export interface HookBatchHead {
  readonly key: number;
  readonly name: string;
  readonly count: number;
  readonly untilBlocked: boolean;
  /** Where the number of the running handler stands, counted from 1. */
  readonly slot: number;
  readonly leftMs: number;
}

/** Which function of which provider is called. */
export interface ProviderCallHead {
  readonly key: number;
  readonly type: string;
  readonly name: string;
  readonly nth: number;
  readonly method: string;
}

/**
 * An answer of the worker. Any number of `part`, then one `ok` or `err`; `out` and `ask` belong to no call. The first
 * `part` of a stream has no `v` and says that it is open.
 */
export interface FromWorker {
  readonly id: number;
  readonly t: "ok" | "err" | "part" | "out" | "ask";
  readonly v?: unknown;
  readonly e?: ThrownFields;
}

/** What was thrown, read field by field. */
export interface ThrownFields {
  /** `error`: an Error. `not_json`: the answer is no JSON. `gone`: what was called is not there. `value`: anything else. */
  readonly kind: "error" | "not_json" | "gone" | "value";
  readonly name: string;
  readonly class: string;
  readonly message: string;
  /** Of an error. */
  readonly marks?: ErrorMarks;
  readonly stack?: string;
  /** Of a thrown value that is no error: its `typeof`. */
  readonly type?: string;
}

/** A piece of output, or a line for the log. */
export type OutputPart =
  | { readonly fd: 1 | 2; readonly text: string }
  | {
      readonly level: "debug" | "info" | "warn" | "error";
      readonly message: string;
      readonly fields: unknown;
    };

/** A child process that began or ended: part of the load. */
export interface ChildPart {
  readonly child: number;
  readonly alive: boolean;
}

/** What became of one handler of a batch. Handlers that answered nothing stand only in the `ok` of the batch. */
export interface HandlerPart {
  readonly i: number;
  readonly ms: number;
  readonly answer?: unknown;
  readonly failure?: {
    readonly kind: "throw" | "invalid" | "not_a_function";
    readonly class: string;
    readonly message: string;
  };
}

/** How many parts of a model's answer may be ahead of their reader. */
export const streamCredit = 64;

/** The longest text that a side reads; the largest value takes six characters for each of its own at worst. */
export const maxFrameLength = 64 * 1024 * 1024;
