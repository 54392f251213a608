/** A question of a part, asked anew whenever its path changes. */
import { useEffect, useRef, useState } from "preact/hooks";
import { asFault, type ApiFault } from "./client.ts";
import { Latest } from "./latest.ts";
import { usePage, useStore } from "./page.ts";

/** What is known of the answer. While a new one is awaited the old one stands, with `isStale`. */
export interface Query<Answer> {
  readonly answer: Answer | null;
  readonly fault: ApiFault | null;
  readonly isStale: boolean;
}

/** How long a stale question of a scrub may still be answered: three frames at 30 a second. */
const PATIENCE_MS = 100;

/**
 * Asks for `path`; `null`: for nothing.
 *
 * @param turn - another number asks the same again: for answers that grow with the session
 */
export function useQuery<Answer>(path: string | null, turn = 0): Query<Answer> {
  const { client } = usePage();
  const epoch = useStore((state) => state.epoch);
  const [known, setKnown] = useState<{ key: string | null; answer: Answer | null; fault: ApiFault | null }>({
    key: null,
    answer: null,
    fault: null,
  });
  const latest = useRef<Latest<Answer> | null>(null);
  latest.current ??= new Latest<Answer>({
    load: (key, signal) => client.get<Answer>(key, signal),
    onAnswer: (key, answer) => setKnown({ key, answer, fault: null }),
    onFault: (key, error) => setKnown((before) => ({ key, answer: before.answer, fault: asFault(error) })),
    nextFrame: (run) => requestAnimationFrame(run),
    now: () => performance.now(),
    patienceMs: PATIENCE_MS,
  });
  useEffect(() => {
    latest.current?.want(path);
  }, [path]);
  useEffect(() => {
    if (epoch + turn > 0) latest.current?.again();
  }, [epoch, turn]);
  useEffect(() => () => latest.current?.want(null), []);
  if (path === null) return { answer: null, fault: null, isStale: false };
  return {
    answer: known.answer,
    fault: known.key === path ? known.fault : null,
    isStale: known.key !== path,
  };
}
