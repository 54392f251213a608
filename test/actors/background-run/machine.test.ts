/** What becomes of a run: every status with every event, and what holds whatever happens in whatever order. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decideRun,
  ranMs,
  type BackgroundRunDecision,
  type BackgroundRunEvent,
  type RunOutcome,
} from "../../../src/actors/background-run/machine.ts";
import { catalogue, loadSchemas } from "../../../src/events/index.ts";
import { backgroundRunStatuses, isFinalRun, type BackgroundRunView } from "../../../src/projections/index.ts";
import { apply, neverQueued, queuedView, viewIn } from "../../support/background-views.ts";
import { rounds } from "../../support/soak.ts";

const { checkFact } = await loadSchemas();

const T = 1_000_000;
/** After so many the next loss is the end. */
const MAX_LOSSES = 3;
const done: RunOutcome = { status: "completed", stopReason: "end_turn", error: null, text: "Done." };

const events = {
  claimed: { type: "claimed", owner: { pid: 7, host: "h" }, lease: { key: "a", fence: 1 } },
  owner_gone: { type: "owner_gone", now: T + 900, seenAt: T + 500 },
  owner_leaves: { type: "owner_leaves", now: T + 900 },
  unresolvable: { type: "unresolvable", now: T + 900, seenAt: T + 500 },
  session_ended: { type: "session_ended", outcome: done, now: T + 900 },
  session_failed: { type: "session_failed", class: "session_crashed", error: "boom", now: T + 900 },
  time_up: { type: "time_up", now: T + 900, partialText: "so far" },
  cancelled: { type: "cancelled", now: T + 900, reason: "enough" },
} as const satisfies Record<BackgroundRunEvent["type"], BackgroundRunEvent>;

/** The fact and what it does to the place in line. `null`: nothing. What is not named is `null` in every status. */
const table: Record<"queued" | "running", Record<keyof typeof events, string | null>> = {
  queued: {
    claimed: "background_run.started taken",
    owner_gone: null,
    owner_leaves: null,
    unresolvable: "background_run.lost done",
    session_ended: null,
    session_failed: null,
    time_up: null,
    cancelled: "background_run.cancelled done",
  },
  running: {
    claimed: null,
    owner_gone: "background_run.requeued back",
    owner_leaves: "background_run.requeued back",
    unresolvable: "background_run.lost ending",
    session_ended: "background_run.completed done",
    session_failed: "background_run.failed ending",
    time_up: "background_run.timed_out ending",
    cancelled: "background_run.cancelled ending",
  },
};

function words(decision: BackgroundRunDecision | null): string | null {
  return decision === null ? null : `${decision.type} ${decision.job}`;
}

describe.each(backgroundRunStatuses)("a run that is %s", (status) => {
  test.each(Object.values(events))("and then $type", (event) => {
    const expected = status === "queued" || status === "running" ? table[status][event.type] : null;
    expect(words(decideRun(viewIn(status, T), event))).toBe(expected);
  });
});

test.each(Object.values(events))("nothing is decided for a run that was never queued: $type", (event) => {
  expect(decideRun(neverQueued, event)).toBeNull();
});

test("a run that waits for its second attempt leaves what is to be tidied up", () => {
  const waiting = apply(viewIn("running", T), events.owner_gone);
  expect(words(decideRun(waiting, events.cancelled))).toBe("background_run.cancelled ending");
  expect(words(decideRun(waiting, events.unresolvable))).toBe("background_run.lost ending");
});

