/**
 * The configuration as the runtime reads it, and what it is when nobody says anything.
 * docs/reference/configuration.md describes each key; src/config/keys.ts says what each accepts.
 */

/** Who decides about tool calls that ask for approval; the first is the loosest. */
export const approvalModes = ["auto", "ask", "deny"] as const;

/** See {@link approvalModes}. */
export type ApprovalMode = (typeof approvalModes)[number];

/** `[runtime]`: how sessions run. */
export interface RuntimeConfig {
  /** Model of sessions that name none, such as `anthropic/…`; `null`: a session must name its own. */
  readonly model: string | null;
  /** How many tool calls of one session may run at once; 1 or more. */
  readonly maxToolConcurrency: number;
  /** Model turns with tool calls before a run ends as failed; 1 or more, or `Infinity`. */
  readonly maxToolTurns: number;
  readonly approval: ApprovalMode;
  /** `strict`: a fact is on disk before anyone sees it. `relaxed`: a crash of the machine may lose the last ones. */
  readonly durability: "strict" | "relaxed";
  /** Folders and files that extensions are loaded from, as written; blank entries are gone. */
  readonly extensionPaths: readonly string[];
  readonly extensions: ExtensionSwitches;
  readonly tools: { readonly policy: ToolPolicyConfig };
}

/** `[runtime.tools.policy]`: which tools sessions offer, and which calls have to be approved. docs/reference/policy.md */
export interface ToolPolicyConfig {
  readonly allow: "all" | readonly string[];
  readonly deny: readonly string[];
  readonly blockedTools: readonly string[];
  readonly requireApproval: readonly string[];
  readonly approvals: Readonly<Record<string, ApprovalMode>>;
}

/** `[runtime.extensions]`: whether extensions run, and where they are looked for besides `extensionPaths`. */
export interface ExtensionSwitches {
  /** With `false` no code of an extension runs anywhere; manifests and diagnostics are still read. */
  readonly enabled: boolean;
  /** Also `<home>/agent/extensions` and, in a trusted folder, `<cwd>/.lemon/extensions`. */
  readonly autoLoadDefaultPaths: boolean;
}

