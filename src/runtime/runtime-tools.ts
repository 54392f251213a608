/** `runtime.tools`: which tools there are in a folder, without a session. docs/reference/tools.md */
import path from "node:path";
import { loadReport, type ReportedToolConflicts } from "../projections/index.ts";
import { silentLogger } from "../ports.ts";
import { equip } from "./equipment.ts";
import type { ExtensionRegistry } from "./extension-registry.ts";
import type { BuiltLoad, Configured } from "./load-builder.ts";
import { toolInfos, type ToolInfo } from "./session-types.ts";

/** `runtime.tools`. */
export class RuntimeTools {
  readonly #registry: ExtensionRegistry;
  readonly #cwd: string;
  readonly #configure: (cwd: string) => Promise<Configured>;

  /** @internal */
  constructor(registry: ExtensionRegistry, cwd: string, configure: (cwd: string) => Promise<Configured>) {
    this.#registry = registry;
    this.#cwd = cwd;
    this.#configure = configure;
  }

  /**
   * Which tools share a name in a folder, and who has it. Loads the extensions of that folder unless they are in use.
   *
   * @param cwd - default the runtime's
   * @throws InvalidConfigError
   */
  conflictReport(cwd: string = this.#cwd): Promise<ReportedToolConflicts | null> {
    return this.#with(cwd, (load) => loadReport(this.#registry.recorded(load).view, []).toolConflicts);
  }

  /** The tools that a session in a folder is offered when nothing else is said. @throws InvalidConfigError */
  async list(cwd: string = this.#cwd): Promise<ToolInfo[]> {
    const { config } = await this.#configure(path.resolve(this.#cwd, cwd));
    const choice = { disabled: [], enabledOnly: null, toolPolicy: config.runtime.tools.policy };
    const handed = { customTools: null, extraTools: [] };
    return this.#with(cwd, ({ extensions }) =>
      toolInfos(equip(extensions, choice, handed, silentLogger).registry),
    );
  }

  async #with<Value>(cwd: string, use: (load: BuiltLoad) => Value): Promise<Value> {
    const places = { extensionPaths: null, extensions: [], includeExtensions: true, includeObjects: true };
    const load = await this.#registry.acquire({ cwd: path.resolve(this.#cwd, cwd), ...places });
    try {
      return use(load);
    } finally {
      await this.#registry.release(load);
    }
  }
}
