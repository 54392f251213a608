import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  InvalidConfigError,
  defaultConfig,
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

const userSays = (text: string | Uint8Array): Promise<void> =>
  writeFile(path.join(home, "config.toml"), text);
const projectSays = (text: string): Promise<void> => writeFile(path.join(cwd, ".lemon/config.toml"), text);

function load(options: Partial<LoadConfigOptions> = {}): Promise<LoadedConfig> {
  return loadConfig({ home, cwd, env: {}, ...options });
}

async function refusal(options: Partial<LoadConfigOptions> = {}): Promise<InvalidConfigError> {
  const error: unknown = await load(options).catch((thrown: unknown) => thrown);
  if (!(error instanceof InvalidConfigError)) throw new Error("expected the configuration to be refused");
  return error;
}

describe("sources", () => {
  test("without any source the defaults hold and nothing is warned about", async () => {
    expect(await load({ home: path.join(root, "nowhere"), cwd: path.join(root, "nowhere") })).toEqual({
      config: defaultConfig,
      warnings: [],
      untrusted: null,
      isProjectTrusted: false,
    });
  });

  test("each source wins over the one below it", async () => {
    await userSays("[runtime]\nmax_tool_turns = 1");
    expect((await load()).config.runtime.maxToolTurns).toBe(1);
    await projectSays("[runtime]\nmax_tool_turns = 2");
    expect((await load()).config.runtime.maxToolTurns).toBe(2);
    const env = { LEMON_MAX_TOOL_TURNS: "3" };
    expect((await load({ env })).config.runtime.maxToolTurns).toBe(3);
    const overrides = { runtime: { maxToolTurns: 4 } };
    expect((await load({ env, overrides })).config.runtime.maxToolTurns).toBe(4);
    const flags = { runtime: { maxToolTurns: 5 } };
    expect((await load({ env, overrides, flags })).config.runtime.maxToolTurns).toBe(5);
  });

  test("tables merge key by key", async () => {
    await userSays('[runtime]\nmodel = "a/b"\n[models.a]\nbase_url = "http://one/v1"\napi_key_env = "KEY"');
    await projectSays('[runtime]\nmax_tool_concurrency = 2\n[models.a]\nbase_url = "http://two/v1"');
    const { config } = await load({ trustProject: true });
    expect(config).toEqual({
      ...defaultConfig,
      runtime: { ...defaultConfig.runtime, model: "a/b", maxToolConcurrency: 2 },
      models: { a: { baseUrl: "http://two/v1", apiKeyEnv: "KEY", contextWindow: null } },
    });
  });

  test("a file may begin with a byte order mark and end its lines as Windows does", async () => {
    await userSays("\uFEFF[runtime]\r\nmax_tool_turns = inf\r\nmax_tool_concurrency = 3\r\n");
    expect((await load()).config.runtime).toMatchObject({ maxToolTurns: Infinity, maxToolConcurrency: 3 });
  });

  test("names of models are the user's, even those that JavaScript has a meaning for", async () => {
    await userSays(
      '[models.__proto__]\nbase_url = "http://x/v1"\n[models.constructor]\nbase_url = "http://y/v1"',
    );
    const { models } = (await load()).config;
    expect(Object.keys(models)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(models)).toBe(Object.prototype);
  });

  test("a program may spell keys as TOML does, and leave them undefined", async () => {
    const overrides = { runtime: { max_tool_turns: 7, model: undefined } };
    expect((await load({ overrides })).config.runtime).toMatchObject({ maxToolTurns: 7, model: null });
  });

  test("a blank variable counts as unset", async () => {
    expect((await load({ env: { LEMON_APPROVAL: "  " } })).config.runtime.approval).toBe("auto");
  });
});

