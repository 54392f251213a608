/** One run of esbuild over an extension file and its local helpers. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions } from "esbuild";
import { builtFile } from "../built-file.ts";
import { type Gathered, gatheredFor } from "./gathered.ts";
import { emptyLength, loadPlugin, metaDefines, metaFactory } from "./load.ts";
import { entryNameOf, resolvePlugin } from "./resolve.ts";
import { isBuildFailure, withEsbuild } from "./service.ts";

/** Code, its map, and what it is made of. */
export interface Built {
  readonly code: Uint8Array;
  /** Source map, JSON. */
  readonly map: string;
  readonly format: "esm" | "commonjs";
  readonly exports: readonly string[];
  /** Whether the file itself says anything but types. */
  readonly hasCode: boolean;
  readonly gathered: Gathered;
  /** Whether the file is an ES module by its folder and still writes to `module` or `exports`. */
  readonly mistakenForModule: boolean;
}

/** Thrown by {@link build}: esbuild's own failure, and what was learnt before it. */
export class BuildFailed extends Error {
  readonly gathered: Gathered;

  constructor(cause: unknown, gathered: Gathered) {
    super("the build failed", { cause });
    this.name = "BuildFailed";
    this.gathered = gathered;
  }
}

/**
 * Bundles a file. Packages stay outside; every local file that it imports is inside.
 *
 * @param entry - real path
 * @throws BuildFailed
 */
export async function build(entry: string): Promise<Built> {
  return withEsbuild(async (esbuild) => {
    const gathered = gatheredFor(entry);
    const result = await esbuild.build(optionsFor(gathered)).catch((error: unknown) => {
      if (isBuildFailure(error)) throw new BuildFailed(error, gathered);
      throw error;
    });
    const { outputFiles = [], metafile = { inputs: {}, outputs: {} }, warnings } = result;
    const code = outputFiles.find((file) => file.path.endsWith(".mjs"))?.contents ?? new Uint8Array();
    const map = outputFiles.find((file) => file.path.endsWith(".map"))?.text ?? "{}";
    const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
    const format = metafile.inputs[output?.entryPoint ?? ""]?.format === "cjs" ? "commonjs" : "esm";
    const exports = output?.exports ?? [];
    const written = output?.inputs[output.entryPoint ?? ""]?.bytesInOutput ?? 0;
    const hasCode = written > emptyLength(gathered.entry);
    const mistaken = warnings.some(
      ({ id, location }) => id === "commonjs-variable-in-esm" && location?.file === path.basename(entry),
    );
    return {
      code,
      map,
      format,
      exports,
      hasCode,
      gathered,
      mistakenForModule: mistaken && exports.length === 0,
    };
  });
}

function optionsFor(gathered: Gathered): BuildOptions {
  const folder = path.dirname(gathered.entry);
  return {
    entryPoints: [entryNameOf(gathered.entry)],
    // Paths in messages and in the map are relative to these two.
    absWorkingDir: folder,
    outfile: path.join(folder, "bundle.mjs"),
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    mainFields: ["main"],
    // A list, even of this one, keeps esbuild from adding `module`: it then resolves as Node does.
    conditions: ["node-addons"],
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
    // An import for its effects stays one, whatever `sideEffects` says in a package.json above the files.
    ignoreAnnotations: true,
    keepNames: true,
    legalComments: "none",
    logLevel: "silent",
    define: metaDefines,
    banner: { js: bannerOf(gathered.entry) },
    plugins: [resolvePlugin(gathered), loadPlugin(gathered)],
  };
}

/** Runs before everything: what `require` means, and how files get their `import.meta`. One line. */
function bannerOf(entry: string): string {
  const meta = JSON.stringify(pathToFileURL(builtFile("worker/meta.js")).href);
  const url = JSON.stringify(pathToFileURL(entry).href);
  return [
    `import{createRequire as __lemon_createRequire}from"node:module";`,
    `import{createMeta as ${metaFactory}}from${meta};`,
    `const require=__lemon_createRequire(${url});`,
  ].join("");
}
