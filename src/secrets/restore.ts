/**
 * Puts secrets in the place of their placeholders, for the hands of a tool alone. Pure: the values are given.
 * docs/reference/secrets.md, "Placeholders"
 */
import type { Json } from "../events/index.ts";

/** Secrets that may be restored, by name; `null`: configured, and its variable is not set. */
export type RestorableSecrets = ReadonlyMap<string, string | null>;

/** The value with its secrets, or the name of one that is not set. */
export type Restored =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly name: string };

const placeholder = /\{\{secret:([A-Za-z_][A-Za-z0-9_]*)\}\}/g;

/**
 * Restores in every text of the value, at any depth, but not in keys; once, so a secret that looks like a placeholder
 * stays as it is. A name that is not configured stays as text.
 */
export function restoreSecrets(value: Json, secrets: RestorableSecrets): Restored {
  if (secrets.size === 0) return { ok: true, value };
  const missing = new Set<string>();
  const restored = restoreIn(value, secrets, missing);
  const [name] = missing;
  return name === undefined ? { ok: true, value: restored } : { ok: false, name };
}

function restoreIn(value: Json, secrets: RestorableSecrets, missing: Set<string>): Json {
  if (typeof value === "string") {
    return value.replace(placeholder, (written, name: string) => {
      const secret = secrets.get(name);
      if (secret === undefined) return written;
      if (secret === null) missing.add(name);
      return secret ?? written;
    });
  }
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => restoreIn(item, secrets, missing));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restoreIn(member, secrets, missing)]),
  );
}
