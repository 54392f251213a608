import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const root = path.resolve(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/tutorials/first-session.md"), "utf8");

/** Commands of the page with the output that it shows. */
const steps = [...page.matchAll(/^```console\n([^]*?)^```$/gm)].flatMap(([, fence = ""]) =>
  fence
    .split(/^\$ /m)
    .slice(1)
    .map((step) => ({
      command: step.slice(0, step.indexOf("\n")),
      output: step.slice(step.indexOf("\n") + 1),
    })),
);

test("the first tutorial does what it shows", async () => {
  const place = await Place.make();
  const bin = path.join(place.folder, "bin");
  mkdirSync(bin);
  const main = path.join(root, "dist/cli/main.js");
  writeFileSync(path.join(bin, "lemon"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(path.join(place.cwd, "script.json"), /^```json\n([^]*?)^```$/m.exec(page)?.[1] ?? "");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}`, LEMON_HOME: place.home };
  expect(steps.length).toBeGreaterThan(6);
  for (const { command, output } of steps) {
    // The first is killed; what it had written by then is what counts.
    const { stdout } = await promisify(execFile)("sh", ["-c", `${command}; true`], { cwd: place.cwd, env });
    expect(`$ ${command}\n${steady(stdout, place.cwd)}`).toBe(
      `$ ${command}\n${steady(output, "/home/you/project")}`,
    );
  }
});

/** Without what differs between two runs. */
function steady(output: string, folder: string): string {
  return (
    output
      .replaceAll(folder, "FOLDER")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
      .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
      .replaceAll(/\d+ in, \d+ out/g, "TOKENS")
      // What the killed run had to tell of itself may have been lost with it.
      .replaceAll(/\d+ facts in \d+ streams/g, "FACTS")
  );
}
