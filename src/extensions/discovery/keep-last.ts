/** Which of several extensions with one module id is kept. Pure: the registry decides with it, and a replay again. */

/** An extension as it was found: a file, or an object of the program, which has no path. */
export interface FoundModule {
  readonly module: string;
  readonly sourcePath: string | null;
}

/** One that gave way to another. */
export interface OverriddenModule {
  readonly module: string;
  readonly sourcePath: string | null;
  readonly keptSourcePath: string | null;
}

/**
 * Of those with one module id the last is kept. Both lists keep the order in which they were found.
 *
 * @param found - in search order, objects of the program after all files
 */
export function keepLast<Found extends FoundModule>(
  found: readonly Found[],
): { readonly kept: readonly Found[]; readonly overridden: readonly OverriddenModule[] } {
  const last = new Map(found.map((each) => [each.module, each]));
  const kept: Found[] = [];
  const overridden: OverriddenModule[] = [];
  for (const each of found) {
    const winner = last.get(each.module) ?? each;
    if (winner === each) kept.push(each);
    else {
      const { module, sourcePath } = each;
      overridden.push({ module, sourcePath, keptSourcePath: winner.sourcePath });
    }
  }
  return { kept, overridden };
}
