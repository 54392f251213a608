/** From a flat list of settings to a whole configuration. */
import {
  defaultConfig,
  type BackgroundConfig,
  type CompactionConfig,
  type CheckpointsConfig,
  type Config,
  type ControlPlaneToken,
  type ExtensionsConfig,
  type ExtensionSwitches,
  type LanesConfig,
  type ModelEndpoint,
  type RuntimeConfig,
  type ToolPolicyConfig,
} from "./config.ts";
import { InvalidConfigError } from "./errors.ts";
import { formatPath } from "./keys.ts";
import { layOver, type Setting } from "./settings.ts";

/**
 * The layers over each other, over the defaults.
 *
 * @throws InvalidConfigError for the key of a server without an address, and for a token without a variable or scopes
 */
export function assemble(layers: readonly (readonly Setting[])[]): Config {
  const settings = layOver(layers);
  const under = (...prefix: string[]): Setting[] =>
    settings.filter(
      ({ path: at }) => at.length === prefix.length + 1 && prefix.every((key, i) => at[i] === key),
    );
  // The table of keys is typed by these interfaces, key by key, so the values have their types.
  const runtime = valuesOf(under("runtime")) as Partial<RuntimeConfig>;
  const switches = valuesOf(under("runtime", "extensions")) as Partial<ExtensionSwitches>;
  const policy = valuesOf(under("runtime", "tools", "policy")) as Partial<ToolPolicyConfig>;
  const compaction = valuesOf(under("compaction")) as Partial<CompactionConfig>;
  const limits = valuesOf(under("extensions")) as Partial<ExtensionsConfig>;
  const own = valuesOf(under("extensions", "settings")) as ExtensionsConfig["settings"];
  const checkpoints = valuesOf(under("checkpoints")) as Partial<CheckpointsConfig>;
  const lanes = valuesOf(under("lanes")) as Partial<LanesConfig>;
  const background = valuesOf(under("background")) as Partial<BackgroundConfig>;
  const namesUnder = (...prefix: string[]): string[] => [
    ...new Set(
      settings
        .filter(({ path: at }) => prefix.every((key, i) => at[i] === key))
        .map(({ path: at }) => at[prefix.length] ?? ""),
    ),
  ];
  const tokens = ["controlPlane", "tokens"] as const;
  return {
    runtime: {
      ...defaultConfig.runtime,
      ...runtime,
      extensions: { ...defaultConfig.runtime.extensions, ...switches },
      tools: { policy: { ...defaultConfig.runtime.tools.policy, ...policy } },
    },
    models: Object.fromEntries(
      namesUnder("models").map((name) => [name, endpoint(name, under("models", name))]),
    ),
    compaction: { ...defaultConfig.compaction, ...compaction },
    extensions: { ...defaultConfig.extensions, ...limits, settings: own },
    checkpoints: { ...defaultConfig.checkpoints, ...checkpoints },
    lanes: { ...defaultConfig.lanes, ...lanes },
    background: { ...defaultConfig.background, ...background },
    secrets: valuesOf(under("secrets")) as Config["secrets"],
    controlPlane: {
      tokens: Object.fromEntries(
        namesUnder(...tokens).map((name) => [name, tokenOf(name, under(...tokens, name))]),
      ),
    },
  };
}

function valuesOf(settings: readonly Setting[]): Record<string, unknown> {
  return Object.fromEntries(settings.map(({ path: at, value }) => [at.at(-1) ?? "", value]));
}

function endpoint(name: string, given: readonly Setting[]): ModelEndpoint {
  const {
    baseUrl = null,
    apiKeyEnv = null,
    contextWindow = null,
  } = valuesOf(given) as Partial<ModelEndpoint>;
  if (baseUrl !== null || apiKeyEnv === null) return { baseUrl, apiKeyEnv, contextWindow };
  const source = given.find(({ path: at }) => at.at(-1) === "apiKeyEnv")?.source ?? "";
  const expected = "an http or https URL, since api_key_env of this model is set";
  const key = formatPath(["models", name, "base_url"]);
  throw new InvalidConfigError([{ source, line: null, column: null, key, expected, got: "nothing" }]);
}

function tokenOf(name: string, given: readonly Setting[]): ControlPlaneToken {
  const { tokenEnv, scopes } = valuesOf(given) as Partial<ControlPlaneToken>;
  const at = ["control_plane", "tokens", name];
  if (tokenEnv === undefined)
    throw missing([...at, "token_env"], given, "the name of an environment variable");
  if (scopes === undefined) throw missing([...at, "scopes"], given, "a list of scopes");
  return { tokenEnv, scopes };
}

function missing(path: readonly string[], given: readonly Setting[], expected: string): InvalidConfigError {
  const source = given[0]?.source ?? "";
  return new InvalidConfigError([
    { source, line: null, column: null, key: formatPath(path), expected, got: "nothing" },
  ]);
}