describe("refusals", () => {
  test("a wrong value is named with file, line, column, key and what was expected", async () => {
    await userSays('# mine\n[runtime]\napproval = "maybe"\n');
    const file = path.join(home, "config.toml");
    const error = await refusal();
    expect(error).toMatchObject({ code: "LEMON_INVALID_CONFIG", field: "runtime.approval", got: '"maybe"' });
    expect(error.message).toBe(
      `${file}:3:12: runtime.approval: expected "auto" or "ask" or "deny", found "maybe"`,
    );
  });

  test("of approvals the tool is named, or what stands in the place of the table", async () => {
    const words = '"auto" or "ask" or "deny" or "never" or "always"';
    const said = async (approvals: string): Promise<string> => {
      await userSays(`[runtime.tools.policy]\napprovals = ${approvals}\n`);
      return (await refusal()).message.replace(/^.*config\.toml:/, "");
    };
    const key = "runtime.tools.policy.approvals";
    expect(await said('{ read = "auto", bash = 3 }')).toBe(
      `2:37: ${key}.bash: expected ${words}, found the number 3`,
    );
    expect(await said('{ "git_*" = "sometimes" }')).toBe(
      `2:25: ${key}."git_*": expected ${words}, found "sometimes"`,
    );
    expect(await said('{ bash = { mode = "ask" } }')).toBe(
      `2:22: ${key}.bash: expected ${words}, found a table`,
    );
    expect(await said('"ask"')).toBe(
      `2:13: ${key}: expected a table of names, each with ${words}, found a text`,
    );
  });

  test("all wrong values are named at once", async () => {
    await userSays('runtime = 3\n[models]\nx = { base_url = "ftp://x" }\n"a b".base_url = 4\ny = [1]');
    const places = (await refusal()).problems.map(({ key, line, column, got }) => [key, line, column, got]);
    expect(places).toEqual([
      ["runtime", 1, 11, "the number 3"],
      ["models.x.base_url", 3, 18, "another text"],
      ['models."a b".base_url', 4, 18, "the number 4"],
      ["models.y", 5, 5, "a list"],
    ]);
  });

  test("broken TOML is named with its place and without its content", async () => {
    await userSays('[models.x]\napi_key = "sk-secret"\nx = = 2');
    const error = await refusal();
    expect(error.problems[0]).toMatchObject({ line: 3, column: 5, key: null, expected: "TOML" });
    expect(error.message).not.toContain("secret");
  });

  test("a key in the place of the name of its variable is not repeated", async () => {
    await userSays('[models.x]\nbase_url = "http://x/v1"\napi_key_env = "sk-secret"');
    expect((await refusal()).message).not.toContain("secret");
  });

  test("a file that is not UTF-8, or no file at all, is refused", async () => {
    await userSays(new Uint8Array([0x61, 0xff]));
    expect((await refusal()).message).toContain("expected UTF-8 text");
    await rm(path.join(home, "config.toml"));
    await mkdir(path.join(home, "config.toml"));
    expect((await refusal()).message).toContain("found a directory");
  });

  test.runIf(process.getuid?.() === 0)(
    "a file that may not be read is refused, not taken for a missing one",
    async () => {
      await userSays("");
      await chmod(root, 0o755);
      await chmod(path.join(home, "config.toml"), 0o600);
      process.seteuid?.(65_534);
      try {
        expect((await refusal()).message).toMatch(
          /config\.toml: expected a file to read, found an error: EACCES/,
        );
      } finally {
        process.seteuid?.(0);
      }
    },
  );

  test("both spellings of one key are refused", async () => {
    const overrides = { runtime: { max_tool_turns: 7, maxToolTurns: 7 } };
    expect((await refusal({ overrides })).message).toBe(
      "createRuntime({ config }): runtime.maxToolTurns: expected one spelling of this key, found max_tool_turns as well",
    );
  });

  test.each([
    ["LEMON_APPROVAL", "AUTO", '"AUTO"'],
    ["LEMON_MAX_TOOL_TURNS", "0", "another text"],
    ["LEMON_MAX_TOOL_CONCURRENCY", "inf", "another text"],
  ])("a variable with a wrong value is refused by its name: %s=%s", async (name, value, got) => {
    expect((await refusal({ env: { [name]: value } })).problems).toMatchObject([
      { source: "environment", key: name, got },
    ]);
  });

  test("what is to be known of a provider's models needs no address", async () => {
    await userSays(
      '[models.anthropic]\ncontext_window = 1000000\n[compaction]\nkeep_tokens = 5\nenabled = "off"',
    );
    const { config } = await load();
    expect(config.models).toEqual({
      anthropic: { baseUrl: null, apiKeyEnv: null, contextWindow: 1_000_000 },
    });
    expect(config.compaction).toEqual({ enabled: false, reserveTokens: 16_384, keepTokens: 5 });
  });

  test.each(["context_window = 0", "context_window = 1.5", 'context_window = "big"'])(
    "a window that is no whole number of tokens is refused: %s",
    async (line) => {
      await userSays(`[models.anthropic]\n${line}`);
      expect(await refusal()).toMatchObject({ field: "models.anthropic.context_window" });
    },
  );

  test("the key of a server without an address is refused", async () => {
    await userSays('[models.x]\napi_key_env = "KEY"');
    expect(await refusal()).toMatchObject({ field: "models.x.base_url", got: "nothing" });
  });
});

