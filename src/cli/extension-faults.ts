/** Which extensions a session goes without, and why: what they guard against is then not guarded against. */
import type { ExtensionStatusReport } from "../projections/index.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./printable.ts";

/** Warns of each extension of a load that can't be used. Each is said once in a command. */
export function warnOfFaults(
  out: Pick<Output, "warn">,
  { loadErrors, validationErrors }: Pick<ExtensionStatusReport, "loadErrors" | "validationErrors">,
): void {
  for (const { sourcePath, errorMessage } of loadErrors) out.warn(unusable(sourcePath, errorMessage));
  for (const { module, sourcePath, errors } of validationErrors)
    out.warn(unusable(sourcePath ?? module, errors.join("; ")));
}

function unusable(place: string, why: string): string {
  return `extension ${place} is not used: ${oneLine(why, 300)}`;
}

/** Tells which extensions of a load are not what they must be. */
export function tellInvalid(
  out: Pick<Output, "error">,
  invalid: ExtensionStatusReport["validationErrors"],
): void {
  for (const { module, errors } of invalid) out.error(`${module}: ${errors.join("; ")}`);
}

/** Tells which files gave way to others. */
export function tellOverridden(
  out: Pick<Output, "note">,
  overridden: ExtensionStatusReport["overridden"],
): void {
  for (const { module, sourcePath, keptSourcePath } of overridden) {
    const [lost, kept] = [sourcePath, keptSourcePath].map((place) => place ?? "an object of the program");
    out.note(`${module}: ${lost} gave way to ${kept}`);
  }
}
