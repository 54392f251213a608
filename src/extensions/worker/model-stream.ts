/** The parts of a model's answer, from an author's iterable to the host, never far ahead of their reader. */
import * as built from "./captured.ts";
import { streamCredit } from "./frames.ts";
import { walk } from "./json-walk.ts";
import type { LiveCall, LiveCalls, Post } from "./live-calls.ts";

/** An iterator as an author made it: what its members are shows by use. */
interface AuthorsIterator {
  readonly next: unknown;
  readonly return?: unknown;
}

/**
 * Reads the iterable to its end, or until the call is aborted; then its `return` is called. What is none ends before a
 * part said that it is open.
 */
export async function sendStream(
  calls: LiveCalls,
  post: Post,
  call: LiveCall,
  opened: unknown,
): Promise<null> {
  const iterator = iteratorOf(calls, call, opened);
  if (iterator === undefined) return null;
  post(call.id, "part", undefined);
  let credit = streamCredit;
  let wake: (() => void) | undefined;
  let isDone = false;
  const stop = async (): Promise<void> => {
    if (isDone || typeof iterator.return !== "function") return;
    isDone = true;
    await calls.enter(call, iterator, iterator.return, []);
  };
  call.onCredit = (count) => {
    credit += count;
    wake?.();
  };
  call.onAbort = () => {
    wake?.();
    stop().catch(ignore); // nobody reads any more, so nobody can be told
  };
  try {
    while (!call.isAborted) {
      while (credit <= 0 && !call.isAborted)
        await new built.NativePromise<void>((resolve) => {
          wake = resolve;
        });
      if (call.isAborted) break;
      const step = (await calls.enter(call, iterator, iterator.next, [])) as IteratorResult<unknown>;
      if (step.done === true) {
        isDone = true;
        break;
      }
      const walked = walk(step.value, "part", true);
      if (!walked.ok)
        throw new built.NativeError(`a part of the stream can't be passed on: ${walked.message}`);
      credit -= 1;
      post(call.id, "part", walked.value);
    }
  } catch (error) {
    stop().catch(ignore); // the first error is the one that is told
    throw error;
  }
  return null;
}

function iteratorOf(calls: LiveCalls, call: LiveCall, opened: unknown): AuthorsIterator | undefined {
  const open =
    typeof opened === "object" && opened !== null
      ? (opened as Partial<AsyncIterable<unknown>>)[built.asyncIterator]
      : undefined;
  if (typeof open !== "function") return undefined;
  return calls.enter(call, opened, open, []) as AuthorsIterator; // its members are checked by use
}

function ignore(): void {}
