/**
 * Every key that a configuration may hold. What is not here is unknown and only warned about, so a key is added
 * together with the code that honours it, and with its line in docs/reference/configuration.md.
 */
import {
  approvalModes,
  type BackgroundConfig,
  type CompactionConfig,
  controlPlaneScopes,
  type CheckpointsConfig,
  type Config,
  type ControlPlaneToken,
  type ExtensionSwitches,
  type LanesConfig,
  type ModelEndpoint,
  type RuntimeConfig,
  type ToolPolicyConfig,
} from "./config.ts";
import { freeTable } from "./free-table.ts";
import { allOrNames, modesByName, secretSource } from "./policy-kinds.ts";
import { bool, count, httpUrl, listOf, oneOf, text, textList, variableName, type Kind } from "./kinds.ts";

/** A key that holds one value. */
export interface ValueKey<Value = unknown> {
  readonly holds: "value";
  readonly kind: Kind<Value>;
  /** Environment variable that sets it. */
  readonly variable?: string;
  /**
   * What a project's own file may do with it before its folder is trusted: with `never`, nothing, since it can lead to
   * code or to a secret; with a list of words, loosest first, only tighten what the user has.
   */
  readonly untrusted?: "never" | readonly unknown[];
}

/** Keys of one table, by their camelCase names. */
export interface TableKeys {
  readonly holds: "table";
  readonly keys: Readonly<Record<string, ValueKey | TableKeys | NamedTables>>;
}

/** Tables under names that the user chooses: all with the same keys, or each a value as a whole. */
export interface NamedTables {
  readonly holds: "named";
  readonly each: TableKeys | ValueKey;
}

/** Ties the keys of a table to its type: a key without a description does not compile. */
type KeysOf<Table> = { readonly [Key in keyof Table]-?: ValueKey<NonNullable<Table[Key]>> };

// A project may switch off what the user switched on, and not the other way round.
const onlyOff = [true, false] as const;

const switches: KeysOf<ExtensionSwitches> = {
  enabled: { holds: "value", kind: bool, variable: "LEMON_EXTENSIONS_ENABLED", untrusted: onlyOff },
  autoLoadDefaultPaths: {
    holds: "value",
    kind: bool,
    variable: "LEMON_EXTENSIONS_AUTO_LOAD_DEFAULT_PATHS",
    untrusted: onlyOff,
  },
};

// Lists replace the list below them, so a stranger's empty one would take the user's away.
const policy: KeysOf<ToolPolicyConfig> = {
  allow: { holds: "value", kind: allOrNames, untrusted: "never" },
  deny: { holds: "value", kind: textList, untrusted: "never" },
  blockedTools: { holds: "value", kind: textList, untrusted: "never" },
  requireApproval: { holds: "value", kind: textList, untrusted: "never" },
  approvals: { holds: "value", kind: modesByName, untrusted: "never" },
};

const runtime: KeysOf<Omit<RuntimeConfig, "extensions" | "tools">> = {
  model: {
    holds: "value",
    kind: text("the name of a model, such as anthropic/NAME", (found) => found.trim() !== ""),
    variable: "LEMON_MODEL",
  },
  maxToolConcurrency: { holds: "value", kind: count(), variable: "LEMON_MAX_TOOL_CONCURRENCY" },
  maxToolTurns: { holds: "value", kind: count({ orInfinity: true }), variable: "LEMON_MAX_TOOL_TURNS" },
  approval: {
    holds: "value",
    kind: oneOf(approvalModes),
    variable: "LEMON_APPROVAL",
    untrusted: approvalModes,
  },
  durability: { holds: "value", kind: oneOf(["strict", "relaxed"]), variable: "LEMON_DURABILITY" },
  extensionPaths: {
    holds: "value",
    kind: textList,
    variable: "LEMON_EXTENSION_PATHS",
    untrusted: "never",
  },
};

// A server chosen by a stranger answers with tool calls of its choice; a variable chosen by one gives its value away.
const model: KeysOf<ModelEndpoint> = {
  baseUrl: { holds: "value", kind: httpUrl, untrusted: "never" },
  apiKeyEnv: { holds: "value", kind: variableName, untrusted: "never" },
  contextWindow: { holds: "value", kind: count() },
};

const compaction: KeysOf<CompactionConfig> = {
  enabled: { holds: "value", kind: bool, variable: "LEMON_COMPACTION_ENABLED" },
  reserveTokens: { holds: "value", kind: count() },
  keepTokens: { holds: "value", kind: count() },
};

// A variable chosen by a stranger would open the door to whoever knows its value.
const token: KeysOf<ControlPlaneToken> = {
  tokenEnv: { holds: "value", kind: variableName, untrusted: "never" },
  scopes: { holds: "value", kind: listOf(oneOf(controlPlaneScopes)), untrusted: "never" },
};

// What is kept before a change is what a user falls back on: a stranger must not have less of it kept, nor copies elsewhere.
const checkpoints: KeysOf<CheckpointsConfig> = {
  dir: {
    holds: "value",
    kind: text("a folder", (found) => found.trim() !== ""),
    variable: "LEMON_CHECKPOINTS_DIR",
    untrusted: "never",
  },
  export: { holds: "value", kind: bool, variable: "LEMON_CHECKPOINTS_EXPORT", untrusted: onlyOff },
  guard: { holds: "value", kind: bool, untrusted: [false, true] },
  maxPerSession: { holds: "value", kind: count(), untrusted: "never" },
  maxBytesPerSession: { holds: "value", kind: count(), untrusted: "never" },
};

/** So many sessions, models and commands at once are still a use of one machine. */
const laneWidth = count({ max: 256 });

const lanes: KeysOf<LanesConfig> = {
  main: { holds: "value", kind: laneWidth },
  subagent: { holds: "value", kind: laneWidth },
  background: { holds: "value", kind: laneWidth },
};

const background: KeysOf<BackgroundConfig> = {
  onRestart: { holds: "value", kind: oneOf(["resume", "lost"]) },
};

const extensions: TableKeys["keys"] = {
  memoryLimitMb: { holds: "value", kind: count() },
  // Settings can name a variable to read and a server to send it to, so a stranger must not choose them.
  settings: { holds: "named", each: { holds: "value", kind: freeTable, untrusted: "never" } },
};

const tables: Readonly<Record<keyof Config, TableKeys | NamedTables>> = {
  runtime: {
    holds: "table",
    keys: {
      ...runtime,
      extensions: { holds: "table", keys: switches },
      tools: { holds: "table", keys: { policy: { holds: "table", keys: policy } } },
    },
  },
  models: { holds: "named", each: { holds: "table", keys: model } },
  compaction: { holds: "table", keys: compaction },
  extensions: { holds: "table", keys: extensions },
  checkpoints: { holds: "table", keys: checkpoints },
  lanes: { holds: "table", keys: lanes },
  background: { holds: "table", keys: background },
  // The model may use what stands here, so a stranger must not say what it is.
  secrets: { holds: "named", each: { holds: "value", kind: secretSource, untrusted: "never" } },
  controlPlane: {
    holds: "table",
    keys: { tokens: { holds: "named", each: { holds: "table", keys: token } } },
  },
};

/** The whole tree. */
export const configKeys: TableKeys = { holds: "table", keys: tables };

/** `maxToolTurns` as TOML files spell it: `max_tool_turns`. */
export function tomlSpelling(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A key path for people: `models."my server".base_url`. */
export function formatPath(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
}
