/** Runs TypeScript as a program that has installed lemon-runtime: the built package, in a process of its own. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../..");

/** What a program wrote. Rejects when it fails, writes to standard error, or does not end by itself. */
export async function runExample(name: string, source: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), "lemon-example-"));
  try {
    mkdirSync(path.join(folder, "node_modules"));
    symlinkSync(root, path.join(folder, "node_modules/lemon-runtime"), "dir");
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
    });
    const file = path.join(folder, `${name}.mjs`);
    writeFileSync(file, outputText);
    const env = { ...process.env, LEMON_HOME: path.join(folder, "home"), TMPDIR: folder };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
      cwd: folder,
      env,
      timeout: 25_000,
    });
    if (stderr !== "") throw new Error(stderr);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
