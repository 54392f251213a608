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
}

/** `[models.NAME]`: a server that speaks the OpenAI protocol. */
export interface ModelEndpoint {
  /** Up to and with the version, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  /** Name of the environment variable that holds the key; `null`: the server wants none. */
  readonly apiKeyEnv: string | null;
}

/** Everything that can be configured, with a value for every key. */
export interface Config {
  readonly runtime: RuntimeConfig;
  readonly models: Readonly<Record<string, ModelEndpoint>>;
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type EitherSpelling<Table> = {
  readonly [Key in keyof Table as Key | SnakeCase<Key & string>]?: Table[Key] | undefined;
};

/** Any part of a {@link Config}, each key in camelCase or as the TOML file spells it, but not both. */
export interface ConfigOverrides {
  readonly runtime?: EitherSpelling<RuntimeConfig> | undefined;
  readonly models?: Readonly<Record<string, EitherSpelling<ModelEndpoint>>> | undefined;
}

/** The lowest layer. */
export const defaultConfig: Config = {
  runtime: {
    model: null,
    maxToolConcurrency: 8,
    maxToolTurns: Infinity,
    approval: "auto",
    durability: "strict",
  },
  models: {},
};
