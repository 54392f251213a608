/** The same question without a runtime: over a log that is only read, with the configuration of a home. */
import { loadConfig } from "../../config/index.ts";
import type { EventLog } from "../../log/index.ts";
import { controlPlaneSecrets } from "../control-plane-token.ts";
import { whatIf, type WhatIfOptions, type WhatIfParts, type WhatIfReport } from "./what-if.ts";

/**
 * Judges stored sessions of a log again; takes no lease and writes nothing to it.
 *
 * @throws SessionNotFoundError, InvalidExtensionsError, InvalidConfigError
 */
export async function whatIfOver(
  log: EventLog,
  ids: string | readonly string[],
  options: WhatIfOptions,
  parts: Omit<WhatIfParts, "log" | "configure" | "secretsOfHome">,
): Promise<WhatIfReport> {
  const { home, env } = parts;
  return whatIf(ids, options, {
    ...parts,
    log,
    configure: (cwd) => loadConfig({ home, cwd, env }),
    secretsOfHome: await controlPlaneSecrets(home),
  });
}