describe("what the end of a session makes of a run", () => {
  const cases: [string, Partial<RunOutcome>, string, string | null][] = [
    ["ended by itself", {}, "background_run.completed", null],
    ["blank", { text: " \n\t" }, "background_run.failed", "empty_answer"],
    ["empty", { text: "" }, "background_run.failed", "empty_answer"],
    ["cut by max_tokens", { stopReason: "max_tokens" }, "background_run.failed", "model_failed"],
    [
      "cut by the limit of tool turns",
      { stopReason: "max_tool_turns" },
      "background_run.failed",
      "model_failed",
    ],
    [
      "aborted",
      { status: "aborted", stopReason: "aborted", error: null },
      "background_run.failed",
      "model_failed",
    ],
    [
      "a model's error",
      { status: "failed", stopReason: "error", error: "model_unavailable" },
      "background_run.failed",
      "model_failed",
    ],
    [
      "a crash",
      { status: "failed", stopReason: "error", error: "session_crashed" },
      "background_run.failed",
      "session_crashed",
    ],
  ];

  test.each(cases)("%s", (_name, said, type, kind) => {
    const decision = decideRun(viewIn("running", T), {
      type: "session_ended",
      outcome: { ...done, ...said },
      now: T + 900,
    });
    expect(decision?.type).toBe(type);
    if (kind !== null) expect(decision?.data).toMatchObject({ class: kind });
  });

  test("keeps what was said before a failure, and nothing of a failure without words", () => {
    const failed = { ...done, stopReason: "max_tokens" } as const;
    const withWords = decideRun(viewIn("running", T), { type: "session_ended", outcome: failed, now: T });
    expect(withWords?.data).toMatchObject({ partialText: "Done.", error: "max_tokens" });
    const outcome = { ...failed, text: "" };
    const without = decideRun(viewIn("running", T), { type: "session_ended", outcome, now: T });
    expect(without?.data).toMatchObject({ partialText: null });
  });
});

test("work that was seen last at one time is counted up to then", () => {
  expect(decideRun(viewIn("running", T), events.owner_gone)?.data).toMatchObject({ ranMs: 500, attempt: 1 });
  expect(decideRun(viewIn("running", T), events.owner_leaves)?.data).toMatchObject({ ranMs: 900 });
});

test("the reason of a cancel is cut at 500 characters, and never inside one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 600, minLength: 0 }), fc.boolean(), (text, isLong) => {
      const reason = isLong ? "🍋".repeat(500) + text : text;
      const decision = decideRun(viewIn("running", T), { type: "cancelled", now: T, reason });
      const kept = decision?.type === "background_run.cancelled" ? (decision.data.reason ?? "") : "";
      expect([...kept].length).toBe(Math.min(500, [...reason].length));
      expect(reason.startsWith(kept)).toBe(true);
    }),
    { numRuns: rounds(100, 1_000, 10_000) },
  );
});

const at = fc.integer({ min: T - 10_000, max: T + 10_000 });
const outcome: fc.Arbitrary<RunOutcome> = fc.record({
  status: fc.constantFrom("completed", "aborted", "failed"),
  stopReason: fc.constantFrom(
    "end_turn",
    "max_tokens",
    "max_tool_turns",
    "content_filter",
    "error",
    "aborted",
  ),
  error: fc.constantFrom(null, "session_crashed", "model_unavailable"),
  text: fc.constantFrom("", "  ", "Done."),
});
const anyEvent: fc.Arbitrary<BackgroundRunEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(events.claimed) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant("owner_gone" as const), now: at, seenAt: at }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("owner_leaves" as const), now: at }) },
  fc.record({ type: fc.constant("unresolvable" as const), now: at, seenAt: at }),
  fc.record({ type: fc.constant("session_ended" as const), outcome, now: at }),
  fc.record({
    type: fc.constant("session_failed" as const),
    class: fc.constantFrom("session_crashed" as const, "start_failed" as const),
    error: fc.string(),
    now: at,
  }),
  fc.record({ type: fc.constant("time_up" as const), now: at, partialText: fc.option(fc.string()) }),
  fc.record({ type: fc.constant("cancelled" as const), now: at, reason: fc.option(fc.string()) }),
);
const history = fc.record({
  onRestart: fc.constantFrom("resume" as const, "lost" as const),
  steps: fc.array(fc.tuple(anyEvent, at), { maxLength: 30 }),
});