describe("unknown keys", () => {
  test("each is one warning that names the nearest known key, if one is near", async () => {
    await userSays("[runtime]\nmax_tool_turn = 1\nmaxToolTurns = 1\ncolour = 1\n[agent]\nx = 1\ny = 2");
    const file = path.join(home, "config.toml");
    const { config, warnings } = await load();
    expect(warnings).toEqual([
      `${file}: unknown key runtime.max_tool_turn; did you mean max_tool_turns?`,
      `${file}: unknown key runtime.maxToolTurns; did you mean max_tool_turns?`,
      `${file}: unknown key runtime.colour`,
      `${file}: unknown key agent`,
    ]);
    expect(config).toEqual(defaultConfig);
  });
});

describe("a project that is not trusted", () => {
  const risky =
    '[runtime]\napproval = "auto"\nmax_tool_turns = 9\n[models.evil]\nbase_url = "http://evil/v1"\napi_key_env = "AWS_KEY"';

  test("can't choose a server or a secret, or loosen an approval; one warning names the keys", async () => {
    await userSays('[runtime]\napproval = "ask"');
    await projectSays(risky);
    const { config, warnings, untrusted } = await load();
    expect(config).toEqual({
      ...defaultConfig,
      runtime: { ...defaultConfig.runtime, approval: "ask", maxToolTurns: 9 },
    });
    const keys = ["runtime.approval", "models.evil.base_url", "models.evil.api_key_env"];
    const file = path.join(cwd, ".lemon/config.toml");
    expect(untrusted).toEqual({ file, keys });
    expect(warnings).toEqual([
      `${file}: ignored ${keys.join(", ")}, since this folder is not trusted; to let it: lemon trust ${cwd}`,
    ]);
  });

  test("may tighten an approval", async () => {
    await projectSays('[runtime]\napproval = "deny"');
    expect(await load()).toMatchObject({ config: { runtime: { approval: "deny" } }, warnings: [] });
  });

  test("is trusted by a record or by the program, which also can refuse it", async () => {
    await projectSays(risky);
    const model = { baseUrl: "http://evil/v1", apiKeyEnv: "AWS_KEY", contextWindow: null };
    expect((await load({ trustProject: true })).config.models).toEqual({ evil: model });
    await trustProject(home, cwd);
    expect((await load()).config.models).toEqual({ evil: model });
    expect((await load({ trustProject: false })).config.models).toEqual({});
  });

  test("loses its trust when its file changes", async () => {
    await projectSays(risky);
    await trustProject(home, cwd);
    await projectSays(`${risky}\n`);
    expect((await load()).config.models).toEqual({});
  });

  test("is not the user's own file, seen from the folder that holds the home", async () => {
    await rm(path.join(cwd, ".lemon"), { recursive: true });
    await symlink(home, path.join(cwd, ".lemon"));
    await userSays('[models.mine]\nbase_url = "http://mine/v1"');
    expect(await load()).toMatchObject({ config: { models: { mine: {} } }, warnings: [], untrusted: null });
  });
});

describe("[lanes]", () => {
  test("each is 1 to 256, and has its default", async () => {
    expect((await load()).config.lanes).toEqual({ main: null, subagent: 8, background: 8 });
    await userSays("[lanes]\nmain = 256\nsubagent = 1\n");
    expect((await load()).config.lanes).toEqual({ main: 256, subagent: 1, background: 8 });
    for (const width of ["0", "257", "1.5", '"2"', "inf"]) {
      await userSays(`[lanes]\nsubagent = ${width}\n`);
      expect((await refusal()).message).toContain("a whole number from 1 to 256");
    }
  });
});
