import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  InvalidConfigError,
  loadConfig,
  trustProject,
  type LoadConfigOptions,
  type LoadedConfig,
} from "../../src/config/index.ts";

let root: string;
let home: string;
let cwd: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-config-")));
  home = path.join(root, "home");
  cwd = path.join(root, "project");
  await mkdir(home);
  await mkdir(path.join(cwd, ".lemon"), { recursive: true });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const userSays = (text: string): Promise<void> => writeFile(path.join(home, "config.toml"), text);
const projectSays = (text: string): Promise<void> => writeFile(path.join(cwd, ".lemon/config.toml"), text);

function load(options: Partial<LoadConfigOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({ home, cwd, env: {}, ...options });
}

async function problems(options: Partial<LoadConfigOptions> = {}): Promise<unknown> {
  const error: unknown = await load(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidConfigError)) throw new Error("expected the configuration to be refused");
  return error.problems.map(({ key, line, column, expected, got }) => [key, line, column, expected, got]);
}

describe("where extensions are looked for", () => {
  test("blank entries and those that are no text are dropped, blanks inside a path are kept", async () => {
    await userSays('[runtime]\nextension_paths = ["~/a b", " ", "", 3, " c "]');
    expect((await load()).config.runtime.extensionPaths).toEqual(["~/a b", " c "]);
  });

  test("the variable is split at commas and replaces the list; one with nothing in it is not set", async () => {
    await userSays('[runtime]\nextension_paths = ["a"]');
    const withEnv = async (text: string): Promise<readonly string[]> =>
      (await load({ env: { LEMON_EXTENSION_PATHS: text } })).config.runtime.extensionPaths;
    expect(await withEnv(" b , ,c d,")).toEqual(["b", "c d"]);
    expect(await withEnv(" , ,")).toEqual(["a"]);
    expect(await withEnv("")).toEqual(["a"]);
  });

  test("a list of a file may be empty, and then replaces the one below", async () => {
    await userSays('[runtime]\nextension_paths = ["a"]');
    await projectSays("[runtime]\nextension_paths = []");
    expect((await load({ trustProject: true })).config.runtime.extensionPaths).toEqual([]);
  });

  test("one text in the place of a list is refused", async () => {
    await userSays('[runtime]\nextension_paths = "a,b"');
    expect(await problems()).toEqual([["runtime.extension_paths", 2, 19, "a list of texts", "another text"]]);
  });

  test("both switches have a variable; one that is neither yes nor no is ignored with a warning", async () => {
    await userSays("[runtime.extensions]\nenabled = false\nauto_load_default_paths = 1");
    expect((await load()).config.runtime.extensions).toEqual({ enabled: false, autoLoadDefaultPaths: true });
    const env = { LEMON_EXTENSIONS_ENABLED: " YES ", LEMON_EXTENSIONS_AUTO_LOAD_DEFAULT_PATHS: "maybe" };
    const { config, warnings } = await load({ env });
    expect(config.runtime.extensions).toEqual({ enabled: true, autoLoadDefaultPaths: true });
    expect(warnings).toEqual([
      "environment: LEMON_EXTENSIONS_AUTO_LOAD_DEFAULT_PATHS is ignored: expected true or false",
    ]);
  });
});

