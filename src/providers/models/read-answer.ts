/**
 * Opens one stream of parts and reads it to its end, whatever that is. The only place that decides between an
 * answer, a failure and an abort.
 */
import type { Clock } from "../../ports.ts";
import { AnswerDraft, MalformedPartError } from "./answer-draft.ts";
import { failureFrom } from "./failure.ts";
import type { FailurePhase } from "./failure.ts";
import type { ModelAnswer, ModelDelta, ModelFailure } from "./port.ts";
import { failureOf } from "./retry-policy.ts";

/** How a stream is read. */
export interface ReadOptions {
  /** The model as it was asked for. */
  readonly modelId: string;
  readonly signal: AbortSignal;
  readonly onDelta: (delta: ModelDelta) => void;
  readonly clock: Clock;
}

/** Starts a request; the value is checked here to be an async iterable. */
export type OpenStream = () => unknown;

/**
 * Reads a stream of language-model parts into an answer.
 *
 * The stream is closed when this is done with it. An abort is told from a failure by the signal alone, since an
 * aborted request surfaces as any kind of error; and it is not waited for, since a provider may ignore it.
 *
 * @throws only what `onDelta` throws
 */
export async function readAnswer(open: OpenStream, options: ReadOptions): Promise<ModelAnswer> {
  const { signal, onDelta, clock } = options;
  const draft = new AnswerDraft(options.modelId);
  const failed = (failure: ModelFailure): ModelAnswer => {
    if (signal.aborted) return { type: "aborted", partialText: draft.partialText };
    return { type: "failed", failure, partialText: draft.partialText, usage: draft.usage };
  };
  if (signal.aborted) return { type: "aborted", partialText: "" };

  let phase: FailurePhase = "request";
  let iterator: AsyncIterator<unknown> | null = null;
  try {
    const opened = await attempt(() => openIterator(open, signal));
    if ("error" in opened) return failed(failureFrom(opened.error, phase, clock));
    if (opened.value === ABORTED) return { type: "aborted", partialText: "" };
    iterator = opened.value;
    phase = "stream";
    for (;;) {
      const reading = iterator;
      const next = await attempt(() => unlessAborted(reading.next(), signal));
      if ("error" in next) return failed(failureFrom(next.error, phase, clock));
      // A part that arrives together with the abort is not taken: nothing may come after it.
      if (next.value === ABORTED || signal.aborted)
        return { type: "aborted", partialText: draft.partialText };
      const step = next.value;
      if (step.done === true) return failed(failureOf("incomplete_stream"));

      const taken = await attempt(() => draft.take(step.value));
      if ("error" in taken) return failed(failureFrom(taken.error, phase, clock));
      if (taken.value.type === "failed") return failed(failureFrom(taken.value.error, phase, clock));
      if (taken.value.type === "finished") return draft.finish() ?? failed(failureOf("incomplete_stream"));
      if (taken.value.type === "delta") onDelta(taken.value.delta);
    }
  } finally {
    if (iterator !== null) close(iterator);
  }
}

const ABORTED = Symbol("aborted");

type Attempt<Value> = { readonly value: Value } | { readonly error: unknown };

/** A provider's throw as a value, so that a throw of the caller's `onDelta` is not taken for one. */
async function attempt<Value>(work: () => Value | PromiseLike<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

async function openIterator(
  open: OpenStream,
  signal: AbortSignal,
): Promise<AsyncIterator<unknown> | typeof ABORTED> {
  const opening = Promise.resolve(open()).then(iteratorOf);
  const opened = await unlessAborted(opening, signal);
  if (opened === ABORTED) {
    // Nobody reads a stream that opens late, and nobody asks why it didn't open.
    void opening.then(close, () => undefined);
  }
  return opened;
}

function iteratorOf(stream: unknown): AsyncIterator<unknown> {
  if (typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream) {
    return (stream as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  }
  throw new MalformedPartError("stream", "an async iterable", stream);
}

/** Not awaited: a generator that hangs in `next` never gets to its `return`. How a stream closes concerns nobody. */
function close(iterator: AsyncIterator<unknown>): void {
  void attempt(async () => iterator.return?.());
}

/** Settles with `work`, or with `ABORTED` as soon as the signal fires. */
async function unlessAborted<Value>(
  work: PromiseLike<Value>,
  signal: AbortSignal,
): Promise<Value | typeof ABORTED> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<typeof ABORTED>((resolve) => {
    onAbort = () => resolve(ABORTED);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    // After every part: a long stream must not leave a listener per part on the signal.
    signal.removeEventListener("abort", onAbort);
  }
}
