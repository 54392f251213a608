/** A provider of an extension, as the runtime calls it: its functions are in a worker. */
import type { CollectedProvider } from "../port.ts";
import { streamCredit } from "../worker/frames.ts";
import { walk } from "../worker/json-walk.ts";
import { untag } from "../worker/tagged.ts";
import type { Caller, NoWorker } from "./caller.ts";
import type { ProviderHead } from "./collected.ts";
import type { WorkerInstance } from "./instance.ts";
import { PartQueue } from "./part-queue.ts";
import { readThrown, thrownError } from "./thrown-error.ts";
import { WorkerEndedError } from "./worker-end.ts";

interface Options {
  readonly signal: AbortSignal;
}

/**
 * @param key - of the folder and settings
 * @param nth - of the providers with its type and name
 */
export function providerProxy(
  caller: Caller,
  key: number,
  head: ProviderHead,
  nth: number,
): CollectedProvider {
  const { type, name, config, functions } = head;
  const at = (method: string): object => ({ key, type, name, nth, method });
  const ask =
    (method: string) =>
    (first: unknown, { signal, ...options }: Options): Promise<never> =>
      // What the provider answers is looked at by whoever asked.
      askProvider(caller, at(method), [first, options], signal) as Promise<never>;
  const has = (method: string): boolean => functions.includes(method);
  switch (type) {
    case "memory":
      return { type, name, config, provider: { put: ask("put"), search: ask("search") } };
    case "search":
      return {
        type,
        name,
        config,
        provider: {
          ...(has("search") ? { search: ask("search") } : {}),
          ...(has("extract") ? { extract: ask("extract") } : {}),
        },
      };
    case "model":
      return {
        type,
        name,
        config,
        provider: {
          stream: (model, context, { signal, ...options }) =>
            streamFrom(caller, name, at("stream"), [model, context, options], signal),
          ...(head.providerId === null ? {} : { providerId: head.providerId }),
          ...(head.apiId === null ? {} : { apiId: head.apiId }),
          ...(has("getEnvApiKey")
            ? {
                getEnvApiKey: async () => {
                  const key = await askProvider(caller, at("getEnvApiKey"), []);
                  return typeof key === "string" ? key : undefined;
                },
              }
            : {}),
        },
      };
  }
}

function askProvider(
  caller: Caller,
  head: object,
  args: readonly unknown[],
  signal?: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    begin(caller, signal, reject, (instance, over) => {
      const id = instance.calls.nextId();
      instance.call(id, { m: "provider", a: head }, JSON.stringify(args), {
        ok: (value) => (over(), resolve(value)),
        failed: (fields) => (over(), reject(failureOf(caller, fields))),
        ended: (end) => (over(), reject(new WorkerEndedError(end))),
      });
      return id;
    });
  });
}

/**
 * The parts as they come, once the stream is open; at most so many are ahead of their reader. A failure before that is
 * one of the request, as it is of a provider in this process.
 */
function streamFrom(
  caller: Caller,
  provider: string,
  head: object,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<AsyncIterable<unknown>> {
  const walked = walk(args, "context", true);
  if (!walked.ok) throw new TypeError(`the model's context can't be passed on: ${walked.message}`);
  const payload = JSON.stringify(walked.value);
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  let read = 0;
  let worker: { readonly instance: WorkerInstance; readonly id: number } | undefined;
  const parts = new PartQueue(
    () => {
      read += 1;
      if (read % (streamCredit >> 1) === 0)
        worker?.instance.tell(worker.id, { m: "credit", a: streamCredit >> 1 });
    },
    () => done.abort(),
  );
  return new Promise((opened, refused) => {
    const fail = (error: Error): void => {
      parts.fail(error);
      refused(error);
    };
    const failed = (fields: unknown): void => {
      // Of a model's failure only its kind is recorded. The author learns here whose error it was; its text may hold keys.
      const { class: error } = readThrown(fields);
      caller.logger.info({ module: caller.module, provider, error }, "a model provider threw");
      fail(failureOf(caller, fields));
    };
    begin(caller, either, fail, (instance, over) => {
      const id = instance.calls.nextId();
      worker = { instance, id };
      instance.call(id, { m: "stream", a: head }, payload, {
        part: (value) => (value === undefined ? opened(parts) : parts.push(untag(value))),
        // Without a part before, it gave no stream: whoever asked looks at what it is given.
        ok: () => (over(), parts.end(), opened(null as never)),
        failed: (fields) => (over(), failed(fields)),
        // The next worker may do better, so it counts as a stream that broke, whenever it was.
        ended: (end) => (over(), parts.fail(new WorkerEndedError(end)), opened(parts)),
      });
      return id;
    });
  });
}

/** Waits for the worker, starts the call, and on an abort answers the caller at once. */
function begin(
  caller: Caller,
  signal: AbortSignal | undefined,
  fail: (error: Error) => void,
  start: (instance: WorkerInstance, over: () => void) => number,
): void {
  if (signal?.aborted === true) return fail(signal.reason as Error); // whatever it is, it goes to whoever aborted
  let stop: (() => void) | undefined;
  const aborted = (): void => {
    (stop ?? takeBack)();
    fail(signal?.reason as Error);
  };
  const over = (): void => signal?.removeEventListener("abort", aborted);
  signal?.addEventListener("abort", aborted, { once: true });
  const takeBack = caller.whenReady(
    (instance) => {
      if (signal?.aborted === true) return;
      const id = start(instance, over);
      stop = () => caller.abandon(instance, id, signal?.reason);
    },
    (why) => {
      over();
      fail(refusalOf(caller.module, why));
    },
  );
}

function refusalOf(module: string, why: NoWorker): Error {
  return new Error(
    why.kind === "quarantined"
      ? `Extension ${module} is quarantined: ${why.reason}`
      : `Extension ${module} has been unloaded`,
  );
}

/** A name that the author gave the error stays its name: that is what errors of providers' libraries are known by. */
function failureOf(caller: Caller, fields: unknown): Error {
  const thrown = readThrown(fields);
  const named = thrown.name === "Error" ? thrown : { ...thrown, class: thrown.name };
  return thrownError(named, caller.mapPositions) as Error; // may be none; it is passed on as it is
}
