/** The room as JavaScript, for tests that need it in a process of its own. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

/**
 * Writes `errors`, `ports`, `tools` and `workspace` below `directory`.
 *
 * @returns the URL of `entry` in it, such as `workspace/command.js`
 */
export function transpiledRoom(directory: string, entry: string): string {
  const target = join(directory, ".room");
  const files = [
    "errors.ts",
    "ports.ts",
    ...["tools", "workspace"].flatMap((room) =>
      readdirSync(join(source, room), { recursive: true, encoding: "utf8" }).map((file) => join(room, file)),
    ),
  ].filter((file) => file.endsWith(".ts"));
  for (const file of files) {
    const { outputText } = ts.transpileModule(readFileSync(join(source, file), "utf8"), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2023,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    const written = join(target, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(written), { recursive: true });
    // Packages are found from the repository, not from the temporary directory.
    const text = outputText.replaceAll(
      /(from |import\()"((?!node:|\.)[^"]+)"/g,
      (_all, how: string, name: string) => `${how}"${resolved(name)}"`,
    );
    writeFileSync(written, text);
  }
  writeFileSync(join(target, "package.json"), '{"type":"module"}');
  return pathToFileURL(join(target, entry)).href;
}

function resolved(name: string): string {
  return import.meta.resolve?.(name) ?? join(packages, name);
}
