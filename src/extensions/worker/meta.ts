/** What `import.meta` is in a bundled module: the place of the author's file, not of the bundle. */
import { createRequire, isBuiltin } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Finds what a computed import means, and bundles it when it is TypeScript. @returns the URL to import */
export type Importer = (specifier: string, importerUrl: string) => Promise<string>;

/** `import.meta` of an author's module. */
export interface ModuleMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  /** The URL of what an import of `specifier` would load. */
  resolve(specifier: string): string;
  /** `import()` relative to the author's file. */
  import(specifier: unknown, options?: ImportCallOptions): Promise<unknown>;
}

let importer: Importer | undefined;

/** Says whom to ask about computed imports; without one they are imported as they are. */
export function setImporter(ask: Importer): void {
  importer = ask;
}

/** @param url - `file:` URL of the author's file */
export function createMeta(url: string): ModuleMeta {
  const filename = fileURLToPath(url);
  return {
    url,
    filename,
    dirname: dirname(filename),
    resolve: (specifier) => resolved(specifier, url),
    import: async (specifier, options) => {
      const name = String(specifier);
      const target = await targetOf(name, url);
      return (await (options === undefined ? import(target) : import(target, options))) as unknown;
    },
  };
}

async function targetOf(specifier: string, url: string): Promise<string> {
  if (isBuiltin(specifier) || specifier.startsWith("data:")) return specifier;
  return importer === undefined ? resolved(specifier, url) : importer(specifier, url);
}

function resolved(specifier: string, url: string): string {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
  if (/^\.{0,2}\//.test(specifier)) return new URL(specifier, url).href;
  if (URL.canParse(specifier)) return specifier;
  if (specifier === "lemon-runtime") return new URL("../author/index.js", import.meta.url).href;
  return pathToFileURL(createRequire(url).resolve(specifier)).href;
}
