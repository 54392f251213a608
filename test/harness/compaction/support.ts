import type { Fact, FactData, FactType } from "../../../src/events/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import type { SessionEvent } from "../../../src/projections/index.ts";
import {
  scriptedModel,
  type Model,
  type ModelContext,
  type ScriptedTurn,
} from "../../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, Session } from "../../../src/runtime/index.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { factsOf, scriptedRuntime } from "../../support/runtimes.ts";

/** Words that take about so many tokens. */
export function words(tokens: number, word = "word"): string {
  return `${word} `.repeat(Math.ceil((tokens * 4) / (word.length + 1))).trim();
}

/** A model that keeps what it was asked with. */
export function recorded(model: Model): Model & { readonly asked: ModelContext[] } {
  const asked: ModelContext[] = [];
  return {
    ...model,
    asked,
    request: (context, options) => {
      asked.push(context);
      return model.request(context, options);
    },
  };
}

/** Whether a request is one for a summary. */
export function isSummaryRequest({ systemPrompt }: ModelContext): boolean {
  return systemPrompt.startsWith("You write the memory of a coding agent.");
}

/** Every text in a request, one message a line. */
export function textsOf({ messages }: ModelContext): string[] {
  return messages.map((message) => {
    const blocks =
      message.role === "tool" ? message.results.flatMap(({ content }) => content) : message.content;
    return blocks.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join(" ");
  });
}

/** Limits that a test comes to in a few turns: compaction is due above 1,600 tokens. */
export const small: NonNullable<RuntimeOptions["config"]> = {
  models: { s: { contextWindow: 2_000 } },
  compaction: { reserveTokens: 400, keepTokens: 200 },
};

/** A session that is nearly too long, and all that a test looks at. */
export interface Subject {
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly session: Session;
  readonly asked: readonly ModelContext[];
  readonly events: readonly SessionEvent[];
  facts(): Promise<Fact[]>;
  dataOf<Type extends FactType>(type: Type): Promise<FactData<Type>[]>;
  /** What replay finds, and whether the folded views are those of the live session. */
  close(): Promise<readonly unknown[]>;
}

/** A session with small limits. */
export async function subjectOf(
  model: Model | readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
): Promise<Subject> {
  const log = (options.log as EventLog | undefined) ?? (await memoryLog());
  const watched = recorded("request" in model ? model : scriptedModel(model));
  const runtime = await scriptedRuntime(log, [], { config: small, models: { s: watched }, ...options });
  const events: SessionEvent[] = [];
  const session = await runtime.sessions.start({ model: "s/m", onEvent: (event) => events.push(event) });
  const facts = (): Promise<Fact[]> => factsOf(log, `session-${session.id}`);
  return {
    log,
    runtime,
    session,
    asked: watched.asked,
    events,
    facts,
    dataOf: async (type) =>
      (await facts()).filter((fact) => fact.type === type).map(({ data }) => data as FactData<typeof type>),
    close: async () => {
      const { divergences } = await runtime.replay.verify(session.id);
      await runtime.close();
      return divergences;
    },
  };
}

/** `version type kind ← causation`, from a version on. */
export function rows(facts: readonly Fact[], from: number): string[] {
  return facts
    .filter(({ version }) => version >= from)
    .map(({ version, type, kind, causation }) => `${version} ${type} ${kind[0]} ← ${causation ?? "–"}`);
}