describe("settings of extensions", () => {
  test("tables merge key by key at every depth; lists, values and variables replace", async () => {
    await userSays(
      '[extensions.settings.guard]\nkey = { env = "A" }\nlist = [1, 2]\nlimits = { max = 1, min = 0 }\ncamelCase = 1',
    );
    const settings = {
      guard: { key: { env: "B" }, list: [3], limits: { max: 2 } },
      other: { on: true },
    };
    const { config } = await load({ overrides: { extensions: { memory_limit_mb: 64, settings } } });
    expect(config.extensions).toEqual({
      memoryLimitMb: 64,
      settings: {
        guard: { key: { env: "B" }, list: [3], limits: { max: 2, min: 0 }, camelCase: 1 },
        other: { on: true },
      },
    });
  });

  test("what JSON can't hold is refused by its key and place, and not repeated", async () => {
    await userSays('[extensions.settings.a]\nwhen = 2026-11-30\n[extensions.settings."b c"]\nd.e = [1, inf]');
    expect(await problems()).toEqual([
      ["extensions.settings.a.when", 2, 8, "a JSON value", "a date"],
      ['extensions.settings."b c".d.e.1', 4, 7, "a JSON value", "a number that JSON has no word for"],
    ]);
    await userSays("[extensions.settings]\na = 12345678");
    expect(await problems()).toEqual([["extensions.settings.a", 2, 5, "a table", "a number"]]);
  });

  test("an object of a program that holds itself, a class or a function is refused", async () => {
    const endless: Record<string, unknown> = {};
    endless["self"] = endless;
    const settings = { a: endless, b: { map: new Map() }, c: { call: () => 1 } };
    expect(await problems({ overrides: { extensions: { settings } } })).toEqual([
      ["extensions.settings.a.self", null, null, "a JSON value", "more than 64 levels"],
      ["extensions.settings.b.map", null, null, "a JSON value", "an object of a class"],
      ["extensions.settings.c.call", null, null, "a JSON value", "a function"],
    ]);
  });

  test("names of extensions and of settings that objects have from birth are names like others", async () => {
    await userSays("[extensions.settings.__proto__]\nconstructor = 1\n__proto__ = { x = 1 }");
    const { settings } = (await load()).config.extensions;
    expect(JSON.stringify(settings)).toBe('{"__proto__":{"constructor":1,"__proto__":{"x":1}}}');
    expect(Object.getPrototypeOf(settings)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("a project that is not trusted", () => {
  const risky =
    '[runtime]\nextension_paths = ["x"]\n[runtime.extensions]\nauto_load_default_paths = true\n' +
    '[extensions]\nmemory_limit_mb = 64\n[extensions.settings.guard]\nurl = "http://x"';

  test("neither adds code nor sets an extension; one warning names the keys", async () => {
    await projectSays(risky);
    const { config, warnings, untrusted, isProjectTrusted } = await load();
    expect(config.runtime).toMatchObject({ extensionPaths: [], extensions: { autoLoadDefaultPaths: false } });
    expect(config.extensions).toEqual({ memoryLimitMb: 64, settings: {} });
    expect(untrusted?.keys).toEqual([
      "runtime.extension_paths",
      "runtime.extensions.auto_load_default_paths",
      "extensions.settings.guard",
    ]);
    expect(warnings).toHaveLength(1);
    expect(isProjectTrusted).toBe(false);
  });

  test("may switch extensions off, but not on again", async () => {
    await projectSays("[runtime.extensions]\nenabled = false");
    expect(await load()).toMatchObject({
      config: { runtime: { extensions: { enabled: false } } },
      warnings: [],
    });
    await userSays("[runtime.extensions]\nenabled = false");
    await projectSays("[runtime.extensions]\nenabled = true");
    expect(await load()).toMatchObject({
      config: { runtime: { extensions: { enabled: false } } },
      untrusted: { keys: ["runtime.extensions.enabled"] },
    });
  });

  test("has its say once it is trusted", async () => {
    await projectSays(risky);
    await trustProject(home, cwd);
    const { config, warnings, isProjectTrusted } = await load();
    expect(config.runtime).toMatchObject({
      extensionPaths: ["x"],
      extensions: { autoLoadDefaultPaths: true },
    });
    expect(config.extensions.settings).toEqual({ guard: { url: "http://x" } });
    expect({ warnings, isProjectTrusted }).toEqual({ warnings: [], isProjectTrusted: true });
  });

  test("is not trusted by a link from its file to the user's own", async () => {
    await userSays("[runtime.extensions]\nauto_load_default_paths = true");
    await symlink(path.join(home, "config.toml"), path.join(cwd, ".lemon/config.toml"));
    expect((await load()).isProjectTrusted).toBe(false);
  });

  test("is trusted when its .lemon is the user's home, with or without a file", async () => {
    await rm(path.join(cwd, ".lemon"), { recursive: true });
    await symlink(home, path.join(cwd, ".lemon"));
    expect((await load()).isProjectTrusted).toBe(true);
    await userSays("[runtime]\n");
    expect((await load()).isProjectTrusted).toBe(true);
    expect((await load({ trustProject: false })).isProjectTrusted).toBe(false);
  });

  test("without a file it is trusted by its record, until a file appears", async () => {
    await mkdir(path.join(cwd, ".lemon/extensions"));
    expect((await load()).isProjectTrusted).toBe(false);
    await trustProject(home, cwd);
    expect((await load()).isProjectTrusted).toBe(true);
    await projectSays("[runtime]\nmax_tool_turns = 3");
    expect((await load()).isProjectTrusted).toBe(false);
  });
});
