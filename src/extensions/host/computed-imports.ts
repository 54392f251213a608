/** What running code imports by a name that it has computed. */
import { messageOf } from "../../errors.ts";

/**
 * Finds such imports, and bundles local TypeScript.
 *
 * @param onBundle - given what maps the positions of a new bundle
 * @returns gives the URL to import, from the author's specifier and the `file:` URL of the author's file
 */
export function computedImports(
  cacheDir: string,
  onBundle: (mapPositions: (text: string) => string) => void,
): (specifier: string, importerUrl: string) => Promise<string> {
  return async (specifier, importerUrl) => {
    const { importUrl } = await import("../bundle/import-url.ts");
    const found = await importUrl(specifier, importerUrl, { cacheDir }).catch((error: unknown) => {
      throw new Error(`${messageOf(error)}: ${specifier}`, { cause: error });
    });
    const { bundle } = found;
    if (bundle !== null) onBundle((text) => bundle.mapPositions(text));
    return found.url;
  };
}
