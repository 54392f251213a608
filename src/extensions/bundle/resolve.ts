/** What an import means: the running package, Node, a package of the author's, or a local file that is bundled. */
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ImportKind, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { builtFile } from "../built-file.ts";
import type { Gathered } from "./gathered.ts";

/** Stands for an entry whose name esbuild would take for a pattern. */
const unspeakable = "lemon:entry";

/** What esbuild is told to bundle, relative to the entry's folder. */
export function entryNameOf(entry: string): string {
  const name = path.basename(entry);
  return name.includes("*") ? unspeakable : `./${name}`;
}

/** Marks what this plugin itself asks esbuild to resolve, so that it does not ask for ever. */
const asked = Symbol("asked");

/** Packages that come from the runtime when the author has none. */
const fallback = /^(zod(\/.*)?|@sinclair\/typebox|typebox)$/;

/**
 * Answers the imports of a build that mean something outside it. For a local file it answers nothing, so that esbuild finds
 * it once more: what a plugin answers has no tsconfig.json and no package.json. Nor does it answer with an error, since
 * esbuild may still see that the import is optional.
 */
export function resolvePlugin(gathered: Gathered): Plugin {
  return {
    name: "lemon-resolve",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async (args) => {
        if (args.pluginData === asked) return undefined;
        if (args.kind === "entry-point")
          return args.path === unspeakable ? { path: gathered.entry } : undefined;
        if (/^lemon-runtime(\/|$)/.test(args.path)) return ownPackage(args, gathered);
        if (isBuiltin(args.path) || args.path.startsWith("node:")) {
          return { path: `node:${args.path.replace(/^node:/, "")}`, external: true };
        }
        return outside(build, args);
      });
    },
  };
}

/** The author's own copy of this package, if there is one, is never asked: it would be another runtime. */
function ownPackage(
  { path: specifier, kind, importer }: OnResolveArgs,
  { wantsZ }: Gathered,
): OnResolveResult {
  if (specifier === "lemon-runtime") {
    const entry =
      kind === "import-statement" && !wantsZ.has(importer) ? "author/without-z.js" : "author/index.js";
    return external(builtFile(entry), kind);
  }
  const file = subpaths()[`.${specifier.slice("lemon-runtime".length)}`];
  if (file === undefined) return { errors: [{ text: `Could not resolve "${specifier}"` }] };
  return external(builtFile(path.join("../..", file)), kind);
}

/** The package's `exports`, from subpath to file. */
function subpaths(): Readonly<Record<string, string>> {
  const manifest = JSON.parse(readFileSync(builtFile("../../package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return Object.fromEntries(
    Object.entries(manifest.exports).map(([subpath, target]) => [
      subpath,
      typeof target === "string" ? target : target.default,
    ]),
  );
}

async function outside(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
  const specifier = args.path.startsWith("file:") ? pathOf(args.path) : args.path;
  if (specifier === undefined) return undefined;
  const result = await build.resolve(specifier, {
    importer: args.importer,
    namespace: args.namespace,
    resolveDir: args.resolveDir,
    kind: args.kind,
    with: args.with,
    pluginData: asked,
  });
  if (result.errors.length > 0) return fromRuntime(build, args);
  if (result.external || result.namespace !== "file") return undefined;
  if (isPackaged(result.path) || args.kind === "require-resolve") return external(result.path, args.kind);
  return specifier === args.path ? undefined : { path: result.path };
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // No path of this machine: esbuild says so.
    return undefined;
  }
}

function isPackaged(file: string): boolean {
  return file.endsWith(".node") || file.split(/[\\/]/).includes("node_modules");
}

async function fromRuntime(build: PluginBuild, args: OnResolveArgs): Promise<OnResolveResult | undefined> {
  if (!fallback.test(args.path)) return undefined;
  const resolveDir = path.dirname(builtFile("../../package.json"));
  const result = await build.resolve(args.path, { resolveDir, kind: args.kind, pluginData: asked });
  return result.errors.length > 0 ? undefined : external(result.path, args.kind);
}

/** `import` takes a URL, in which blanks and `#` are told apart from what they mean there; `require` takes a path. */
function external(file: string, kind: ImportKind): OnResolveResult {
  const takesPath = kind === "require-call" || kind === "require-resolve";
  return { path: takesPath ? file : pathToFileURL(file).href, external: true };
}
