/** What a new or resumed session is made of: its settings, its model, its extensions, what it must hide. */
import { SessionHooks, type AskedModel, type PendingReceipts } from "../actors/index.ts";
import type { Config } from "../config/index.ts";
import type { FactData, ThinkingLevel } from "../events/index.ts";
import type { SessionEvent } from "../projections/index.ts";
import {
  contextWindowOf,
  parseScript,
  resolveModel,
  scriptedModel,
  UnknownModelError,
  type Model,
  type ModelSource,
} from "../providers/index.ts";
import { createMasker, type KnownSecret, type Masker } from "../secrets/index.ts";
import { modeOf, type AnyToolDefinition, type SpokenToolPolicy } from "../tools/index.ts";
import { NoModelError } from "./errors.ts";
import type { ExtensionRegistry } from "./extension-registry.ts";
import { handedTools } from "./handed-tools.ts";
import { knownSecrets, restorableSecrets, shortSecretWarnings } from "./known-secrets.ts";
import type { Configured } from "./load-builder.ts";
import { SessionExtensions, specOf } from "./session-extensions.ts";
import type { Session } from "./session.ts";
import { openSessionStream, type SessionStream, type SessionWorld } from "./session-stream.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** What can be set of a session. */
export type Settings = FactData<"session.configured">;

/** What was said of a session, over what is recorded or configured. */
export interface SessionOptions {
  /** `provider/model-id`. Default: what is configured. */
  readonly model?: string;
  /** How much the model is to think. Default: as it does by itself. */
  readonly thinkingLevel?: ThinkingLevel;
  /** Default: what is configured. */
  readonly approval?: Settings["approval"];
  /** A script instead of a model (docs/reference/models.md): where it came from, and its JSON text. */
  readonly script?: { readonly path: string; readonly text: string };
  /** Files and folders of extensions beside those that are configured. */
  readonly extensions?: readonly string[];
  /** In place of all that is configured, the default folders included. */
  readonly extensionPaths?: readonly string[];
  /** Names of tools that are not offered. */
  readonly disabled?: readonly string[];
  /** The only tools that are offered; then `disabled` has no effect. */
  readonly enabledOnly?: readonly string[];
  /** `false`: no tools, hooks and providers of extensions. Default `true`. */
  readonly includeExtensions?: boolean;
  /** Which tools are offered, and which calls have to be approved. What is left out stays as it is. */
  readonly toolPolicy?: Partial<SpokenToolPolicy>;
  /** Tools in place of the built-in ones; those of extensions follow. Not recorded: a resume wants them again. */
  readonly customTools?: readonly AnyToolDefinition[];
  /** Tools after all others. Not recorded: a resume wants them again. */
  readonly extraTools?: readonly AnyToolDefinition[];
  /** Gets the session of each of its subagents, and of theirs, as it opens. Not recorded: a resume wants it again. */
  readonly onSubagent?: (session: Session) => void;
  /** The open run is aborted before it goes on. @internal */
  readonly abortWith?: string;
  /** What is open waits until the session is resumed again, or prompted. @internal */
  readonly isHeld?: boolean;
  /** Sees every event from the first; what `subscribe` is given later may have missed some of a run that goes on. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** What the factory needs of its runtime. */
export interface FactoryDeps {
  readonly world: SessionWorld;
  readonly home: string;
  readonly models: Readonly<Record<string, ModelSource>>;
  readonly extensions: ExtensionRegistry;
  /** The configuration as it is for a folder. */
  readonly configure: (cwd: string) => Promise<Configured>;
  /** Besides those that are configured. */
  readonly secretsOfHome: readonly KnownSecret[];
}

/** A session's stream, not started yet, and what goes with it. */
export interface OpenedSession {
  readonly stream: SessionStream;
  readonly hooks: SessionHooks;
  readonly receipts: PendingReceipts;
  readonly extensions: SessionExtensions;
}

/** A model for somebody who is no session. */
export interface LentModel extends AskedModel {
  readonly release: () => Promise<void>;
}

/** Makes the parts of sessions. */
export class SessionFactory {
  readonly world: SessionWorld;
  readonly #deps: FactoryDeps;

