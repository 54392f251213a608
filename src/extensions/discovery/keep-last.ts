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
 * Of those with one module id the last is kept, and so it is of one file that was found below several roots, where it
 * has several ids: it must not run twice. Both lists keep the order in which they were found.
 *
 * @param found - in search order, objects of the program after all files
 */
export function keepLast<Found extends FoundModule>(
  found: readonly Found[],
): { readonly kept: readonly Found[]; readonly overridden: readonly OverriddenModule[] } {
  const byModule = new Map<string, Found>();
  const byPath = new Map<string, Found>();
  const kept: Found[] = [];
  const overridden: OverriddenModule[] = [];
  for (const each of found.toReversed()) {
    const { module, sourcePath } = each;
    const winner = byModule.get(module) ?? (sourcePath === null ? undefined : byPath.get(sourcePath));
    if (winner === undefined) {
      kept.push(each);
      byModule.set(module, each);
      if (sourcePath !== null) byPath.set(sourcePath, each);
    } else overridden.push({ module, sourcePath, keptSourcePath: winner.sourcePath });
  }
  return { kept: kept.toReversed(), overridden: overridden.toReversed() };
}
