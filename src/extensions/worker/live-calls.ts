/** The calls that run in a worker: their abort, their credit and the time that each has left. */
import * as built from "./captured.ts";
import type { ThrownFields } from "./frames.ts";
import { ownFailure, thrownFields } from "./thrown.ts";
import { type Walked, walk } from "./json-walk.ts";

/** One call while it runs. */
export interface LiveCall {
  readonly id: number;
  readonly controller: AbortController;
  readonly signal: AbortSignal;
  /** When its time is over, on the worker's own clock; `Infinity`: never. */
  endsAtMs: number;
  isAborted: boolean;
  onAbort: (() => void) | undefined;
  onCredit: ((count: number) => void) | undefined;
}

/** Sends one frame: everything in `value` has no prototype. */
export type Post = (id: number, t: "ok" | "part" | "ask" | "out", value: unknown) => void;

/** Sends how a call failed. */
export type PostFailure = (id: number, failure: ThrownFields) => void;

/** Every call that runs. */
export class LiveCalls {
  readonly #post: Post;
  readonly #fail: PostFailure;
  readonly #live = { __proto__: null } as unknown as Record<number, LiveCall | undefined>;
  /** The call whose function is on the stack. */
  #current: LiveCall | undefined;

  constructor(post: Post, fail: PostFailure) {
    this.#post = post;
    this.#fail = fail;
  }

  /** Runs `task` as a call: what it gives is the answer, what it throws the failure. */
  async run(
    id: number,
    leftMs: number | null,
    name: string,
    task: (call: LiveCall) => Promise<unknown>,
  ): Promise<void> {
    const controller = new built.AbortControllerOf();
    const call: LiveCall = {
      id,
      controller,
      signal: built.signalOf(controller),
      endsAtMs: leftMs === null ? Infinity : built.nowMs() + leftMs,
      isAborted: false,
      onAbort: undefined,
      onCredit: undefined,
    };
    this.#live[id] = call;
    try {
      const answer = await task(call);
      const walked: Walked = walk(answer, name);
      if (walked.ok) this.#post(id, "ok", walked.value);
      else this.#fail(id, ownFailure("not_json", walked.message));
    } catch (error) {
      this.#fail(id, error instanceof Gone ? ownFailure("gone", error.message) : thrownFields(error));
    } finally {
      delete this.#live[id];
    }
  }

  /** Calls a function of the author's; while it is on the stack, its time is the one that counts. */
  enter(call: LiveCall, self: unknown, method: unknown, args: readonly unknown[]): unknown {
    const before = this.#current;
    this.#current = call;
    try {
      return built.apply(method as () => unknown, self, args); // whoever calls has looked at its type
    } finally {
      this.#current = before;
    }
  }

  abort(id: number, reason: Error): void {
    const call = this.#live[id];
    if (call === undefined || call.isAborted) return;
    call.isAborted = true;
    built.abort(call.controller, reason);
    call.onAbort?.();
  }

  credit(id: number, count: number): void {
    this.#live[id]?.onCredit?.(count);
  }

  /**
   * What the running call has left. Once it has waited for something nobody can tell which call goes on: then the one
   * with the least counts, since a blocked loop holds them all up.
   */
  leftMs(): number | undefined {
    let endsAtMs = this.#current?.endsAtMs ?? Infinity;
    if (this.#current === undefined) {
      const ids = built.ownKeys(this.#live);
      for (let index = 0; index < ids.length; index += 1) {
        const call = this.#live[ids[index] as unknown as number];
        if (call !== undefined && call.endsAtMs < endsAtMs) ({ endsAtMs } = call);
      }
    }
    return endsAtMs === Infinity ? undefined : endsAtMs - built.nowMs();
  }
}

/** What was called is not there (any more). */
export class Gone extends Error {}
