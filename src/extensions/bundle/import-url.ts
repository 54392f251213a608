/** What an import means whose name running code has computed. */
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OnResolveResult, Plugin } from "esbuild";
import { type BundleOptions, bundleModule } from "./bundle.ts";
import { gatheredFor } from "./gathered.ts";
import { isTypeScript } from "./load.ts";
import { resolvePlugin } from "./resolve.ts";
import { withEsbuild } from "./service.ts";

/**
 * Finds the module by the rules of all other imports. Local TypeScript is bundled; anything else is imported as it is.
 *
 * @param importerUrl - `file:` URL of the author's file that imports
 * @returns the URL to import
 * @throws ExtensionLoadError if the file can't be compiled
 * @throws Error with Node's code `ERR_MODULE_NOT_FOUND`
 */
export async function importUrl(
  specifier: string,
  importerUrl: string,
  options: BundleOptions,
): Promise<string> {
  const importer = fileURLToPath(importerUrl);
  const found = await resolveFrom(importer, specifier);
  if (found === undefined) {
    const missing = new Error(`Cannot find module '${specifier}' imported from ${importer}`);
    throw Object.assign(missing, { code: "ERR_MODULE_NOT_FOUND" });
  }
  if (found.external) return found.path;
  if (isTypeScript(found.path)) return (await bundleModule(found.path, options)).url;
  return pathToFileURL(found.path).href + found.suffix;
}

interface Found {
  readonly path: string;
  readonly suffix: string;
  readonly external: boolean;
}

/** Lets esbuild resolve one import of a module that it never writes. */
async function resolveFrom(importer: string, specifier: string): Promise<Found | undefined> {
  return withEsbuild(async (esbuild) => {
    let found: Found | undefined;
    const listen: Plugin = {
      name: "lemon-listen",
      setup(build) {
        build.onResolve({ filter: /.*/ }, async ({ path: asked, kind, pluginData, importer: from }) => {
          if (pluginData !== undefined || kind !== "dynamic-import") return undefined;
          const resolveDir = path.dirname(importer);
          const result = await build.resolve(asked, { kind, importer: from, resolveDir, pluginData: listen });
          if (result.errors.length === 0) found = result;
          return { path: asked, external: true } satisfies OnResolveResult;
        });
      },
    };
    await esbuild.build({
      stdin: { contents: `import(${JSON.stringify(specifier)})`, resolveDir: path.dirname(importer) },
      absWorkingDir: path.dirname(importer),
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      mainFields: ["main"],
      conditions: ["node-addons"],
      logLevel: "silent",
      plugins: [listen, resolvePlugin(gatheredFor(importer))],
    });
    return found;
  });
}
