import { mkdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Place } from "./support/command.ts";

let place: Place;

beforeAll(async () => {
  place = await Place.make();
  await mkdir(place.home);
  await mkdir(path.join(place.cwd, "more/guard"), { recursive: true });
  const schema = `{
    type: "object",
    properties: {
      token: { type: "string", secret: true, minLength: 3 },
      max: { type: "integer", default: 3 },
      open: {},
    },
    required: ["token"],
  }`;
  await writeFile(
    path.join(place.cwd, "more/guard/index.ts"),
    `import { defineExtension } from "lemon-runtime";
     export default defineExtension({ name: "guard", version: "1.2.3", configSchema: ${schema} });`,
  );
});

const configure = (settings: string): Promise<void> =>
  writeFile(
    path.join(place.home, "config.toml"),
    `[runtime]\nextension_paths = ["more"]\n[extensions.settings.guard]\n${settings}\n`,
  );

test("shows schema and settings with secrets hidden, and records nothing", async () => {
  await configure('token = { env = "GUARD_TOKEN" }\nopen = [1]');
  const env = { GUARD_TOKEN: "hidden-token" };
  const { status, stdout } = await place.start(["extension", "config", "guard"], { env }).ended;
  const source = path.join(place.cwd, "more/guard/index.ts");
  expect({ status, lines: stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ")) }).toEqual({
    status: 0,
    lines: [
      `guard  1.2.3  guard/index  ${source}`,
      '  token  string, required, secret  "[redacted]"',
      "  max  integer, default 3  3",
      "  open  any  [1]",
      "",
    ],
  });
  const { stdout: document } = await place.start(["extension", "config", "guard", "--json"], { env }).ended;
  expect(JSON.parse(document)).toMatchObject({
    name: "guard",
    module: "guard/index",
    sourcePath: source,
    configSchema: { properties: { token: { secret: true } } },
    settings: { token: "[redacted]", max: 3, open: [1] },
    errors: [],
  });
  expect(stdout + document).not.toContain("hidden-token");
  expect(existsSync(place.log)).toBe(false);
});

test("settings that do not fit are told without their values, and a name that nobody has is not there", async () => {
  await configure('token = "hi"\nmax = "hidden-word"');
  const wrong = await place.lemon("extension", "config", "guard");
  expect(wrong).toMatchObject({ status: 3, stdout: "" });
  expect(wrong.stderr).toContain("setting max must be integer");
  expect(wrong.stderr).toContain("setting token must NOT have fewer than 3 characters");
  expect(wrong.stderr).not.toContain("hidden-word");
  await configure('token = "good-token"');
  const nobody = await place.lemon("extension", "config", "nobody");
  expect(nobody).toMatchObject({ status: 3, stdout: "" });
  expect(nobody.stderr).toContain('no extension called "nobody" could be loaded');
});
