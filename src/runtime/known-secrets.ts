/** Which values must be hidden, and which of them a tool may be given. */
import type { Config } from "../config/index.ts";
import { MIN_SECRET_LENGTH, type KnownSecret, type RestorableSecrets } from "../secrets/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Environment variables that hold keys of the built-in providers. */
const KEY_VARIABLES = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/** The configured secrets, the keys of the built-in providers and of the configured servers, and the tokens of the control plane, as far as they are set. */
export function knownSecrets(config: Config, env: Environment): KnownSecret[] {
  const configured = Object.values(config.models).map(({ apiKeyEnv }) => apiKeyEnv);
  const tokens = Object.values(config.controlPlane.tokens).map(({ tokenEnv }) => tokenEnv);
  const keys = new Set([...KEY_VARIABLES, ...configured.filter((name) => name !== null), ...tokens]);
  const named = Object.entries(config.secrets).map(([name, { env: variable }]) => ({ name, variable }));
  return [...named, ...[...keys].map((name) => ({ name, variable: name }))].flatMap(({ name, variable }) => {
    const value = env[variable];
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
}

/** What stands in `[secrets]`: the values that placeholders stand for. */
export function restorableSecrets({ secrets }: Config, env: Environment): RestorableSecrets {
  return new Map(
    Object.entries(secrets).map(([name, { env: variable }]) => {
      const value = env[variable];
      return [name, value === undefined || value === "" ? null : value];
    }),
  );
}

/** A line for each secret that is too short to be hidden. */
export function shortSecretWarnings(config: Config, env: Environment): string[] {
  const short = knownSecrets(config, env).filter(({ value }) => value.length < MIN_SECRET_LENGTH);
  return [...new Set(short.map(({ name }) => name))].map(
    (name) =>
      `secret ${name} has fewer than ${MIN_SECRET_LENGTH} characters and can't be hidden where it turns up`,
  );
}
