/** Imports of which only the running code knows the name. */
/**
 * Stands where `import` of a computed import stood, and has as many characters, so that every position stays true.
 * The load plugin declares it in each file that uses it.
 */
export const computedImport = "$lm_i$";

/**
 * Turns `import(<computed>)` into a call of {@link computedImport}. An import of a literal name is left to esbuild.
 *
 * esbuild would take `"./" + name` for a pattern and bundle, or fail on, whatever lies in the folders below.
 */
export async function ownComputedImports(text: string): Promise<string> {
  if (!/\bimport\s*[(/]/.test(text)) return text;
  const { init, parse } = await import("es-module-lexer");
  await init();
  let imports: ReturnType<typeof parse>[0];
  try {
    [imports] = parse(text);
  } catch {
    // JSX, which the lexer does not read, or a mistake, which esbuild tells better.
    return text;
  }
  let result = text;
  for (const { importStart, ...found } of imports) {
    if (found.type !== "dynamic" || found.phase !== null) continue;
    if (found.specifier !== undefined && !found.glob) continue;
    result =
      result.slice(0, importStart) + computedImport + result.slice(importStart + computedImport.length);
  }
  return result;
}
