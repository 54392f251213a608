/**
 * Lays the sources of configuration over each other. Lowest first: defaults, `<home>/config.toml`,
 * `<cwd>/.lemon/config.toml`, environment, what the program says, command line. Tables merge key by key.
 */
import path from "node:path";
import { realpath } from "node:fs/promises";
import { assemble } from "./assemble.ts";
import { defaultConfig, type Config, type ConfigOverrides } from "./config.ts";
import { readEnvironment } from "./environment.ts";
import { InvalidConfigError, type ConfigProblem } from "./errors.ts";
import { formatPath } from "./keys.ts";
import { layOver, readTree, type Setting, type SettingsOfSource } from "./settings.ts";
import { locateAll, readTomlFile, type TomlFile } from "./toml-file.ts";
import { isOwnOrTrusted, nothing, projectFile } from "./trust.ts";

/** Where the sources of {@link loadConfig} are. */
export interface LoadConfigOptions {
  /** Folder of the user's own file and of the trust records. */
  readonly home: string;
  /** Folder whose `.lemon/config.toml` is the project file. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What an embedding program says. */
  readonly overrides?: ConfigOverrides | undefined;
  /** What the command line says; wins over all. */
  readonly flags?: ConfigOverrides | undefined;
  /** May the project file lead to code? Default: what was recorded for it. */
  readonly trustProject?: boolean | undefined;
}

/** What {@link loadConfig} found. */
export interface LoadedConfig {
  readonly config: Config;
  /** For people, one a line: unknown keys, ignored variables, keys ignored for want of trust. */
  readonly warnings: readonly string[];
  /** The project file and those of its keys that were ignored since its folder is not trusted. */
  readonly untrusted: { readonly file: string; readonly keys: readonly string[] } | null;
  /** Whether code that lies in this folder may run: its `.lemon/extensions` is loaded only then. */
  readonly isProjectTrusted: boolean;
}

/**
 * Reads the configuration for one working directory. Missing files are empty.
 *
 * @throws InvalidConfigError naming each wrong value; nothing is applied then
 *
 * @example
 * const { config, warnings } = await loadConfig({ home, cwd, env: process.env, flags: { runtime: { approval: "ask" } } });
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { home, cwd, env } = options;
  const userFile = await readTomlFile(path.join(home, "config.toml"));
  const ownFile = await readTomlFile(projectFile(cwd));
  // In the folder above the home, the project file is the user's own.
  const project = ownFile !== null && userFile !== null && (await isSame(ownFile, userFile)) ? null : ownFile;

  const user = readFileSettings(userFile);
  const theirs = readFileSettings(project);
  const environment = readEnvironment(env);
  const program = readTree("createRuntime({ config })", options.overrides ?? {}, "either");
  const flags = readTree("command line", options.flags ?? {}, "either");

  const sources = [user, theirs, environment, program, flags];
  const located = [...(userFile === null ? [] : await locateAll(userFile, user.misfits))];
  if (project !== null) located.push(...(await locateAll(project, theirs.misfits)));
  refuse([
    ...located,
    ...withoutPlace("environment", environment),
    ...withoutPlace("createRuntime({ config })", program),
    ...withoutPlace("command line", flags),
  ]);

  const isProjectTrusted =
    options.trustProject ?? (await isOwnOrTrusted(home, cwd, ownFile?.bytes ?? nothing));
  const ignored = isProjectTrusted ? [] : theirs.settings.filter((each) => needsTrust(each, user.settings));
  const allowed = theirs.settings.filter((setting) => !ignored.includes(setting));
  const layers = [user.settings, allowed, environment.settings, program.settings, flags.settings];

  const config = assemble(layers);
  const warnings = sources.flatMap((source) => source.warnings);
  if (project === null || ignored.length === 0)
    return { config, warnings, untrusted: null, isProjectTrusted };
  const keys = ignored.map(({ spelt }) => formatPath(spelt));
  warnings.push(
    `${project.path}: ignored ${keys.join(", ")}, since this folder is not trusted; to let it: lemon trust ${cwd}`,
  );
  return { config, warnings, untrusted: { file: project.path, keys }, isProjectTrusted };
}

function readFileSettings(file: TomlFile | null): SettingsOfSource {
  return file === null ? { settings: [], misfits: [], warnings: [] } : readTree(file.path, file.tree, "toml");
}

/** Whether the setting of an untrusted project file is to be ignored, given what the user's own file says. */
function needsTrust({ key, path: at, value }: Setting, user: readonly Setting[]): boolean {
  if (key.untrusted === undefined) return false;
  if (key.untrusted === "never") return true;
  const defaults = readTree("defaults", defaultConfig, "either").settings;
  const own = layOver([defaults, user]).find((setting) => formatPath(setting.path) === formatPath(at));
  return key.untrusted.indexOf(value) < key.untrusted.indexOf(own?.value);
}

function withoutPlace(source: string, { misfits }: SettingsOfSource): ConfigProblem[] {
  return misfits.map(({ spelt, expected, got }) => {
    return { source, line: null, column: null, key: formatPath(spelt), expected, got };
  });
}

function refuse(problems: readonly ConfigProblem[]): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw new InvalidConfigError([first, ...others]);
}

async function isSame(a: TomlFile, b: TomlFile): Promise<boolean> {
  return (await realpath(a.path)) === (await realpath(b.path));
}
