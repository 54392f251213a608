/**
 * The extensions of one session: what it works with now, its status report, and their reload, which replaces all of it
 * in one step. docs/reference/extensions.md, "Reload"
 */
import type { HookSource } from "../actors/index.ts";
import { InvalidConfigError } from "../config/index.ts";
import type { LoadedExtension } from "../extensions/index.ts";
import type { FactData, SessionMode } from "../events/index.ts";
import { silentLogger, type Logger } from "../ports.ts";
import { loadReport, pendingCalls, type ExtensionStatusReport } from "../projections/index.ts";
import type { KnownSecret } from "../secrets/index.ts";
import { openPolicy, planRegistry, type ExtensionControl, type ToolRegistry } from "../tools/index.ts";
import { equip, isLeftOut, type Equipment, type HandedTools, type ToolChoice } from "./equipment.ts";
import { ReloadFailedError, SessionStreamingError } from "./errors.ts";
import { isIn, type ExtensionRegistry } from "./extension-registry.ts";
import type { BuiltLoad, LoadSpec } from "./load-builder.ts";
import { ChangingMasker } from "./masking.ts";
import type { SessionStream } from "./session-stream.ts";

/** Which extensions a session has, and which of their tools it offers, as its settings say. */
type LoadSettings = Pick<
  FactData<"session.configured">,
  "extensionPaths" | "extensions" | "includeExtensions" | "disabled" | "enabledOnly" | "toolPolicy"
>;

/** What a session's extensions are loaded with. */
export interface SessionExtensionsParts {
  readonly handed: HandedTools;
  readonly registry: ExtensionRegistry;
  /** What is to be hidden besides the secret settings of extensions. */
  readonly secrets: readonly KnownSecret[];
  readonly logger: Logger;
}

// Shared, since sessions without extensions share what is made of them.
const noExtensions: readonly LoadedExtension[] = [];
const everything: ToolChoice = { disabled: [], enabledOnly: null, toolPolicy: openPolicy };
const nothingToStop = (): void => undefined;

/** The extensions of one session. */
export class SessionExtensions implements ExtensionControl {
  readonly mask: ChangingMasker;
  readonly #parts: SessionExtensionsParts;
  /** Of every generation: what an old one still says is hidden too. */
  readonly #secrets: KnownSecret[];
  #equipment: Equipment;
  #load: BuiltLoad | null = null;
  #choice: ToolChoice = everything;
  #stream: SessionStream | null = null;
  #reloading: Promise<unknown> = Promise.resolve();
  #stopWatching = nothingToStop;

  /** Without any, until `load`. */
  constructor(parts: SessionExtensionsParts) {
    this.#parts = parts;
    this.#equipment = equip(noExtensions, this.#choice, parts.handed, silentLogger);
    this.#secrets = [...parts.secrets];
    this.mask = new ChangingMasker(parts.secrets);
  }

  /** Loads them, or shares a load that is in use. @throws InvalidConfigError */
  async load(cwd: string, settings: LoadSettings): Promise<void> {
    this.#use(await this.#parts.registry.acquire(specOf(cwd, settings)), settings);
  }