  constructor(deps: FactoryDeps) {
    this.world = deps.world;
    this.#deps = deps;
  }

  /** Settings of a new session in a folder. @throws NoModelError, InvalidScriptError, InvalidConfigError */
  async newSettings(cwd: string, options: SessionOptions): Promise<Settings> {
    const { config } = await this.#deps.configure(cwd);
    const { runtime } = config;
    const model = options.model ?? runtime.model;
    if (model === null && options.script === undefined) throw new NoModelError();
    return this.changedSettings(
      {
        model: model ?? "",
        thinkingLevel: null,
        approval: runtime.approval,
        maxToolConcurrency: finite(runtime.maxToolConcurrency),
        maxToolTurns: finite(runtime.maxToolTurns),
        script: null,
        extensions: [],
        extensionPaths: null,
        disabled: [],
        enabledOnly: null,
        includeExtensions: true,
        toolPolicy: policyOf(config.runtime.tools.policy),
      },
      options,
    );
  }

  /** Settings with what was said laid over them. A model that is named takes the place of a script. */
  async changedSettings(base: Settings, options: SessionOptions): Promise<Settings> {
    const { model, approval, script } = options;
    const settings: Settings = {
      ...base,
      thinkingLevel: options.thinkingLevel ?? base.thinkingLevel,
      approval: approval ?? base.approval,
      extensions: [...(options.extensions ?? base.extensions)],
      extensionPaths: copied(options.extensionPaths) ?? base.extensionPaths,
      disabled: [...(options.disabled ?? base.disabled)],
      enabledOnly: copied(options.enabledOnly) ?? base.enabledOnly,
      includeExtensions: options.includeExtensions ?? base.includeExtensions,
      toolPolicy: policyOf(base.toolPolicy, options.toolPolicy),
    };
    if (script !== undefined) {
      parseScript(jsonOrNull(script.text), script.path);
      const sha256 = await this.world.log.putBlob(Buffer.from(script.text));
      return { ...settings, model: "scripted/script", script: { path: script.path, sha256 } };
    }
    return model === undefined ? settings : { ...settings, model, script: null };
  }

  /**
   * A model for what is no session. Default: the one that is configured for the folder.
   *
   * @throws NoModelError, UnknownModelError, InvalidConfigError
   */
  async modelFor(cwd: string, ref?: string): Promise<Model> {
    const { config } = await this.#deps.configure(cwd);
    const model = ref ?? config.runtime.model;
    if (model === null) throw new NoModelError();
    return this.#resolve(model, config.models);
  }

  /**
   * The model of settings, apart from any session, and its room. One that an extension brings is found by loading the
   * extensions, unless they are.
   *
   * @returns `release` gives back what was loaded for it
   * @throws UnknownModelError, InvalidConfigError
   */
  async modelOf(cwd: string, settings: Settings): Promise<LentModel> {
    const { configure, extensions } = this.#deps;
    const { models } = (await configure(cwd)).config;
    const lent = async (release: () => Promise<void>): Promise<LentModel> => {
      const model = await this.#model(settings, models);
      const { thinkingLevel } = settings;
      return { model, window: contextWindowOf(model, models), thinkingLevel, release };
    };
    try {
      return await lent(() => Promise.resolve());
    } catch (error) {
      if (!(error instanceof UnknownModelError) || !settings.includeExtensions) throw error;
    }
    const load = await extensions.acquire(specOf(cwd, settings));
    const release = (): Promise<void> => extensions.release(load);
    return lent(release).catch(async (error: unknown) => {
      await release();
      throw error;
    });
  }

