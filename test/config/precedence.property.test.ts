import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  defaultConfig,
  loadConfig,
  type ConfigOverrides,
  type ModelEndpoint,
  type RuntimeConfig,
} from "../../src/config/index.ts";

/** What one source says; a key that it does not mention is absent. */
interface Source {
  readonly runtime: Partial<Runtime>;
  readonly models: Readonly<Record<string, Partial<ModelEndpoint>>>;
  readonly settings: Settings;
}

type Settings = Readonly<Record<string, unknown>>;
type Runtime = Omit<RuntimeConfig, "extensions">;

const turns = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constant(Infinity));
const runtime = fc.record(
  {
    model: fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,5}$/),
    maxToolConcurrency: fc.integer({ min: 1, max: 64 }),
    maxToolTurns: turns,
    approval: fc.constantFrom("auto" as const, "ask" as const, "deny" as const),
    durability: fc.constantFrom("strict" as const, "relaxed" as const),
    extensionPaths: fc.array(fc.constantFrom("~/a", "b c", "/d/[e]&!"), { minLength: 1, maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const model = fc.record(
  {
    baseUrl: fc.constantFrom("http://a/v1", "https://b/v1", "http://c/v1"),
    apiKeyEnv: fc.constantFrom("A", "B"),
    contextWindow: fc.integer({ min: 1, max: 200_000 }),
  },
  { requiredKeys: ["baseUrl"] },
);
const name = fc.constantFrom("x", "a b", "ü", "__proto__", "toString");
const key = fc.constantFrom("a", "b", "c d");
const { table } = fc.letrec<{ table: Settings; value: unknown }>((tie) => ({
  table: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("text", 1, 2.5, true, false),
    fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
    fc.record({ env: fc.constantFrom("ONE", "TWO") }),
    tie("table"),
  ),
}));
const settings: fc.Arbitrary<Settings> = fc.dictionary(fc.constantFrom("guard", "deploy"), table);
const source: fc.Arbitrary<Source> = fc.record({ runtime, models: fc.dictionary(name, model), settings });
const noTables: fc.Arbitrary<Source> = fc.record({
  runtime,
  models: fc.constant({}),
  settings: fc.constant({}),
});

test("for every key the highest source that names it wins, whatever the others say", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "lemon-precedence-"));
  const [home, cwd] = [path.join(root, "home"), path.join(root, "project")];
  await mkdir(home);
  await mkdir(path.join(cwd, ".lemon"), { recursive: true });
  try {
    await fc.assert(
      fc.asyncProperty(fc.tuple(source, source, noTables, source, source), async (sources) => {
        const [user, project, environment, overrides, flags] = sources;
        await writeFile(path.join(home, "config.toml"), toToml(user));
        await writeFile(path.join(cwd, ".lemon/config.toml"), toToml(project));
        const env = toEnvironment(environment);
        const loaded = await loadConfig({
          home,
          cwd,
          env,
          overrides: toOverrides(overrides),
          flags: toOverrides(flags),
          trustProject: true,
        });
        expect(loaded).toEqual({
          config: expected(sources),
          warnings: [],
          untrusted: null,
          isProjectTrusted: true,
        });
      }),
      { numRuns: 60 },
    );
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

function expected(sources: readonly Source[]): unknown {
  const models = new Map<string, Partial<ModelEndpoint>>();
  for (const { models: given } of sources) {
    for (const [each, value] of Object.entries(given))
      models.set(each, { apiKeyEnv: null, contextWindow: null, ...models.get(each), ...value });
  }
  return {
    runtime: Object.assign({ ...defaultConfig.runtime }, ...sources.map((each) => each.runtime)),
    models: Object.fromEntries(models),
    compaction: defaultConfig.compaction,
    controlPlane: { tokens: {} },
    extensions: {
      memoryLimitMb: 512,
      settings: sources.reduce<Settings>((below, { settings }) => laidOver(below, settings), {}),
    },
    checkpoints: defaultConfig.checkpoints,
    lanes: defaultConfig.lanes,
    background: defaultConfig.background,
    secrets: {},
  };
}

/** The rule in its plainest form: tables merge key by key, all else replaces, and a variable is no table. */
function laidOver(below: Settings, above: Settings): Settings {
  const isOpen = (value: unknown): value is Settings =>
    typeof value === "object" && value !== null && !Array.isArray(value) && !("env" in value);
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key];
    merged[key] = isOpen(under) && isOpen(value) ? laidOver(under, value) : value;
  }
  return merged;
}

function toOverrides({ runtime: given, models, settings: own }: Source): ConfigOverrides {
  return {
    runtime: given,
    models,
    extensions: { settings: own as Readonly<Record<string, Readonly<Record<string, unknown>>>> },
  };
}

function toToml({ runtime: given, models, settings: own }: Source): string {
  const line = ([name, value]: [string, unknown]): string =>
    `${snake(name)} = ${value === Infinity ? "inf" : JSON.stringify(value)}\n`;
  const named = Object.entries(models).map(
    ([key, value]) => `[models.${JSON.stringify(key)}]\n${Object.entries(value).map(line).join("")}`,
  );
  const free = Object.keys(own).length === 0 ? "" : `[extensions]\nsettings = ${inline(own)}\n`;
  return `[runtime]\n${Object.entries(given).map(line).join("")}${named.join("")}${free}`;
}

/** As an inline table of TOML. */
function inline(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)} = ${inline(member)}`,
  );
  return `{ ${members.join(", ")} }`;
}

function toEnvironment({ runtime: given }: Source): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      `LEMON_${snake(name).toUpperCase()}`,
      value === Infinity
        ? "inf"
        : Array.isArray(value)
          ? ` ${value.join(" ,, ")},`
          : String(value as string | number | boolean),
    ]),
  );
}

function snake(camel: string): string {
  return camel.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
