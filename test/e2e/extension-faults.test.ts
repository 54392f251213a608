import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Place } from "./support/command.ts";

let place: Place;
let at: (file: string) => string;

const guard = `import { defineExtension } from "lemon-runtime";
export default defineExtension({ name: "guard", version: "1.0.0", configSchema: { required: ["list"] } });
`;

beforeAll(async () => {
  place = await Place.make();
  at = (file) => path.join(place.cwd, file);
  await mkdir(at("folder"));
  await Promise.all([
    writeFile(at("script.json"), JSON.stringify({ turns: [{ text: "Done." }, { text: "Done." }] })),
    writeFile(at("guard.mjs"), guard),
    writeFile(at("folder/guard.mjs"), guard.replace("configSchema", "other")),
    writeFile(at("broken.ts"), "export default {\n"),
    writeFile(at("forgot.ts"), guard.replace("export default ", "")),
    writeFile(at("folder/types.ts"), "export type Word = string;\n"),
  ]);
});

test.each([[[]], [["--json"]]])("a run says which extensions it goes without %j", async (flags) => {
  const named = ["guard.mjs", "broken.ts", "forgot.ts"].flatMap((file) => ["--extension", file]);
  const { status, stderr } = await place.start(["run", ...flags, "--script", "script.json", ...named, "Go."])
    .ended;
  expect(status).toBe(0);
  const warnings = stderr.split("\n").filter((line) => line.startsWith("warning:"));
  expect(warnings).toEqual([
    'warning: the file exports nothing and no extension imports it: is its export default missing? {"module":"forgot"}',
    expect.stringContaining(`extension ${at("broken.ts")} is not used: Syntax error at line 2`) as string,
    `warning: extension ${at("guard.mjs")} is not used: setting list must be there`,
  ]);
});

test("a run says that what it is told to load is not enabled", async () => {
  const args = ["run", "--script", "script.json", "--extension", "guard.mjs", "Go."];
  const { stderr } = await place.start(args, { env: { LEMON_EXTENSIONS_ENABLED: "0" } }).ended;
  expect(stderr).toContain(
    `warning: extension path ${at("guard.mjs")} is not looked at: extensions are not enabled`,
  );
});

test("the list says which file took the place of another, and of a file of types nothing", async () => {
  const named = ["--extension", "guard.mjs", "--extension", "folder"];
  for (const command of ["list", "status"]) {
    const { stderr } = await place.start(["extension", command, ...named]).ended;
    expect(stderr).toBe(`guard: ${at("guard.mjs")} gave way to ${at("folder/guard.mjs")}\n`);
  }
});
