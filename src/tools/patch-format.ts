/**
 * Tells the two forms of a patch apart.
 */
import { parseBeginPatch } from "./begin-patch.ts";
import { type FilePatch, InvalidPatchError } from "./file-patch.ts";
import { parseUnifiedPatch } from "./unified-patch.ts";

/**
 * Reads a patch: a unified diff, or the form between `*** Begin Patch` and `*** End Patch`.
 *
 * @throws InvalidPatchError saying what was expected, and in which line where that is known
 */
export async function parsePatchText(patch: string): Promise<readonly FilePatch[]> {
  const text = patch.replace(/^\u{FEFF}/u, "").replaceAll("\r\n", "\n");
  const files = /^\s*\*\*\* Begin Patch/.test(text) ? parseBeginPatch(text) : await parseUnifiedPatch(text);
  if (files.length === 0) throw new InvalidPatchError("The patch changes no file");
  return files;
}