  /** Hides what is secret in a folder. @throws InvalidConfigError */
  async maskOf(cwd: string): Promise<Masker> {
    const { config } = await this.#deps.configure(cwd);
    return createMasker([...knownSecrets(config, this.world.env), ...this.#deps.secretsOfHome]);
  }

  /** Whether another process can find the model of a session: it is no object of this program. */
  isKnownElsewhere({ model, script }: Settings): boolean {
    if (script !== null) return true;
    const provider = model.slice(0, Math.max(model.indexOf("/"), 0));
    return ![model, provider].some((name) => Object.hasOwn(this.#deps.models, name));
  }

  /** Of the runtime. */
  get home(): string {
    return this.#deps.home;
  }

  async systemPrompt(cwd: string): Promise<string> {
    const { config } = await this.#deps.configure(cwd);
    return buildSystemPrompt(this.#deps.home, cwd, Object.keys(config.secrets));
  }

  /** The parts of a session in a folder, its extensions not loaded yet. @throws InvalidConfigError, InvalidToolError */
  async open(sessionId: string, cwd: string, options: SessionOptions): Promise<OpenedSession> {
    const { world, extensions: registry, configure, secretsOfHome } = this.#deps;
    const { config } = await configure(cwd);
    for (const warning of shortSecretWarnings(config, world.env)) world.logger.warn({}, warning);
    const extensions = new SessionExtensions({
      handed: await handedTools(options, world.logger),
      registry,
      secrets: [...knownSecrets(config, world.env), ...secretsOfHome],
      logger: world.logger,
    });
    // Not the whole configuration: a session keeps what stands here for its whole life.
    const { models, compaction } = config;
    const { stream, hooks, receipts } = await openSessionStream(sessionId, world, {
      mask: extensions.mask,
      secrets: restorableSecrets(config, world.env),
      registry: (mode) => extensions.toolsIn(mode),
      isGuarded: config.checkpoints.guard,
      sources: () => extensions.sources,
      extensions,
      reloaded: () => extensions.settled(),
      hooks: (made) => this.#hooks(made, extensions),
      model: ({ views }) => this.#model(views.session.settings, models),
      compaction: {
        settings: compaction.enabled ? compaction : null,
        windowOf: (model) => contextWindowOf(model, models),
      },
    });
    extensions.attach(stream);
    return { stream, hooks, receipts, extensions };
  }

  #hooks(stream: SessionStream, extensions: SessionExtensions): SessionHooks {
    const { clock, logger } = this.world;
    return new SessionHooks({ stream, extensions, clock, logger });
  }

  async #model(settings: Settings, configured: Config["models"]): Promise<Model> {
    const { script, model } = settings;
    if (script === null) return this.#resolve(model, configured);
    const bytes = await this.world.log.getBlob(script.sha256);
    return scriptedModel(parseScript(JSON.parse(Buffer.from(bytes).toString("utf8")), script.path), model);
  }

  #resolve(ref: string, configured: Config["models"]): Model {
    const provided = this.#deps.extensions.modelProviders();
    return resolveModel(ref, {
      models: { ...provided.models, ...this.#deps.models },
      settings: provided.settings,
      configured,
      env: this.world.env,
    });
  }
}

/** What is no JSON is no script either, and is refused like one of the wrong shape. */
function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

function copied(list: readonly string[] | undefined): string[] | null {
  return list === undefined ? null : [...list];
}

/** Copied, since a program may change its lists later; the recorded form has lists of its own. */
export function policyOf(
  base: SpokenToolPolicy,
  said: Partial<SpokenToolPolicy> = {},
): Settings["toolPolicy"] {
  const { allow, deny, blockedTools, requireApproval, approvals } = { ...base, ...said };
  return {
    allow: allow === "all" ? allow : [...allow],
    deny: [...deny],
    blockedTools: [...blockedTools],
    requireApproval: [...requireApproval],
    approvals: Object.fromEntries(Object.entries(approvals).map(([name, word]) => [name, modeOf(word)])),
  };
}
