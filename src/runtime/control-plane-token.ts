/** The token of the control plane as a secret: no fact may hold it. docs/reference/control-plane.md, "Tokens" */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { KnownSecret } from "../secrets/index.ts";

/** Where the token of a home lies. */
export function controlPlaneTokenFile(home: string): string {
  return path.join(home, "control-plane.token");
}

/** The token, if the home has one that can be read. */
export async function controlPlaneSecrets(home: string): Promise<readonly KnownSecret[]> {
  try {
    const value = (await readFile(controlPlaneTokenFile(home), "utf8")).trim();
    return [{ name: "control_plane_token", value }];
  } catch {
    // What this process can't read, no tool of it can print.
    return [];
  }
}
