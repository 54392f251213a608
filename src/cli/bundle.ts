/**
 * The file that goes to support: one JSON document whose members are the files of the bundle by name, so that whoever
 * sends it can read it first, with any editor. No path, name, key, value or text of an error is in it.
 */
import { writeFile } from "node:fs/promises";
import { messageOf } from "../errors.ts";
import type { ExtensionDiagnostics } from "../extensions/index.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { UsageError } from "./errors.ts";

/** Writes the bundle for its owner alone. @throws UsageError when the name is taken or can't be written */
export async function writeBundle(
  file: string,
  diagnosis: Diagnosis,
  extensions: ExtensionDiagnostics,
): Promise<void> {
  const bundle = { "lemon.json": redacted(diagnosis), "extension_diagnostics.json": extensions };
  try {
    await writeFile(file, `${JSON.stringify(bundle, null, 2)}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST";
    const problem = isTaken ? "is there already" : `can't be written: ${messageOf(error)}`;
    throw new UsageError(`--bundle: ${file} ${problem}`, {
      field: "bundle",
      expected: "a name that is free",
    });
  }
}

function redacted({ version, node, platform, home, log, config }: Diagnosis) {
  return {
    version,
    node,
    platform,
    homeExists: home.exists,
    logExists: log.exists,
    logBytes: log.bytes,
    configFiles: config.files.map(({ origin, exists, trusted }) => ({ origin, exists, trusted })),
    configProblemCount: config.problems.length,
    configWarningCount: config.warnings.length,
    ignoredKeyCount: config.ignoredKeys.length,
  };
}
