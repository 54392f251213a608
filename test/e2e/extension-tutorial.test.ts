/** Follows the tutorial on extensions to the letter: files as it shows them, commands with the output that it shows. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/tutorials/first-extension.md"), "utf8");

/** Fences in their order: a file has its name behind the language. */
const fences = [...page.matchAll(/^```(\w+) ?(\S*)\n([^]*?)^```$/gm)].map(
  ([, language = "", file = "", text = ""]) => ({ language, file, text }),
);

test("the tutorial on extensions does what it shows", async () => {
  const place = await Place.make();
  const bin = path.join(place.folder, "bin");
  mkdirSync(bin);
  const main = path.join(root, "dist/cli/main.js");
  writeFileSync(path.join(bin, "lemon"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, LEMON_HOME: place.home };
  expect(fences.length).toBeGreaterThan(8);
  for (const { language, file, text } of fences) {
    if (language !== "console") {
      expect(file).not.toBe("");
      writeFileSync(path.join(place.cwd, file), text);
      continue;
    }
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [command = ""] = step.split("\n");
      const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: place.cwd, env });
      const shown = step.slice(command.length + 1);
      expect(`$ ${command}\n${steady(stdout, place.cwd)}`).toBe(
        `$ ${command}\n${steady(shown, "/home/you/project")}`,
      );
    }
  }
});

/** Without what differs between two runs. */
function steady(output: string, folder: string): string {
  return output
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "TIME")
    .trimEnd();
}
