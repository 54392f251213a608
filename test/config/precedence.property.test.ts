import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultConfig, loadConfig, type ModelEndpoint, type RuntimeConfig } from "../../src/config/index.ts";

/** What one source says; a key that it does not mention is absent. */
interface Source {
  readonly runtime: Partial<RuntimeConfig>;
  readonly models: Readonly<Record<string, Partial<ModelEndpoint>>>;
}

const turns = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constant(Infinity));
const runtime = fc.record(
  {
    model: fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,5}$/),
    maxToolConcurrency: fc.integer({ min: 1, max: 64 }),
    maxToolTurns: turns,
    approval: fc.constantFrom("auto" as const, "ask" as const, "deny" as const),
    durability: fc.constantFrom("strict" as const, "relaxed" as const),
  },
  { requiredKeys: [] },
);
const model = fc.record(
  {
    baseUrl: fc.constantFrom("http://a/v1", "https://b/v1", "http://c/v1"),
    apiKeyEnv: fc.constantFrom("A", "B"),
  },
  { requiredKeys: ["baseUrl"] },
);
const name = fc.constantFrom("x", "a b", "ü", "__proto__", "toString");
const source: fc.Arbitrary<Source> = fc.record({ runtime, models: fc.dictionary(name, model) });
const noModels: fc.Arbitrary<Source> = fc.record({ runtime, models: fc.constant({}) });

test("for every key the highest source that names it wins, whatever the others say", async () => {
  const root = await mkdtemp(path.join(tmpdir(), "lemon-precedence-"));
  const [home, cwd] = [path.join(root, "home"), path.join(root, "project")];
  await mkdir(home);
  await mkdir(path.join(cwd, ".lemon"), { recursive: true });
  try {
    await fc.assert(
      fc.asyncProperty(fc.tuple(source, source, noModels, source, source), async (sources) => {
        const [user, project, environment, overrides, flags] = sources;
        await writeFile(path.join(home, "config.toml"), toToml(user));
        await writeFile(path.join(cwd, ".lemon/config.toml"), toToml(project));
        const env = toEnvironment(environment);
        const loaded = await loadConfig({ home, cwd, env, overrides, flags, trustProject: true });
        expect(loaded).toEqual({ config: expected(sources), warnings: [], untrusted: null });
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
    for (const [key, value] of Object.entries(given))
      models.set(key, { apiKeyEnv: null, ...models.get(key), ...value });
  }
  return {
    runtime: Object.assign({ ...defaultConfig.runtime }, ...sources.map((each) => each.runtime)),
    models: Object.fromEntries(models),
  };
}

function toToml({ runtime: table, models }: Source): string {
  const line = ([key, value]: [string, unknown]): string =>
    `${snake(key)} = ${value === Infinity ? "inf" : JSON.stringify(value)}\n`;
  const named = Object.entries(models).map(
    ([key, value]) => `[models.${JSON.stringify(key)}]\n${Object.entries(value).map(line).join("")}`,
  );
  return `[runtime]\n${Object.entries(table).map(line).join("")}${named.join("")}`;
}

function toEnvironment({ runtime: table }: Source): Record<string, string> {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      `LEMON_${snake(key).toUpperCase()}`,
      value === Infinity ? "inf" : String(value),
    ]),
  );
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
