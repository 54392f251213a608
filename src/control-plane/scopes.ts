/** What a caller may do. docs/reference/control-plane.md, "Scopes" */

import { controlPlaneScopes } from "../config/index.ts";

/** `admin` contains the others; no other contains any. */
export type Scope = (typeof controlPlaneScopes)[number];

/** Reads words that commas separate; `null` when one of them is no scope. */
export function parseScopes(list: string): ReadonlySet<Scope> | null {
  const words = list.split(",").map((word) => word.trim());
  const scopes = words.map((word) => controlPlaneScopes.find((scope) => scope === word));
  return scopes.includes(undefined) ? null : new Set(scopes as Scope[]);
}

/** Whether a caller with these scopes may do what needs that one. */
export function allows(held: ReadonlySet<Scope>, needed: Scope): boolean {
  return held.has("admin") || held.has(needed);
}

/** What both allow. */
export function reduceScopes(held: ReadonlySet<Scope>, limit: ReadonlySet<Scope> | null): ReadonlySet<Scope> {
  if (limit === null || limit.has("admin")) return held;
  return new Set([...limit].filter((scope) => allows(held, scope)));
}
