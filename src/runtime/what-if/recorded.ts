/** What the log has of the hooks of a session: what handlers answered, and when extensions were loaded again. */
import { upcast, type FactData, type FactOf } from "../../events/index.ts";
import type { HandlerOutcome } from "../../extensions/index.ts";
import type { HookSource } from "../../actors/index.ts";
import type { Json } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";

type Answers = FactData<"hook.answered">["answers"];
type Hook = FactData<"hook.answered">["hook"];

/** The answers of handlers, by call and hook. */
export class RecordedAnswers {
  readonly #answers = new Map<string, Answers>();

  /** Those of a session. They are needed before the place in the log where they stand. */
  static async read(log: EventLog, stream: string): Promise<RecordedAnswers> {
    const recorded = new RecordedAnswers();
    for await (const fact of log.read(stream, { types: ["hook.answered"] })) {
      if (fact.redacted !== undefined) continue;
      const { callId, hook, answers } = (upcast(fact) as FactOf<"hook.answered">).data;
      recorded.#answers.set(keyOf(callId, hook), answers);
    }
    return recorded;
  }

  /** `null`: nobody was asked. */
  of(callId: string, hook: Hook): Answers | null {
    return this.#answers.get(keyOf(callId, hook)) ?? null;
  }

  /** As sources that say again what they said, except for some modules. By module. */
  sources(except: ReadonlySet<string>): HookSource[] {
    const counts = new Map<string, { onToolCall: number; onToolResult: number }>();
    for (const [key, answers] of this.#answers) {
      const hook = key.slice(key.indexOf("\n") + 1) as Hook;
      for (const { module, handler } of answers) {
        const known = counts.get(module) ?? { onToolCall: 0, onToolResult: 0 };
        counts.set(module, { ...known, [hook]: Math.max(known[hook], handler + 1) });
      }
    }
    return [...counts]
      .filter(([module]) => !except.has(module))
      .map(([module, hooks]) => ({
        module,
        sha256: null,
        hooks,
        runHooks: (hook, [event]) => Promise.resolve(this.outcomes(callOf(event), hook as Hook, module)),
      }));
  }

  /** What became of the handlers of one module then, by their places. */
  outcomes(callId: string, hook: Hook, module: string): HandlerOutcome[] {
    const outcomes: HandlerOutcome[] = [];
    for (const answer of this.of(callId, hook) ?? []) {
      if (answer.module !== module) continue;
      while (outcomes.length < answer.handler) outcomes.push({ status: "not_run" });
      outcomes.push(outcomeOf(answer));
    }
    return outcomes;
  }
}

function outcomeOf({ answer, failure, durationMs }: Answers[number]): HandlerOutcome {
  // Answers were parsed from JSON.
  return failure === null
    ? { status: "answered", answer: answer as Json, durationMs }
    : { status: "failed", failure, durationMs };
}

function callOf(event: Json | undefined): string {
  return (event as { readonly toolCallId?: string } | undefined)?.toolCallId ?? "";
}

function keyOf(callId: string, hook: Hook): string {
  return `${callId}\n${hook}`;
}

/** A load of extensions that took the place of another while sessions went on. */
export interface RecordedReload {
  readonly position: number;
  readonly loadedAt: number;
}

/** All reloads of a log, in their order. */
export async function recordedReloads(log: EventLog): Promise<RecordedReload[]> {
  const reloads: RecordedReload[] = [];
  for await (const fact of log.readAll({ types: ["extensions.collected"] })) {
    if (fact.redacted !== undefined) continue;
    const { position, data } = upcast(fact) as FactOf<"extensions.collected">;
    if (data.replaces !== null) reloads.push({ position, loadedAt: data.loadedAt });
  }
  return reloads;
}
