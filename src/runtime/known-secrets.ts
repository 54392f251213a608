/** Which values must be hidden: those of the environment variables that hold API keys. */
import type { Config } from "../config/index.ts";
import type { KnownSecret } from "../secrets/index.ts";

/** Environment variables that hold keys of the built-in providers. */
const KEY_VARIABLES = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/** The keys of the built-in providers and of the configured servers, as far as they are set. */
export function knownSecrets(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): KnownSecret[] {
  const configured = Object.values(config.models).map(({ apiKeyEnv }) => apiKeyEnv);
  const names = new Set([...KEY_VARIABLES, ...configured.filter((name) => name !== null)]);
  return [...names].flatMap((name) => {
    const value = env[name];
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
}
