/** What supervision costs. Its measure is in TypeScript, which Node 20 cannot run: it is stripped of its types first. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { figure } from "../lib/compare.mjs";
import { isShort } from "../lib/place.mjs";

const bench = fileURLToPath(new URL("../", import.meta.url));

export async function measure() {
  const { measureSupervision } = await load("supervision");
  return (await measureSupervision(isShort ? 0.1 : 1)).map(figure);
}

/** Loads bench/NAME.ts; it is written one folder further down, where nothing is under version control. */
async function load(name) {
  const source = readFileSync(path.join(bench, `${name}.ts`), "utf8").replaceAll('"../dist/', '"../../dist/');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
  });
  const file = path.join(bench, "results", `${name}.mjs`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, outputText);
  return import(pathToFileURL(file).href);
}
