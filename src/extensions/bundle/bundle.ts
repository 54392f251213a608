/** From an extension file to code that a thread can import. None of the author's code runs here. */
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Bundle } from "../port.ts";
import { build } from "./build.ts";
import { storeCode } from "./cache.ts";
import { compileFault, loadErrorOf, notFound } from "./faults.ts";
import { positionMapper } from "./positions.ts";

/** Where bundled code is kept. */
export interface BundleOptions {
  /** Absolute; made when it is missing. */
  readonly cacheDir: string;
}

/**
 * Bundles an extension file with its local helpers. Always from the files as they are now: only the result is cached.
 *
 * @param sourcePath - absolute path of the file as it was found
 * @throws ExtensionLoadError
 */
export async function bundleExtension(sourcePath: string, options: BundleOptions): Promise<Bundle> {
  try {
    const { mistakenForModule, bundle } = await bundled(sourcePath, options);
    if (mistakenForModule) throw compileFault(sourcePath, { message: mistaken });
    return bundle;
  } catch (error) {
    throw await loadErrorOf(sourcePath, error);
  }
}

/**
 * The same for a file that running code imports by a name that it has computed: a module of its own, with whatever it
 * imports. What the extension itself has of those files is there a second time.
 *
 * @throws ExtensionLoadError
 */
export async function bundleModule(file: string, options: BundleOptions): Promise<Bundle> {
  try {
    return (await bundled(file, options)).bundle;
  } catch (error) {
    throw await loadErrorOf(file, error);
  }
}

const mistaken =
  'module is not defined: the "type": "module" of a package.json makes this file an ES module: write `export default`';

interface Bundled {
  readonly bundle: Bundle;
  readonly mistakenForModule: boolean;
}

async function bundled(sourcePath: string, { cacheDir }: BundleOptions): Promise<Bundled> {
  const { code, map, gathered, mistakenForModule, ...told } = await build(await realFile(sourcePath));
  const sha256 = createHash("sha256").update(code).digest("hex");
  const url = pathToFileURL(await storeCode(cacheDir, sha256, code)).href;
  const bundle: Bundle = {
    sourcePath,
    url,
    sha256,
    ...told,
    inputs: [...gathered.locals.keys()].sort(),
    mapPositions: positionMapper(url, map, gathered),
  };
  return { bundle, mistakenForModule };
}

async function realFile(sourcePath: string): Promise<string> {
  try {
    return await realpath(sourcePath);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") throw notFound(sourcePath);
    throw error;
  }
}
