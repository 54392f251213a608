/** Asks the session's own model for a summary of the older part of its conversation. docs/reference/compaction.md */
import { addUsage, noUsage, type Usage } from "../../events/index.ts";
import type { Clock } from "../../ports.ts";
import { ask, type Model, type ModelAnswer, type ModelAnswered } from "../../providers/index.ts";
import type { Effect, Outcome } from "../effect-runner.ts";
import type { SessionViews } from "../session-views.ts";
import { contextLimits, type CompactionSettings } from "./context-limits.ts";
import { cutOff, planCut } from "./cut.ts";
import { classOfNoModel, isModel } from "./no-model.ts";
import { tokensIn, tokensOf } from "./request.ts";
import { roomFor, summaryRequest, type SummaryRequest } from "./summary-request.ts";

/** Milliseconds that a summary may take, all tries together. */
const SUMMARY_MS = 120_000;
/** Requests for one summary: one that is refused as too long is followed by another of half the size. */
const MAX_TRIES = 3;

/** What the effect needs. */
export interface CompactionEffectParts {
  readonly views: () => SessionViews;
  /** The model of the session's settings. Rejects with a `LemonError` when there is none. */
  readonly model: () => Promise<Model>;
  /** `null`: compaction is switched off. */
  readonly settings: CompactionSettings | null;
  readonly clock: Clock;
}

/** Makes a summary. A request whose process died is lost and made again. */
export function compactionEffect(parts: CompactionEffectParts): Effect<"compaction.requested"> {
  return {
    run: async ({ data: { window, tokens } }, { signal }) => {
      const { settings, clock, views } = parts;
      const { transcript, session } = views();
      const limits = settings === null ? null : contextLimits(window, settings);
      const cut = limits === null ? null : planCut(transcript, limits);
      // The session was resumed with another configuration.
      if (limits === null || cut === null) return failed("nothing_to_compact");
      const model = await parts.model().catch((error: unknown) => error);
      if (!isModel(model)) return failed(classOfNoModel(model));

      const requestOf = (room: number): SummaryRequest => summaryRequest(transcript, cut, room);
      const { responses, failures } = session;
      const told = await ask(
        async (either) => {
          const options = { signal: either, onDelta: () => undefined, responses, failures, clock };
          return askUntilItFits(roomFor(limits), (room) => model.request(requestOf(room).context, options));
        },
        { clock, timeoutMs: SUMMARY_MS, signal },
      );
      if (signal.aborted) return lost;
      if (!told.ok) return failed(told.failure === "timeout" ? "timeout" : "internal");
      const { answer, usage, room } = told.value;
      const refusal = refusalOf(answer);
      if (answer.type !== "answered" || refusal !== null)
        return failed(refusal ?? "internal", statusOf(answer), usage);
      const summary = textOf(answer);
      const gained =
        tokensIn(cutOff(transcript, cut)) - tokensOf({ role: "summary", version: 0, text: summary, ...cut });
      if (gained <= 0) return failed("no_gain", null, usage);
      const { requestSha256, leftOut } = requestOf(room);
      const { messages, kept } = cut;
      return {
        type: "session.compacted",
        data: {
          summary,
          messages,
          kept: [...kept],
          room,
          leftOut,
          tokensBefore: tokens,
          tokensAfter: Math.max(0, tokens - gained),
          modelId: answer.modelId,
          usage,
          requestSha256,
        },
      };
    },
    recover: () => Promise.resolve(lost),
    failed: () => failed("internal"),
  };
}

const lost: Outcome = { type: "compaction.lost", data: {} };

function failed(failure: string, status: number | null = null, usage: Usage = noUsage): Outcome {
  return { type: "compaction.failed", data: { class: failure, status, usage } };
}

/** Why an answer is no summary; `null`: it is one. */
function refusalOf(answer: ModelAnswer): string | null {
  switch (answer.type) {
    case "failed":
      return answer.failure.class;
    case "aborted":
      // Nobody aborted it, and asking again would go on for ever.
      return "internal";
    case "answered":
      if (answer.finishReason === "content_filter") return "content_filter";
      return textOf(answer) === "" ? "empty_summary" : null;
  }
}

function statusOf(answer: ModelAnswer): number | null {
  return answer.type === "failed" ? answer.failure.status : null;
}

interface Asked {
  readonly answer: ModelAnswer;
  /** Of all tries. */
  readonly usage: Usage;
  /** Of the last try. */
  readonly room: number;
}

/** Sizes are estimates: what the provider refuses as too long is tried with less of the conversation. */
async function askUntilItFits(most: number, request: (room: number) => Promise<ModelAnswer>): Promise<Asked> {
  let usage = noUsage;
  for (let tries = 1; ; tries += 1) {
    const room = Math.floor(most / 2 ** (tries - 1));
    const answer = await request(room);
    if (answer.type !== "aborted") usage = addUsage(usage, answer.usage);
    const isTooLong = answer.type === "failed" && answer.failure.class === "context_too_long";
    if (!isTooLong || tries === MAX_TRIES) return { answer, usage, room };
  }
}

function textOf({ content }: ModelAnswered): string {
  return content
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("")
    .trim();
}
