/**
 * What changed in a file, for people. Never sent to the model.
 */

/** Beyond these a diff costs more than anyone gains from it; fixed numbers, so that it never depends on the machine. */
const maxCharacters = 1_000_000;
const maxEdits = 2_000;

/** A unified diff with three lines of context; `undefined` if the texts are too long or too different. */
export async function unifiedDiff(name: string, before: string, after: string): Promise<string | undefined> {
  if (before.length + after.length > maxCharacters) return undefined;
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  return createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: maxEdits,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
