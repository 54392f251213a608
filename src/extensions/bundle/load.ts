/** Reads a local file and gives it an `import.meta` of its own. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Loader, Plugin } from "esbuild";
import { messageOf } from "../../errors.ts";
import { computedImport, ownComputedImports } from "./computed-imports.ts";
import type { Gathered } from "./gathered.ts";

/** Makes the object that a file has for `import.meta`; the first line of a bundle imports it under this name. */
export const metaFactory = "__lemon_createMeta";

/** What the names of a module's own place become. esbuild renames the constant in each module. */
export const metaDefines = {
  "import.meta": "__lemon_meta",
  __dirname: "__lemon_meta.dirname",
  __filename: "__lemon_meta.filename",
};

const loaders: Readonly<Record<string, Loader>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
};

/** Whether a file is compiled before Node can run it. */
export function isTypeScript(file: string): boolean {
  return /^\.([cm]?ts|[jt]sx)$/.test(path.extname(file));
}

/** Loads local source; every other file is left to esbuild. */
export function loadPlugin(gathered: Gathered): Plugin {
  return {
    name: "lemon-load",
    setup(build) {
      build.onLoad({ filter: /.*/, namespace: "file" }, async ({ path: file }) => {
        gathered.locals.set(file, 0);
        const loader = loaders[path.extname(file)];
        if (loader === undefined) return undefined;
        try {
          return { contents: await prepared(file, gathered), loader };
        } catch (error) {
          return { errors: [{ text: messageOf(error) }] };
        }
      });
    },
  };
}

async function prepared(file: string, gathered: Gathered): Promise<string> {
  const text = sourceOf(await readFile(file, "utf8"));
  // A file that nowhere says `z`, and imports no whole module, can't mean `z`.
  if (/\bz\b|\*\s*(as|from)\b/.test(text)) gathered.wantsZ.add(file);
  const ready = await ownComputedImports(text);
  const meta = `__lemon_meta=${metaOf(file)}`;
  const imports = ready === text ? "" : `,${computedImport}=__lemon_meta.import`;
  // On the author's first line, so that all lines keep their number.
  const before = `const ${meta}${imports};`;
  gathered.locals.set(file, before.length);
  return before + ready;
}

function metaOf(file: string): string {
  return `${metaFactory}(${JSON.stringify(pathToFileURL(file).href)})`;
}

/** Bytes that a file of types alone leaves in a bundle: what was put before its first line, as esbuild writes it. */
export function emptyLength(file: string): number {
  return `var __lemon_meta = ${metaOf(file)};\n`.length;
}

/** Without a byte order mark, and with a `#!` line as the comment that it is. */
function sourceOf(text: string): string {
  const plain = text.startsWith("\u{FEFF}") ? text.slice(1) : text;
  return plain.startsWith("#!") ? `//${plain.slice(2)}` : plain;
}