/** Plays a history; `see` meets each decision with what it was made on, and when its fact was recorded. */
function play(
  { onRestart, steps }: { onRestart: "resume" | "lost"; steps: readonly [BackgroundRunEvent, number][] },
  see: (
    before: BackgroundRunView,
    event: BackgroundRunEvent,
    decision: BackgroundRunDecision | null,
    after: BackgroundRunView,
  ) => void,
): void {
  let view = queuedView(T, { onRestart });
  for (const [event, recordedAt] of steps) {
    const decision = decideRun(view, event);
    const after = apply(view, event, recordedAt);
    see(view, event, decision, after);
    view = after;
  }
}

function always(see: Parameters<typeof play>[1]): void {
  fc.assert(
    fc.property(history, (said) => play(said, see)),
    { numRuns: rounds(300, 3_000, 50_000) },
  );
}

describe("whatever happens", () => {
  test("every decision is a fact that the log takes", () => {
    always((_before, _event, decision) => {
      if (decision !== null) checkFact(decision.type, catalogue[decision.type].schemaVersion, decision.data);
    });
  });

  test("an end is final, and leaves the line", () => {
    always((before, _event, decision, after) => {
      if (isFinalRun(before)) expect(decision).toBeNull();
      if (decision !== null && isFinalRun(after)) expect(["ending", "done"]).toContain(decision.job);
      if (decision !== null && !isFinalRun(after)) expect(["taken", "back"]).toContain(decision.job);
    });
  });

  test("attempts count 1, 2, 3 …, and only what waits is taken", () => {
    always((before, _event, decision) => {
      if (decision?.type === "background_run.started") {
        expect(before.status).toBe("queued");
        expect(decision.data.attempt).toBe((before.start?.attempt ?? 0) + 1);
      }
      if (decision?.type === "background_run.requeued")
        expect(decision.data.attempt).toBe(before.start?.attempt);
    });
  });

  test("time of work is never negative, never shrinks, and an attempt adds no more than the clocks say", () => {
    always((before, event, decision, after) => {
      expect(after.ranMs).toBeGreaterThanOrEqual(before.ranMs);
      if (decision === null || !("ranMs" in decision.data) || !("now" in event)) return;
      const added = decision.data.ranMs - before.ranMs;
      const most = before.attemptAt === null ? 0 : Math.max(0, event.now - before.attemptAt);
      expect(added).toBeGreaterThanOrEqual(0);
      expect(added).toBeLessThanOrEqual(most);
      expect(after.ranMs).toBe(decision.data.ranMs);
    });
  });

  test("time stands still once a run is over or waits", () => {
    always((_before, _event, _decision, after) => {
      if (after.status === "running") return;
      expect([ranMs(after, 0), ranMs(after, T + 1e9)]).toEqual([after.ranMs, after.ranMs]);
    });
  });

  test("three losses go back in line and the fourth is the end; an orderly end of a process is no loss", () => {
    const lossy = fc.array(fc.constantFrom(events.owner_gone, events.owner_leaves), {
      minLength: 4,
      maxLength: 40,
    });
    fc.assert(
      fc.property(lossy, (ends) => {
        let view = queuedView(T);
        let losses = 0;
        for (const end of ends) {
          view = apply(view, events.claimed);
          const decision = decideRun(view, end);
          if (end.type === "owner_gone") losses += 1;
          if (losses > MAX_LOSSES) {
            expect(decision).toMatchObject({
              type: "background_run.lost",
              data: { cause: "too_many_restarts" },
            });
            return;
          }
          const cause = end.type === "owner_gone" ? "owner_lost" : "shut_down";
          expect(decision).toMatchObject({ type: "background_run.requeued", job: "back", data: { cause } });
          view = apply(view, end);
          expect(view.losses).toBe(losses);
        }
      }),
      { numRuns: rounds(100, 1_000, 10_000) },
    );
  });

  test("a run that is not to be resumed is lost with its process", () => {
    for (const event of [events.owner_gone, events.owner_leaves])
      expect(decideRun(viewIn("running", T, { onRestart: "lost" }), event)).toMatchObject({
        type: "background_run.lost",
        data: { cause: "not_resumable" },
      });
  });
});
