/** Folders of extension files for tests, and a thread that runs what was bundled. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { builtFile } from "../../src/extensions/built-file.ts";
import { bundleExtension } from "../../src/extensions/bundle/bundle.ts";
import { importUrl } from "../../src/extensions/bundle/import-url.ts";
import { type Bundle, ExtensionLoadError, type LoadError } from "../../src/extensions/port.ts";

/** A fresh folder that goes away with the test. */
export function freshFolder(name = "ext"): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), `lemon-${name}-`)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Files in a fresh folder, each by its relative path. @returns the folder */
export function write(files: Readonly<Record<string, string>>, folder = freshFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** Bundles one of these files. */
export async function bundleOf(files: Readonly<Record<string, string>>, entry = "e.ts"): Promise<Bundle> {
  return bundleExtension(path.join(write(files), entry), { cacheDir: freshFolder("cache") });
}

/** The load error of these files. */
export async function loadErrorOf(
  files: Readonly<Record<string, string>>,
  entry = "e.ts",
): Promise<LoadError> {
  const outcome = await bundleOf(files, entry).catch((error: unknown) => error);
  if (outcome instanceof ExtensionLoadError) return outcome.loadError;
  throw new Error("it loaded", { cause: outcome });
}

/** What a bundle's default export is, as JSON, or the stack of what it threw. */
export interface Evaluated {
  readonly value?: unknown;
  readonly stack?: string;
}

const bootstrap = `
const { parentPort, workerData } = require("node:worker_threads");
const asked = [];
parentPort.on("message", ({ id, url, problem }) => problem ? asked[id].reject(new Error(problem)) : asked[id].resolve(url));
(async () => {
  const { setImporter } = await import(workerData.meta);
  setImporter((specifier, importerUrl) => new Promise((resolve, reject) => {
    parentPort.postMessage({ ask: { id: asked.push({ resolve, reject }) - 1, specifier, importerUrl } });
  }));
  try {
    const { default: value } = await import(workerData.url);
    parentPort.postMessage({ done: { value: JSON.parse(JSON.stringify(await value ?? null)) } });
  } catch (error) {
    parentPort.postMessage({ done: { stack: String(error.stack) } });
  }
})();
`;

/** Runs a bundle in a thread of its own. */
export async function evaluate(bundle: Bundle): Promise<Evaluated> {
  const meta = pathToFileURL(builtFile("worker/meta.js")).href;
  const worker = new Worker(bootstrap, { eval: true, execArgv: [], workerData: { url: bundle.url, meta } });
  const cacheDir = path.dirname(new URL(bundle.url).pathname);
  try {
    return await new Promise<Evaluated>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("message", (message: Message) => {
        if (message.done !== undefined) return resolve(message.done);
        const { id, specifier, importerUrl } = message.ask;
        importUrl(specifier, importerUrl, { cacheDir }).then(
          ({ url }) => worker.postMessage({ id, url }),
          (error: unknown) => worker.postMessage({ id, problem: String(error) }),
        );
      });
    });
  } finally {
    await worker.terminate();
  }
}

type Message =
  | { readonly done: Evaluated; readonly ask?: undefined }
  | {
      readonly done?: undefined;
      readonly ask: { readonly id: number; readonly specifier: string; readonly importerUrl: string };
    };

/** Bundles one of these files and runs it. */
export async function valueOf(files: Readonly<Record<string, string>>, entry = "e.ts"): Promise<unknown> {
  const { value, stack } = await evaluate(await bundleOf(files, entry));
  if (stack !== undefined) throw new Error(stack);
  return value;
}