/** `[extensions]`: what extensions are given. */
export interface ExtensionsConfig {
  /** By how many MiB the process may grow before the extension that is suspected is ended; 1 or more. */
  readonly memoryLimitMb: number;
  /** By the name of the extension, as written: JSON values, and `{ env: "VAR" }` for what a variable holds. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** `[checkpoints]`: how files are kept before they are changed. docs/reference/checkpoints.md */
export interface CheckpointsConfig {
  /** Folder of the exported copies; `null`: `lemon_checkpoints` in the folder for temporary files. */
  readonly dir: string | null;
  /** Whether each checkpoint is also written as a JSON file. */
  readonly export: boolean;
  /** Whether a checkpoint is taken before write, edit and patch change files. */
  readonly guard: boolean;
  /** How many of those a session keeps; 1 or more. */
  readonly maxPerSession: number;
  /** How many bytes of files those of a session hold together; 1 or more. */
  readonly maxBytesPerSession: number;
}

/** `[models.NAME]`: a server that speaks the OpenAI protocol, or what is to be known of the models of a provider. */
export interface ModelEndpoint {
  /** Up to and with the version, such as `http://127.0.0.1:8080/v1`; `null`: NAME is a provider or a model without it. */
  readonly baseUrl: string | null;
  /** Name of the environment variable that holds the key; `null`: the server wants none. */
  readonly apiKeyEnv: string | null;
  /** Tokens that its models have room for, the answer included; `null`: what is known of the provider. */
  readonly contextWindow: number | null;
}

/** `[compaction]`: what becomes of a conversation that gets too long. docs/reference/compaction.md */
export interface CompactionConfig {
  readonly enabled: boolean;
  /** Tokens of the window that are left free for the answer; 1 or more. */
  readonly reserveTokens: number;
  /** Tokens of the newest messages that are kept word for word; 1 or more. */
  readonly keepTokens: number;
}

/** `[lanes]`: how many of a kind are at work at once, the others in line; each 1 to 256. docs/reference/runtime.md */
export interface LanesConfig {
  /** Runs of sessions, in one runtime. `null`: as many as are asked for, and 4 on the command line. */
  readonly main: number | null;
  /** Subagents, in one runtime. */
  readonly subagent: number;
  /** Background runs, over all processes of a log. */
  readonly background: number;
}

/** `[background]`: background runs. docs/reference/background-runs.md */
export interface BackgroundConfig {
  /** What becomes of a run whose process ended, unless it was started with other words. */
  readonly onRestart: "resume" | "lost";
}

/** What a caller of the control plane may do; `admin` contains the others. docs/reference/control-plane.md */
export const controlPlaneScopes = ["read", "write", "approvals", "admin"] as const;

/** `[control_plane]`: who may call besides the holder of the token file. */
export interface ControlPlaneConfig {
  /** By names for people. */
  readonly tokens: Readonly<Record<string, ControlPlaneToken>>;
}

/** `[control_plane.tokens.NAME]`: one more token. */
export interface ControlPlaneToken {
  /** Name of the environment variable that holds it. */
  readonly tokenEnv: string;
  readonly scopes: readonly (typeof controlPlaneScopes)[number][];
}

/** Everything that can be configured, with a value for every key. */
export interface Config {
  readonly runtime: RuntimeConfig;
  readonly models: Readonly<Record<string, ModelEndpoint>>;
  readonly compaction: CompactionConfig;
  readonly extensions: ExtensionsConfig;
  readonly checkpoints: CheckpointsConfig;
  readonly lanes: LanesConfig;
  readonly background: BackgroundConfig;
  /** `[secrets]`: by name, the environment variable that holds each. docs/reference/secrets.md */
  readonly secrets: Readonly<Record<string, SecretSource>>;
  readonly controlPlane: ControlPlaneConfig;
}

/** Where a secret is read from. */
export interface SecretSource {
  readonly env: string;
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type EitherSpelling<Table> = {
  readonly [Key in keyof Table as Key | SnakeCase<Key & string>]?: Table[Key] | undefined;
};

/** Any part of a {@link Config}, each key in camelCase or as the TOML file spells it, but not both. */
export interface ConfigOverrides {
  readonly runtime?:
    | (EitherSpelling<Omit<RuntimeConfig, "extensions" | "tools">> & {
        readonly extensions?: EitherSpelling<ExtensionSwitches> | undefined;
        readonly tools?: { readonly policy?: EitherSpelling<ToolPolicyConfig> | undefined } | undefined;
      })
    | undefined;
  readonly models?: Readonly<Record<string, EitherSpelling<ModelEndpoint>>> | undefined;
  readonly compaction?: EitherSpelling<CompactionConfig> | undefined;
  readonly extensions?: EitherSpelling<ExtensionsConfig> | undefined;
  readonly checkpoints?: EitherSpelling<CheckpointsConfig> | undefined;
  readonly lanes?: EitherSpelling<LanesConfig> | undefined;
  readonly background?: EitherSpelling<BackgroundConfig> | undefined;
  readonly secrets?: Readonly<Record<string, SecretSource>> | undefined;
  readonly controlPlane?:
    | { readonly tokens?: Readonly<Record<string, EitherSpelling<ControlPlaneToken>>> | undefined }
    | undefined;
}

/** The lowest layer. */
export const defaultConfig: Config = {
  runtime: {
    model: null,
    maxToolConcurrency: 8,
    maxToolTurns: Infinity,
    approval: "auto",
    durability: "strict",
    extensionPaths: [],
    extensions: { enabled: true, autoLoadDefaultPaths: false },
    tools: {
      policy: { allow: "all", deny: [], blockedTools: [], requireApproval: [], approvals: {} },
    },
  },
  models: {},
  compaction: { enabled: true, reserveTokens: 16_384, keepTokens: 20_000 },
  extensions: { memoryLimitMb: 512, settings: {} },
  checkpoints: {
    dir: null,
    export: true,
    guard: true,
    maxPerSession: 200,
    maxBytesPerSession: 500 * 1024 * 1024,
  },
  lanes: { main: null, subagent: 8, background: 8 },
  background: { onRestart: "resume" },
  secrets: {},
  controlPlane: { tokens: {} },
};
