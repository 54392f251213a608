/**
 * Judges the calls of one stored session as a live one would: its hooks see the recorded facts in their order, its
 * policy is asked of each call. docs/reference/what-if.md
 */
import {
  askInterceptors,
  SessionHooks,
  sessionViews,
  type HookSource,
  type SessionViews,
} from "../../actors/index.ts";
import {
  byCodePoint,
  type ApprovalMode,
  type FactData,
  type FactType,
  type Json,
  type KnownFact,
  type ModelCall,
} from "../../events/index.ts";
import type { HookAnswer } from "../../hooks/index.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { ExtensionStatusReport } from "../../projections/index.ts";
import type { Author, Judge, Question, Terms } from "../../replay/index.ts";
import type { Masker } from "../../secrets/index.ts";
import {
  approvalModeOf,
  builtInTools,
  createRegistry,
  isRemoved,
  planRegistry,
  type SpokenToolPolicy,
  type ToolRegistry,
} from "../../tools/index.ts";
import { policyOf } from "../session-factory.ts";
import type { Cast } from "./cast.ts";
import { Lives } from "./lives.ts";
import type { RecordedAnswers, RecordedReload } from "./recorded.ts";
import { bare, bent, only, sessionWith } from "./shown-call.ts";

/** The rules under which sessions are judged. */
export interface Rules {
  readonly approval: ApprovalMode | null;
  readonly toolPolicy: Partial<SpokenToolPolicy> | null;
  /** `null`: hooks said what they said then. */
  readonly cast: Cast | null;
  /** Extensions that are not in the cast go on saying what they said. */
  readonly keeps: boolean;
}

/** What judging a session needs. */
export interface JudgeParts {
  readonly rules: Rules;
  readonly recorded: RecordedAnswers;
  readonly reloads: readonly RecordedReload[];
  readonly mask: Masker;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What hooks gave at a start of a session, where that is not what they gave then. */
export interface ChangedContext {
  /** Of the status report with which that life of the session began. */
  readonly version: number;
  /** What the model was shown, label line included. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Failures that are no rule of an extension but an accident: the same code may do without at another time. */
const accidents = new Set(["timeout", "crash", "quarantined"]);
const builtIns = createRegistry(builtInTools, []);

/** See {@link Judge}. */
export class SessionJudge implements Judge {
  readonly #parts: JudgeParts;
  readonly #lives: Lives;
  #views: SessionViews = sessionViews.create();
  #hooks: SessionHooks | null = null;
  #report: Partial<ExtensionStatusReport> = {};
  #start: { version: number; before: string | null; after: string | null } | null = null;
  readonly #contexts: ChangedContext[] = [];
  #kept: readonly HookSource[] | null = null;

  constructor(parts: JudgeParts) {
    this.#parts = parts;
    this.#lives = new Lives(parts.reloads);
  }

  /** What the starts of the session gave, where it differs. */
  get contexts(): readonly ChangedContext[] {
    this.#closeStart();
    return this.#contexts;
  }

