/** Puts a session around one extension. */
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScriptedTurn } from "../providers/index.ts";
import { createRuntime, type Runtime } from "../runtime/index.ts";
import { UnusableExtensionError } from "./errors.ts";
import { ExtensionKit } from "./kit.ts";
import { KitLog } from "./kit-log.ts";
import { namesIn, namesOfObject } from "./names.ts";
import { Turns } from "./turns.ts";

/** How the kit is set up. All of it has a default. */
export interface TestOptions {
  /** What the model says to prompts, one turn a request. Default: nothing. */
  readonly turns?: readonly ScriptedTurn[];
  /** Working directory of the session. Default: a fresh folder that goes with the kit. */
  readonly cwd?: string;
  /** The extension's settings, as `[extensions.settings.NAME]` would have them. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The environment: where `{ env = "NAME" }` in settings is looked up, and that of commands. Default: `PATH` only. */
  readonly env?: Readonly<Record<string, string>>;
  /** A model of the extension's own, as `provider/model-id`; `callTool` is of no use then. Default: the kit's. */
  readonly model?: string;
}

const REF = "kit/script";

/**
 * Starts a session in memory with this one extension and a model that says what the test tells it to.
 *
 * @param extension - what `defineExtension` gave, which runs in this process; or the path of an extension file or
 *   of its folder, which is bundled and runs in a worker of its own
 * @throws UnusableExtensionError when it can't be loaded or is not valid
 * @example
 * await using kit = await testExtension(extension);
 * const { content } = await kit.callTool("greet", { name: "Ada" });
 */
export async function testExtension(extension: unknown, options: TestOptions = {}): Promise<ExtensionKit> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-kit-")));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  let runtime: Runtime | undefined;
  try {
    const home = path.join(folder, "home");
    const cwd = path.resolve(options.cwd ?? path.join(folder, "work"));
    await mkdir(home);
    if (options.cwd === undefined) await mkdir(cwd);
    const place = typeof extension === "string" ? path.resolve(extension) : null;
    const env = { PATH: process.env["PATH"], HOME: home, ...options.env };
    const turns = new Turns(options.turns ?? [], REF);
    const log = new KitLog();
    runtime = await createRuntime({
      home,
      cwd,
      env,
      log: ":memory:",
      logger: log,
      models: { [REF]: turns.model },
      extensions: place === null ? [extension] : [],
      config: {
        extensions: { settings: await settingsFor(options.config, extension, place, home, env) },
      },
    });
    const session = await runtime.sessions.start({
      model: options.model ?? REF,
      approval: "auto",
      extensionPaths: place === null ? [] : [place],
    });
    const report = session.extensionStatusReport();
    const { totalLoaded, totalErrors, totalValidationErrors } = report;
    if (totalLoaded === 0 || totalErrors > 0 || totalValidationErrors > 0)
      throw new UnusableExtensionError(report);
    return new ExtensionKit({ runtime, session, cwd, turns, log, remove });
  } catch (error) {
    await runtime?.close();
    await remove();
    throw error;
  }
}

type Settings = Readonly<Record<string, unknown>>;

async function settingsFor(
  config: Settings | undefined,
  extension: unknown,
  place: string | null,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<string, Settings>>> {
  if (config === undefined) return {};
  const names = place === null ? await namesOfObject(extension) : await namesIn(place, home, env);
  return Object.fromEntries(names.map((name) => [name, config]));
}