  /** Tools that the model is offered in a mode, as things are now. */
  toolsIn(mode: SessionMode): ToolRegistry {
    const { registry } = this.#equipment;
    return mode === "normal" ? registry : planRegistry(registry, (name) => isLeftOut(this.#choice, name));
  }

  /** Whose hooks run, in their order, now. */
  get sources(): readonly HookSource[] {
    return this.#equipment.sources;
  }

  /** The session whose extensions these are: from now on its stream gets the reports. */
  attach(stream: SessionStream): void {
    this.#stream = stream;
    this.#stopWatching = this.#parts.registry.onQuarantine((quarantined) => {
      if (this.#load === null || !isIn(this.#load, quarantined)) return;
      this.publish().catch((error: unknown) => this.#warn(error));
    });
  }

  /** The report, for the tool that shows it; `null` before they are loaded. */
  status(): ExtensionStatusReport | null {
    return this.#load === null ? null : this.report();
  }

  /** How the extensions are doing. */
  report(): ExtensionStatusReport {
    const { registry, handed } = this.#parts;
    const { view, quarantined } = registry.recorded(this.#loaded());
    return loadReport(view, quarantined, {
      zombies: registry.zombies(),
      isCustom: handed.customTools !== null,
    });
  }

  /** Records the report in the session's stream, and so tells its subscribers. */
  async publish(): Promise<ExtensionStatusReport> {
    const report = this.report();
    await this.#stream?.submit("extension_status_report.published", { report });
    return report;
  }

  /**
   * Loads the extensions again and replaces tools, hooks and providers in one step. One reload after the other.
   *
   * @param callId - the call that asks, `null` for a program
   * @throws SessionStreamingError, ReloadFailedError, InvalidConfigError: then everything is as it was
   */
  reload(callId: string | null): Promise<ExtensionStatusReport> {
    const reloaded = this.#reloading.then(() => this.#reload(callId));
    this.#reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  /** Gives them back. A reload that is going on ends first: what it brings has to be given back too. */
  async release(): Promise<void> {
    this.#stopWatching();
    await this.#reloading;
    const load = this.#load;
    this.#load = null;
    if (load !== null) await this.#parts.registry.release(load);
  }

  /** Resolves when no reload is going on. */
  async settled(): Promise<void> {
    await this.#reloading;
  }

  async #reload(callId: string | null): Promise<ExtensionStatusReport> {
    this.#assertAtRest(callId);
    try {
      const old = this.#loaded();
      // What was said when the session was resumed holds from now on.
      if (this.#stream === null) throw new Error("no session has these extensions");
      const { settings } = this.#stream.views.session;
      const spec = specOf(old.spec.cwd, settings);
      const load = await this.#parts.registry.reload(old, spec, () => this.#assertAtRest(callId));
      this.#use(load, settings);
    } catch (error) {
      if (error instanceof InvalidConfigError || error instanceof SessionStreamingError) throw error;
      throw new ReloadFailedError(error);
    }
    // The reload has happened by now, whether or not it can be told.
    return this.publish().catch((error: unknown) => {
      this.#warn(error);
      return this.report();
    });
  }

  /** Tools, hooks and what has to be hidden change in one step. */
  #use(load: BuiltLoad, choice: ToolChoice): void {
    const { handed, logger } = this.#parts;
    this.#load = load;
    this.#choice = choice;
    this.#equipment = equip(load.extensions, this.#choice, handed, logger);
    for (const secret of this.#equipment.secrets) if (!this.#knows(secret)) this.#secrets.push(secret);
    this.mask.hide(this.#secrets);
  }

  #knows({ name, value }: KnownSecret): boolean {
    return this.#secrets.some((known) => known.name === name && known.value === value);
  }

  #loaded(): BuiltLoad {
    if (this.#load === null) throw new Error("the extensions of this session are not loaded");
    return this.#load;
  }

  /** Tools must not change under a model that answers or a call that runs. */
  #assertAtRest(callId: string | null): void {
    const session = this.#stream?.views.session;
    if (session === undefined || session.run === null) return;
    // Calls that wait for their turn were offered with the tools and the hooks of now.
    const pending = pendingCalls(session);
    const isOnlyCall = callId !== null && pending.length === 1 && pending[0]?.callId === callId;
    if (!isOnlyCall) throw new SessionStreamingError(session.sessionId, callId === null ? "program" : "call");
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.name : typeof error;
    this.#parts.logger.warn({ reason }, "a status report could not be published");
  }
}

/** Where a session looks for extensions. */
export function specOf(
  cwd: string,
  { extensionPaths, extensions, includeExtensions }: LoadSettings,
): LoadSpec {
  return { cwd, extensionPaths, extensions, includeExtensions, includeObjects: true };
}
