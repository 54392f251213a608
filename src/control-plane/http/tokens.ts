/** Who a bearer token belongs to. docs/reference/control-plane.md, "Tokens" */
import type { ControlPlaneToken } from "../../config/index.ts";
import { bearerDigest, isSameToken, tokenDigest } from "../../loopback/index.ts";
import { reduceScopes, type Scope } from "../scopes.ts";

/** A shorter token could be guessed. */
const MIN_LENGTH = 16;

interface Entry {
  readonly digest: Buffer;
  readonly scopes: ReadonlySet<Scope>;
}

/** The tokens that a server knows. */
export class Tokens {
  readonly #entries: Entry[] = [];
  readonly #limit: ReadonlySet<Scope> | null;

  /** @param limit - what no token may exceed; `null`: nothing */
  constructor(limit: ReadonlySet<Scope> | null) {
    this.#limit = limit;
  }

  /** Adds a token. */
  add(token: string, scopes: Iterable<Scope>): void {
    this.#entries.push({ digest: tokenDigest(token), scopes: reduceScopes(new Set(scopes), this.#limit) });
  }

  /** Adds those of a configuration. @returns a line for each that can't be used */
  addConfigured(
    configured: Readonly<Record<string, ControlPlaneToken>>,
    env: Readonly<Record<string, string | undefined>>,
  ): string[] {
    const warnings: string[] = [];
    for (const [name, { tokenEnv, scopes }] of Object.entries(configured)) {
      const token = env[tokenEnv] ?? "";
      if (token.length >= MIN_LENGTH) this.add(token, scopes);
      else {
        const why = token === "" ? "is not set" : `has fewer than ${MIN_LENGTH} characters`;
        warnings.push(`control_plane.tokens.${name} can't be used: ${tokenEnv} ${why}`);
      }
    }
    return warnings;
  }

  /** The scopes of an `Authorization` header; `null` when it holds no token that is known. */
  scopesOf(header: string | undefined): ReadonlySet<Scope> | null {
    const digest = bearerDigest(header);
    if (digest === null) return null;
    let found: ReadonlySet<Scope> | null = null;
    // All are compared, so that the time tells nothing.
    for (const entry of this.#entries) if (isSameToken(entry.digest, digest)) found = entry.scopes;
    return found;
  }
}
