/** Imports of which only the running code knows the name. */
import type { Loader } from "esbuild";
import { withEsbuild } from "./service.ts";

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
export async function ownComputedImports(text: string, loader: Loader): Promise<string> {
  if (!/\bimport\s*[(/]/.test(text)) return text;
  const direct = await replaced(text);
  if (direct !== undefined) return direct;
  // The lexer reads TypeScript, but not JSX: esbuild takes that away first, and its map keeps the positions.
  const plain = await compiledAlone(text, loader);
  return plain === undefined ? text : ((await replaced(plain)) ?? text);
}

async function replaced(text: string): Promise<string | undefined> {
  const lexer = await import("es-module-lexer");
  await lexer.init();
  let imports: ReturnType<typeof lexer.parse>[0];
  try {
    [imports] = lexer.parse(text);
  } catch {
    // Not its language, or a mistake, which esbuild tells better.
    return undefined;
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

async function compiledAlone(text: string, loader: Loader): Promise<string | undefined> {
  try {
    const { code } = await withEsbuild(async (esbuild) =>
      esbuild.transform(text, { loader, sourcemap: "inline", sourcesContent: false, logLevel: "silent" }),
    );
    return code;
  } catch {
    // The build meets the same mistake, and knows the name of the file.
    return undefined;
  }
}
