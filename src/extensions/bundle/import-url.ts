/** What an import means whose name running code has computed. */
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OnResolveResult, Plugin } from "esbuild";
import type { Bundle } from "../port.ts";
import { type BundleOptions, bundleModule } from "./bundle.ts";
import { gatheredFor } from "./gathered.ts";
import { isTypeScript } from "./load.ts";
import { resolvePlugin } from "./resolve.ts";
import { withEsbuild } from "./service.ts";

/** What is to be imported. */
export interface ComputedImport {
  readonly url: string;
  /** When it had to be bundled: its positions are to be mapped, too. */
  readonly bundle: Bundle | null;
}

/**
 * Finds the module by the rules of all other imports. Local TypeScript is bundled; anything else is imported as it is. What
 * is not there has a URL all the same, so that the import fails with Node's own error.
 *
 * @param importerUrl - `file:` URL of the author's file that imports
 * @throws ExtensionLoadError if the file can't be compiled
 */
export async function importUrl(
  specifier: string,
  importerUrl: string,
  options: BundleOptions,
): Promise<ComputedImport> {
  const found = await resolveFrom(fileURLToPath(importerUrl), specifier);
  if (found === undefined) return { url: missingUrl(specifier, importerUrl), bundle: null };
  if (found.external) return { url: found.path, bundle: null };
  if (isTypeScript(found.path)) {
    const bundle = await bundleModule(found.path, options);
    return { url: bundle.url, bundle };
  }
  return { url: pathToFileURL(found.path).href + found.suffix, bundle: null };
}

/** Beside the author's file, where nothing is: the bare name could mean a package of the runtime's. */
function missingUrl(specifier: string, importerUrl: string): string {
  const isRelative = /^\.{0,2}\//.test(specifier);
  if (!isRelative && URL.canParse(specifier)) return specifier;
  return new URL(isRelative ? specifier : `node_modules/${specifier}`, importerUrl).href;
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
