import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

async function fixture(): Promise<Place> {
  const place = await Place.make();
  const write = async (name: string, text: string): Promise<void> => {
    const file = path.join(place.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const trace = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(path.join(place.folder, "ran"))}, "");`;
  await write(
    "home/config.toml",
    '[runtime]\nextension_paths = ["~/nowhere-to-be"]\n[runtime.extensions]\nauto_load_default_paths = true\n' +
      '[extensions.settings.whisper]\ntoken = "TOKEN-VALUE-123"\n',
  );
  await write("home/agent/extensions/whisper.mjs", trace);
  await write(
    "home/agent/extensions/pack/lemon_extension.json",
    '{ "schema_version": 1, "name": "private-plugin", "version": "1", "capabilities": ["tools"], "distribution": { "source": "git", "url": "https://example.com/x.git" } }',
  );
  await write("work/.lemon/config.toml", '[runtime]\nextension_paths = ["evil-path"]\nmax_tool_turns = 3\n');
  await write("work/.lemon/extensions/evil.mjs", trace);
  await write("work/.lemon/extensions/extension.json", '{ "name": "broken-plugin" }');
  return place;
}

test("doctor tells what is set up, runs nothing and makes nothing", async () => {
  const place = await fixture();
  const { status, stdout, stderr } = await place.lemon("doctor");
  expect(status).toBe(0);
  const lines = stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  "));
  expect(lines).toEqual([
    expect.stringMatching(/^lemon {2}\d+\.\d+\.\d+, Node v/),
    `home  ${place.home}`,
    `log  ${place.log}, not there`,
    `config  ${place.home}/config.toml`,
    `  ${place.cwd}/.lemon/config.toml, not trusted (to trust it: lemon trust ${place.cwd})`,
    "untrusted  runtime.extension_paths",
    "extensions  on, the default folders are loaded",
    `  global  1 file, 1 manifest  loaded  ${place.home}/agent/extensions`,
    `  project  1 file, 1 manifest (1 wrong)  not loaded  ${place.cwd}/.lemon/extensions`,
    expect.stringMatching(/^ {2}configured {2}not there {2}not loaded {2}.*\/nowhere-to-be$/),
    "",
  ]);
  expect(stderr).toContain("ignored runtime.extension_paths, since this folder is not trusted");
  expect(stderr).toContain(`${place.cwd}/.lemon/extensions: not loaded, since this folder is not trusted`);
  expect(existsSync(path.join(place.folder, "ran"))).toBe(false);
  expect(existsSync(place.log)).toBe(false);
});

test("trust lets the project's keys and extensions in, also of a folder without a project file", async () => {
  const place = await fixture();
  expect((await place.lemon("trust")).stdout).toBe(
    `trusted: ${place.cwd}, as its .lemon/config.toml is now\n`,
  );
  const { lines } = await place.json("doctor");
  expect(lines[0]).toMatchObject({
    config: { ignoredKeys: [], warnings: [] },
    extensions: {
      directories: [
        { loaded: true },
        { origin: "project", loaded: true },
        { path: `${place.cwd}/evil-path` },
      ],
    },
  });

  const bare = await Place.make();
  expect(await bare.lemon("trust")).toMatchObject({ status: 3 });
  await mkdir(path.join(bare.cwd, ".lemon/extensions"), { recursive: true });
  const { status, stdout } = await bare.lemon("trust");
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `trusted: ${bare.cwd}, which has no .lemon/config.toml; one that appears must be trusted anew\n`,
  });
});

test("the bundle has counts and hashes, and no name, path, URL or value; its name must be free", async () => {
  const place = await fixture();
  const file = path.join(place.folder, "support.json");
  const { status, lines } = await place.json("doctor", "--bundle", file);
  expect({ status, bundle: lines[0]?.["bundle"] as unknown }).toEqual({ status: 0, bundle: file });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  const bundle = JSON.parse(text) as Record<string, unknown>;
  expect(Object.keys(bundle)).toEqual(["lemon.json", "extension_diagnostics.json"]);
  expect(bundle["lemon.json"]).toMatchObject({ homeExists: true, ignoredKeyCount: 1, configProblemCount: 0 });
  expect(bundle["extension_diagnostics.json"]).toMatchObject({
    directoryCount: 3,
    existingDirectoryCount: 2,
    extensionFileCount: 2,
    validManifestCount: 1,
    invalidManifestCount: 1,
    distributionSourceCounts: { git: 1 },
    execution: { enabled: true, autoLoadDefaultPaths: true, diagnosticsLoadsExtensionCode: false },
  });
  const words = [
    "whisper",
    "evil",
    "plugin",
    "nowhere",
    "example.com",
    "TOKEN",
    "must be",
    "extension_paths",
    "lemon trust",
  ];
  for (const word of [...words, place.folder, place.home, place.cwd]) expect(text).not.toContain(word);
  expect(existsSync(path.join(place.folder, "ran"))).toBe(false);

  const again = await place.lemon("doctor", "--bundle", file);
  expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining("is there already") });
  expect(await readFile(file, "utf8")).toBe(text);
  expect(await place.lemon("doctor", "--bundle", path.join(place.folder, "no/x"))).toMatchObject({
    status: 2,
  });
});

test("a configuration with a mistake is part of the answer, and status 1", async () => {
  const place = await fixture();
  await writeFile(path.join(place.home, "config.toml"), '[runtime]\napproval = "maybe"\n');
  const { status, stdout, stderr } = await place.lemon("doctor");
  expect(status).toBe(1);
  expect(stdout).toContain("extensions  on, the default folders are only looked at");
  expect(stderr).toMatch(
    /^error: .*config\.toml:2:12: runtime\.approval: expected "auto" or "ask" or "deny"/m,
  );
});
