/** Follows the tutorial on extensions to the letter: files as it shows them, commands with the output that it shows. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Fences of a page in their order: a file has its name behind the language. */
function fencesOf(
  page: string,
): { readonly language: string; readonly file: string; readonly text: string }[] {
  const text = readFileSync(path.join(root, "docs", page), "utf8");
  return [...text.matchAll(/^```(\w+) ?(\S*)\n([^]*?)^```$/gm)].map(
    ([, language = "", file = "", fence = ""]) => ({ language, file, text: fence }),
  );
}

/** Runs the commands of a fence, and holds their output to what is shown. */
async function follow(fence: string, place: Place): Promise<void> {
  const bin = path.join(place.folder, "bin");
  mkdirSync(bin, { recursive: true });
  const main = path.join(root, "dist/cli/main.js");
  writeFileSync(path.join(bin, "lemon"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, LEMON_HOME: place.home };
  for (const step of fence.split(/^\$ /m).slice(1)) {
    const [command = ""] = step.split("\n");
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: place.cwd, env });
    const shown = step.slice(command.length + 1);
    expect(`$ ${command}\n${steady(stdout, place.cwd)}`).toBe(
      `$ ${command}\n${steady(shown, "/home/you/project")}`,
    );
  }
}

/** Without what differs between two runs. */
function steady(output: string, folder: string): string {
  return output
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "TIME")
    .trimEnd();
}

test("the tutorial on extensions does what it shows", async () => {
  const place = await Place.make();
  const fences = fencesOf("tutorials/first-extension.md");
  expect(fences.length).toBeGreaterThan(8);
  for (const { language, file, text } of fences) {
    if (language === "console") await follow(text, place);
    else writeFileSync(path.join(place.cwd, file), text);
  }
});

test("the model of the page on model providers answers on the command line", async () => {
  const place = await Place.make();
  cpSync(path.join(root, "examples/extensions/echo-model.ts"), path.join(place.cwd, "echo-model.ts"));
  const commands = fencesOf("how-to/add-a-model-provider.md").filter(
    ({ language }) => language === "console",
  );
  expect(commands).toHaveLength(1);
  for (const { text } of commands) await follow(text, place);
});