  async take(fact: KnownFact): Promise<void> {
    this.#views.fold(fact);
    // A fork is a session of its own: its hooks were not there for what its ancestors did.
    if (fact.version < 1) return;
    const { cast } = this.#parts.rules;
    if (fact.type === "extension_status_report.published") this.#report = fact.data.report;
    if (fact.type === "hook_context.appended" && this.#start !== null) this.#start.before = fact.data.text;
    if (cast === null) return;
    const event = this.#lives.take(fact, this.#isReloading());
    if (event?.is === "started") await this.#begin(cast, fact, event.isFresh);
    if (event?.is === "reloaded") {
      await this.settled();
      await cast.start(this.#views.session.cwd);
    }
    this.#hooks?.take(fact);
    if (event?.is === "shut_down") {
      await this.#hooks?.shutdown(event.reason);
      this.#hooks = null;
    }
  }

  async settled(): Promise<void> {
    await this.#hooks?.settled();
  }

  terms(call: ModelCall): Terms {
    const { approval, toolPolicy, cast } = this.#parts.rules;
    const handlers = (hook: "onToolCall" | "onToolResult"): number =>
      this.#sources().reduce((sum, { hooks }) => sum + (hooks[hook] ?? 0), 0);
    const hooks =
      cast === null
        ? { hooks: call.hooks, resultHooks: call.resultHooks }
        : { hooks: handlers("onToolCall"), resultHooks: handlers("onToolResult") };
    if (approval === null && toolPolicy === null)
      return { isOffered: true, approval: call.approval, ...hooks };
    const { settings } = this.#views.session;
    const policy = policyOf(settings.toolPolicy, toolPolicy ?? {});
    const tool = this.#toolsIn("normal").find(call.name)?.entry ?? bare(call.name);
    return {
      isOffered: !isRemoved(policy, call.name),
      approval: approvalModeOf(tool, call.args, policy, approval ?? settings.approval),
      ...hooks,
    };
  }

  async ask(question: Question): Promise<readonly HookAnswer[]> {
    const { rules, recorded, mask } = this.#parts;
    const then = recorded.of(question.callId, question.hook);
    if (rules.cast === null) return then ?? [];
    // Nobody could be asked then: the process had died, or the extension was gone. That was no extension's doing.
    if (then?.some(({ module }) => module === "") === true) return then;
    const tool = this.#toolsIn(question.mode).find(question.tool)?.entry ?? bare(question.tool);
    const args = question.isReplaced ? question.args : await bent(tool, question.args);
    const registry = only(tool);
    const expected = this.#expected(question);
    const answers = await askInterceptors(
      { data: { callId: question.callId, hook: question.hook } },
      {
        views: () => ({ session: sessionWith(this.#views.session, { ...question, args }, expected) }),
        sources: () => this.#sources().map((source) => this.#asItWas(source, question)),
        registry: () => registry,
        unmasked: () => null,
        secrets: new Map(),
        logger: this.#parts.logger,
      },
    );
    // Answers are JSON: they were copied where they were made.
    return mask.json(answers as unknown as Json) as unknown as readonly HookAnswer[];
  }

  isAnswered({ callId, hook }: Pick<Question, "callId" | "hook">): boolean {
    return this.#parts.recorded.of(callId, hook) !== null;
  }

  readonly authorThen = ({ module, sha256 }: Pick<HookAnswer, "module" | "sha256">): Author => {
    const known = this.#report.extensions?.find((extension) => extension.module === module);
    return { module, version: known?.version ?? null, sha256 };
  };

  readonly authorNow = (answer: Pick<HookAnswer, "module" | "sha256">): Author => {
    const version = this.#parts.rules.cast?.versionOf(answer.module) ?? null;
    return version === null ? this.authorThen(answer) : { ...this.authorThen(answer), version };
  };

  /** A life of the session begins: its extensions are started and are told of it. */
  async #begin(cast: Cast, { version }: KnownFact, isFresh: boolean): Promise<void> {
    await this.settled();
    this.#closeStart();
    const { sessionId, cwd, lineage } = this.#views.session;
    if (isFresh) await cast.start(cwd);
    const { clock, logger, mask } = this.#parts;
    const start = { version, before: null as string | null, after: null as string | null };
    const submit = (type: FactType, data: unknown): Promise<void> => {
      // Nothing is recorded: what hooks gave at the start is compared, that one failed is in the log lines.
      if (type === "hook_context.appended")
        start.after = mask.json((data as FactData<"hook_context.appended">).text);
      return Promise.resolve();
    };
    const sources = (): readonly HookSource[] => this.#sources();
    this.#hooks = new SessionHooks({
      stream: { views: this.#views, submit },
      extensions: {
        get sources() {
          return sources();
        },
      },
      clock,
      logger,
    });
    const sessionScope = lineage.origin === "subagent" ? "subagent" : "main";
    const started = this.#hooks.start({ sessionId, cwd, sessionScope });
    started.go();
    await started.done;
    this.#start = start;
  }

  #closeStart(): void {
    const start = this.#start;
    this.#start = null;
    // What kept extensions gave can't be told from what the others gave.
    if (start === null || this.#parts.rules.keeps || start.before === start.after) return;
    this.#contexts.push(start);
  }

  /** Those of the cast, and those that go on as recorded, by module. */
  #sources(): readonly HookSource[] {
    const { rules, recorded } = this.#parts;
    const own = rules.cast?.sources ?? [];
    if (!rules.keeps) return own;
    this.#kept ??= recorded.sources(new Set(own.map(({ module }) => module)));
    return [...own, ...this.#kept].toSorted((a, b) => byCodePoint(a.module, b.module));
  }

  /**
   * The same code that ran over its time, crashed or was quarantined at this call did so by accident: it is not asked
   * again, and its worker is started afresh as it was then.
   */
  #asItWas(source: HookSource, { callId, hook }: Question): HookSource {
    const { recorded, rules } = this.#parts;
    const then = recorded.of(callId, hook)?.filter(({ module }) => module === source.module) ?? [];
    const accident = then.find(({ sha256, failure }) => {
      const isSame = sha256 !== null && sha256 === source.sha256;
      return isSame && failure !== null && accidents.has(failure.kind);
    });
    if (accident === undefined) return source;
    const runHooks: HookSource["runHooks"] = async () => {
      if (accident.failure?.kind !== "quarantined") await rules.cast?.restart(source.module);
      return recorded.outcomes(callId, hook, source.module);
    };
    return { ...source, runHooks };
  }

  /** Every handler of the cast, and what kept ones said then. One that could not be asked must not let the call through. */
  #expected({ callId, hook }: Question): number {
    const { cast } = this.#parts.rules;
    const own = cast?.sources.reduce((sum, { hooks }) => sum + (hooks[hook] ?? 0), 0) ?? 0;
    const kept = this.#parts.recorded.of(callId, hook) ?? [];
    const isKept = ({ module }: HookAnswer): boolean => cast?.versionOf(module) === null;
    return own + (this.#parts.rules.keeps ? kept.filter(isKept).length : 0);
  }

  #isReloading(): boolean {
    return Object.values(this.#views.session.calls).some(
      ({ name, state, args }) =>
        name === "extensions_status" && state === "running" && args?.["action"] === "reload",
    );
  }

  #toolsIn(mode: Question["mode"]): ToolRegistry {
    const registry = this.#parts.rules.cast?.registry ?? builtIns;
    return mode === "plan" ? planRegistry(registry, () => false) : registry;
  }
}
