/** What a new or resumed session is made of: its settings, its tools, its model, what it must hide. */
import type { Config } from "../config/index.ts";
import type { FactData } from "../events/index.ts";
import type { SessionEvent } from "../projections/index.ts";
import {
  parseScript,
  resolveModel,
  scriptedModel,
  type Model,
  type ModelSource,
} from "../providers/index.ts";
import { createMasker } from "../secrets/index.ts";
import {
  builtInTools,
  createRegistry,
  normaliseTool,
  type AnyToolDefinition,
  type Extension,
  type ExtensionTool,
  type ToolRegistry,
} from "../tools/index.ts";
import { NoModelError } from "./errors.ts";
import { knownSecrets } from "./known-secrets.ts";
import { openSessionStream, type SessionStream, type SessionWorld } from "./session-stream.ts";
import { buildSystemPrompt } from "./system-prompt.ts";

/** What can be set of a session. */
export type Settings = FactData<"session.configured">;

/** What was said of a session, over what is recorded or configured. */
export interface SessionOptions {
  /** `provider/model-id`. Default: what is configured. */
  readonly model?: string;
  /** Default: what is configured. */
  readonly approval?: Settings["approval"];
  /** A script instead of a model (docs/reference/models.md): where it came from, and its JSON text. */
  readonly script?: { readonly path: string; readonly text: string };
  /** Sees every event from the first; what `subscribe` is given later may have missed some of a run that goes on. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** What the factory needs of its runtime. */
export interface FactoryDeps {
  readonly world: SessionWorld;
  readonly home: string;
  readonly models: Readonly<Record<string, ModelSource>>;
  readonly extensions: readonly Extension[];
  /** The configuration as it is for a folder. */
  readonly configure: (cwd: string) => Promise<Config>;
}

/** Makes the parts of sessions. */
export class SessionFactory {
  readonly world: SessionWorld;
  readonly #deps: FactoryDeps;
  readonly #normalised = new WeakMap<object, ReturnType<typeof normaliseTool>>();
  /** The last list of tools, and what it was made of: sessions that have equal ones share it. */
  #tools: { readonly found: readonly ExtensionTool[]; readonly registry: ToolRegistry } | null = null;

  constructor(deps: FactoryDeps) {
    this.world = deps.world;
    this.#deps = deps;
  }

  /** Settings of a new session in a folder. @throws NoModelError, InvalidScriptError, InvalidConfigError */
  async newSettings(cwd: string, options: SessionOptions): Promise<Settings> {
    const { runtime } = await this.#deps.configure(cwd);
    const model = options.model ?? runtime.model;
    if (model === null && options.script === undefined) throw new NoModelError();
    return this.changedSettings(
      {
        model: model ?? "",
        approval: runtime.approval,
        maxToolConcurrency: finite(runtime.maxToolConcurrency),
        maxToolTurns: finite(runtime.maxToolTurns),
        script: null,
        extensions: [],
        extensionPaths: null,
        disabled: [],
        enabledOnly: null,
        includeExtensions: true,
      },
      options,
    );
  }

  /** Settings with what was said laid over them. A model that is named takes the place of a script. */
  async changedSettings(base: Settings, { model, approval, script }: SessionOptions): Promise<Settings> {
    const settings = approval === undefined ? base : { ...base, approval };
    if (script !== undefined) {
      parseScript(JSON.parse(script.text), script.path);
      const sha256 = await this.world.log.putBlob(Buffer.from(script.text));
      return { ...settings, model: "scripted/script", script: { path: script.path, sha256 } };
    }
    return model === undefined ? settings : { ...settings, model, script: null };
  }

  systemPrompt(cwd: string): Promise<string> {
    return buildSystemPrompt(this.#deps.home, cwd);
  }

  /** The stream of a session in a folder, not started yet, and its tools. */
  async open(sessionId: string, cwd: string): Promise<{ stream: SessionStream; registry: ToolRegistry }> {
    const config = await this.#deps.configure(cwd);
    const registry = await this.#registry(cwd);
    const stream = await openSessionStream(sessionId, this.world, {
      mask: createMasker(knownSecrets(config, this.world.env)),
      registry,
      model: ({ views }) => this.#model(views.session.settings, config),
    });
    return { stream, registry };
  }

  async #registry(cwd: string): Promise<ToolRegistry> {
    const found: ExtensionTool[] = [];
    for (const extension of this.#deps.extensions) {
      for (const definition of await extension.tools(cwd, { config: {} })) {
        const normalised = await this.#normalise(definition);
        if ("tool" in normalised) found.push({ module: extension.module, tool: normalised.tool });
        else
          this.world.logger.warn({ module: extension.module }, `a tool was left out: ${normalised.problem}`);
      }
    }
    if (this.#tools === null || !areSame(this.#tools.found, found))
      this.#tools = { found, registry: createRegistry(builtInTools, found) };
    const { registry } = this.#tools;
    for (const { name, winner, loser } of registry.shadowed) {
      this.world.logger.warn(
        { tool: name },
        `Tool name conflict: '${name}' from ${loser} is shadowed by ${winner}`,
      );
    }
    return registry;
  }

  /** A tool that is declared once is made once, however many sessions have it. */
  #normalise(definition: AnyToolDefinition): ReturnType<typeof normaliseTool> {
    // An extension in plain JavaScript can give anything.
    if (typeof definition !== "object" || definition === null) return normaliseTool(definition);
    const known = this.#normalised.get(definition) ?? normaliseTool(definition);
    this.#normalised.set(definition, known);
    return known;
  }

  async #model(settings: Settings, config: Config): Promise<Model> {
    const { script, model } = settings;
    if (script === null) {
      return resolveModel(model, {
        models: this.#deps.models,
        configured: config.models,
        env: this.world.env,
      });
    }
    const bytes = await this.world.log.getBlob(script.sha256);
    return scriptedModel(parseScript(JSON.parse(Buffer.from(bytes).toString("utf8")), script.path), model);
  }
}

function finite(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

function areSame(some: readonly ExtensionTool[], others: readonly ExtensionTool[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ module, tool }, index) => others[index]?.module === module && others[index].tool === tool)
  );
}
