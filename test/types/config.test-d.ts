import { expectTypeOf, test } from "vitest";
import type { Config, ConfigOverrides } from "../../src/config/index.ts";

test("a program may spell a key either way, and no other", () => {
  expectTypeOf<{ runtime: { maxToolTurns: 3 } }>().toExtend<ConfigOverrides>();
  expectTypeOf<{ runtime: { max_tool_turns: 3 } }>().toExtend<ConfigOverrides>();
  expectTypeOf<{
    models: { local: { base_url: "http://x/v1"; apiKeyEnv: null } };
  }>().toExtend<ConfigOverrides>();
  // @ts-expect-error no key has this name
  const misspelt: ConfigOverrides = { runtime: { maxTurns: 3 } };
  expectTypeOf(misspelt).toEqualTypeOf<ConfigOverrides>();
});

test("a configuration that was read has a value for every key, and can't be written to", () => {
  expectTypeOf<Config["runtime"]["approval"]>().toEqualTypeOf<"auto" | "ask" | "deny">();
  expectTypeOf<Config["runtime"]["model"]>().toEqualTypeOf<string | null>();
  const change = (config: Config): void => {
    // @ts-expect-error read-only
    config.runtime.approval = "auto";
  };
  expectTypeOf(change).toBeFunction();
});
