/**
 * `lemon background watch ID`: follows a run until it has ended. Only looks: an interrupt ends the watching and not the run.
 *
 * A run has two streams, of its life and of its work. That something is new in either is only a sign to look: both are
 * read on from where they were, so what is shown is in the order of the log, and the end comes last.
 */
import { isKnownType, upcast, type Fact, type KnownFact } from "../../events/index.ts";
import {
  BACKGROUND_QUEUE,
  isRunId,
  RUN_STREAM_PREFIX,
  RunNotFoundError,
  runStreamName,
  sessionStreamName,
} from "../../harness/index.ts";
import type { EventLog } from "../../log/index.ts";
import {
  backgroundRunFacts,
  backgroundRunView,
  isFinalRun,
  noEvents,
  project,
  tellFact,
} from "../../projections/index.ts";
import type { Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { readingLogIfAny } from "../reading.ts";
import { runsOf, settleRuns, waitsForSomebody } from "../reading-runs.ts";
import { watchViewOf, type WatchView } from "../watch-view.ts";

/** Milliseconds between two looks when nothing is heard: so long may a run be left before somebody sees to it. */
const LOOK_MS = 2_000;

/** Follows a run and prints its result. */
export async function watchRun(context: Context, id: string): Promise<Status> {
  const { interrupts, out } = context;
  const signal = interrupts.soften();
  const status = isRunId(id)
    ? await readingLogIfAny(context, async (log) => {
        const runs = await runsOf(log);
        // Refused before anything is shown.
        await runs.status(id);
        const view = watchViewOf(out, id);
        const watcher = new Watcher(log, id, view, () => settleRuns(context));
        if (!(await watcher.untilEnd(signal))) {
          view.leave();
          return interrupts.status;
        }
        return view.end(await runs.result(id));
      })
    : null;
  out.clearProgress();
  if (status === null) throw new RunNotFoundError();
  return status;
}

/** Tells a view what becomes of a run. */
class Watcher {
  readonly #log: EventLog;
  readonly #id: string;
  readonly #view: WatchView;
  readonly #settle: () => Promise<void>;
  #run = backgroundRunView.initial;
  #story = noEvents;
  #sessionVersion = 0;
  #wake: () => void = () => undefined;
  #isNew = true;

  constructor(log: EventLog, id: string, view: WatchView, settle: () => Promise<void>) {
    this.#log = log;
    this.#id = id;
    this.#view = view;
    this.#settle = settle;
  }

  /** @returns whether the run has ended; false when the signal came first */
  async untilEnd(signal: AbortSignal): Promise<boolean> {
    const news = this.#listen(signal);
    try {
      while (!signal.aborted) {
        this.#isNew = false;
        await this.#look();
        if (isFinalRun(this.#run)) return true;
        if (await waitsForSomebody(this.#log)) await this.#settle();
        await this.#pause(signal);
      }
      return false;
    } finally {
      for (const each of news) each.unsubscribe();
    }
  }

  #listen(signal: AbortSignal): readonly { unsubscribe(): void }[] {
    const heard = (): void => {
      this.#isNew = true;
      this.#wake();
    };
    signal.addEventListener("abort", heard, { once: true });
    // What can't be followed is still looked at every two seconds, and that tells what is wrong.
    const observer = { next: heard, error: heard };
    return [
      this.#log.follow({ streams: RUN_STREAM_PREFIX }).subscribe(observer),
      this.#log.follow({ stream: sessionStreamName(this.#id) }).subscribe(observer),
    ];
  }

  async #pause(signal: AbortSignal): Promise<void> {
    if (this.#isNew || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #look(): Promise<void> {
    const before = this.#run.version;
    // Its life first: what it says of the work is in the log by then.
    const life = await collect(this.#log.read(runStreamName(this.#id), { from: before + 1 }));
    const work = await collect(
      this.#log.read(sessionStreamName(this.#id), { from: this.#sessionVersion + 1 }),
    );
    for (const fact of [...life, ...work].toSorted((a, b) => a.position - b.position)) {
      if (isFinalRun(this.#run)) break;
      this.#take(fact);
    }
    if (isFinalRun(this.#run)) return;
    this.#view.caughtUp();
    if (this.#run.status === "queued") this.#view.place(await this.#place());
  }

  #take(fact: Fact): void {
    if (!isKnownType(fact.type)) return;
    if (fact.type in backgroundRunFacts) {
      const before = this.#run.status;
      this.#run = project(backgroundRunView, this.#run, fact);
      const isFirst = fact.type === "background_run.queued";
      if (isFirst || before !== this.#run.status) this.#view.status(this.#run);
      return;
    }
    this.#sessionVersion = fact.version;
    const [story, events] = tellFact(this.#story, upcast(fact) as KnownFact);
    this.#story = story;
    for (const event of events) this.#view.take({ ...event, sessionId: this.#id });
  }

  /** 1 for the next one to be taken; `null` when it waits no more. */
  async #place(): Promise<number | null> {
    const waiting = (await this.#log.jobs(BACKGROUND_QUEUE)).filter(
      ({ holder, isEnding }) => holder === null && !isEnding,
    );
    const at = waiting.findIndex(({ key }) => key === this.#id);
    return at < 0 ? null : at + 1;
  }
}

async function collect(facts: AsyncIterable<Fact>): Promise<Fact[]> {
  const all: Fact[] = [];
  for await (const fact of facts) all.push(fact);
  return all;
}
