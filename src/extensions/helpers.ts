/**
 * Which files of a load are extensions, which are helpers of them, and which export the wrong thing: told by what they
 * export and who imports them, before any of their code runs. Pure. docs/reference/extensions.md, "Helpers"
 */
import type { Bundle, LoadError } from "./port.ts";

/** A file of a load after bundling. */
export interface BundledFile {
  readonly module: string;
  readonly sourcePath: string;
  /** With all links resolved, as `Bundle.inputs` has it. */
  readonly realPath: string;
  readonly bundle: Pick<Bundle, "format" | "exports" | "hasCode" | "inputs">;
}

/**
 * What a file is. Of a CommonJS file that others import only its evaluation tells whether it is an extension. A
 * `stray` has code, exports nothing and helps nobody: most likely its `export default` was forgotten.
 */
export type FileRole = "extension" | "helper" | "perhaps_helper" | "stray" | "wrong_export";

/** True for a file that is an extension whatever the others of its load are. */
export function isPlainExtension({ bundle: { format, exports } }: BundledFile): boolean {
  return format === "esm" && exports.includes("default");
}

/** The roles of the files of one load, in their order. */
export function rolesOf(files: readonly BundledFile[]): FileRole[] {
  return files.map((file) => {
    const isImported = files.some((other) => other !== file && other.bundle.inputs.includes(file.realPath));
    const { format, exports, hasCode } = file.bundle;
    if (format === "commonjs") return isImported ? "perhaps_helper" : "extension";
    if (isPlainExtension(file)) return "extension";
    if (isInLibrary(file.module) || isImported) return "helper";
    if (exports.length > 0) return "wrong_export";
    return hasCode ? "stray" : "helper";
  });
}

/**
 * The error of a file whose default export is missing or no object.
 *
 * @param found - the names that it exports, or the type of its default export
 */
export function wrongExport(sourcePath: string, found: string): LoadError {
  const expected = "Extension file must export default defineExtension({ name, version, … })";
  const message = `${expected}; found: ${found === "" ? "nothing" : found}`;
  return { sourcePath, error: { name: "WrongExportError", message }, errorMessage: message };
}

/** `suite/lib/deploy`: below the `lib` of a folder of the extensions directory. */
function isInLibrary(module: string): boolean {
  return /^[^/]+\/lib\//.test(module);
}
