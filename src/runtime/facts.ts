/** The facts of one stream, for readers. */
import type { Observable } from "rxjs";
import type { Fact } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";

/**
 * Facts of a stream, oldest first, as they were recorded.
 *
 * @param options.from - first version, default 1
 * @param options.follow - go on with new facts until the iteration is ended
 */
export async function* readFacts(
  log: EventLog,
  stream: string,
  { from = 1, follow = false }: { readonly from?: number; readonly follow?: boolean } = {},
): AsyncGenerator<Fact> {
  let last: Fact | null = null;
  for await (const fact of log.read(stream, { from })) {
    last = fact;
    yield fact;
  }
  if (!follow) return;
  const after = last === null ? {} : { after: log.cursorOf(last) };
  for await (const fact of queued(log.follow({ stream, ...after }))) if (fact.version >= from) yield fact;
}

/** All facts of a stream, then each new one. */
export function followStream(log: EventLog, stream: string): Observable<Fact> {
  return log.follow({ stream });
}

/** The values of an observable one at a time; those that come meanwhile wait. */
async function* queued<Value>(source: Observable<Value>): AsyncGenerator<Value> {
  const waiting: Value[] = [];
  let end: { readonly error: unknown } | "complete" | null = null;
  let wake = (): void => undefined;
  const finish = (how: { readonly error: unknown } | "complete"): void => {
    end = how;
    wake();
  };
  const subscription = source.subscribe({
    next: (value) => {
      waiting.push(value);
      wake();
    },
    error: (error: unknown) => finish({ error }),
    complete: () => finish("complete"),
  });
  // What a callback assigned is read through this, or the compiler takes `end` for null for ever.
  const ended = (): { readonly error: unknown } | "complete" | null => end;
  try {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift() as Value;
      const how = ended();
      if (how === "complete") return;
      if (how !== null) throw how.error;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    subscription.unsubscribe();
  }
}
