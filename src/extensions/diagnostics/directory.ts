/** One folder of extensions, as numbers and hashes. */
import { scanRoot } from "../discovery/index.ts";
import { readManifests, type ManifestReport } from "../manifest/index.ts";

/** What lies in one folder. Its names and paths stay here. */
export interface DirectoryContent {
  readonly path: string;
  readonly exists: boolean;
  /** Absolute. */
  readonly files: readonly string[];
  /** How many of them lie in the `lib` of a folder. */
  readonly nestedLibFileCount: number;
  readonly manifests: readonly ManifestReport[];
}

/** Looks at a folder, or at one extension file. Opens manifests and package.json files, and no extension. */
export async function directoryContent(place: string, exists: boolean): Promise<DirectoryContent> {
  if (!exists) return { path: place, exists, files: [], nestedLibFileCount: 0, manifests: [] };
  const [{ files }, manifests] = await Promise.all([scanRoot({ path: place }), readManifests(place)]);
  const nested = files.filter(({ module }) => /^[^/]+\/lib\//.test(module));
  return {
    path: place,
    exists,
    files: files.map(({ sourcePath }) => sourcePath),
    nestedLibFileCount: nested.length,
    manifests,
  };
}
