/**
 * The supervision room as a user gets it: compiled, in a package of its own, entered through the `exports` of this
 * repository's package.json. For what only a real process shows: crashes, exit codes, worker threads, examples.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../../..");

export interface BuiltPackage {
  /** Compiles a TypeScript file of the repository, or takes `text`, as a module beside the package; gives its path. */
  add(name: string, text?: string): string;
  /** Runs a module to its end. */
  run(
    file: string,
    args?: readonly string[],
  ): Promise<{ status: number | null; stdout: string; stderr: string }>;
  remove(): void;
}

export function buildPackage(): BuiltPackage {
  const folder = mkdtempSync(path.join(tmpdir(), "lemon-supervision-"));
  const home = path.join(folder, "node_modules/lemon-runtime");
  const sources = readdirSync(path.join(root, "src/supervision")).map((name) => `supervision/${name}`);
  for (const source of [...sources, "errors.ts", "ports.ts"]) {
    write(
      path.join(home, "dist", source.replace(/\.ts$/, ".js")),
      compile(readFileSync(path.join(root, "src", source), "utf8")),
    );
  }
  write(path.join(home, "package.json"), readFileSync(path.join(root, "package.json"), "utf8"));
  symlinkSync(path.join(root, "node_modules/xstate"), path.join(folder, "node_modules/xstate"));
  return {
    add(name, text = readFileSync(path.join(root, name), "utf8")) {
      const file = path.join(folder, path.basename(name).replace(/\.ts$/, ".mjs"));
      write(file, compile(text));
      return file;
    },
    async run(file, args = []) {
      const child = spawn(process.execPath, [...args, file], { stdio: ["ignore", "pipe", "pipe"] });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
      child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
      await once(child, "close");
      return { status: child.exitCode, stdout, stderr };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function compile(text: string): string {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
  };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
