import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSettings, settingsOf } from "../../src/extensions/settings/index.ts";
import type { JsonSchema } from "../../src/tools/index.ts";

const schema: JsonSchema = {
  type: "object",
  properties: {
    api_key: { type: "string", secret: true, minLength: 3 },
    timeout: { type: "integer", default: 5000, minimum: 1 },
    enabled: { type: "boolean", default: true },
    limits: { type: "object", properties: { max: { type: "number", default: 3 } } },
  },
  required: ["api_key"],
  additionalProperties: false,
};

describe("settings", () => {
  test("are what is configured, with the values of variables and the schema's defaults", async () => {
    const configured = { api_key: { env: "KEY" }, limits: {} };
    const outcome = await settingsOf("my-ext", schema, configured, { KEY: "s3cr3t-value" });
    expect(outcome).toEqual({
      settings: { api_key: "s3cr3t-value", timeout: 5000, enabled: true, limits: { max: 3 } },
      secrets: [{ name: "my_ext_api_key", value: "s3cr3t-value" }],
      errors: [],
    });
    expect(configured).toEqual({ api_key: { env: "KEY" }, limits: {} });
  });

  test("that are not configured are the defaults; a schema that says nothing takes anything", async () => {
    expect(await settingsOf("x", { properties: { a: { default: [1] } } }, undefined, {})).toEqual({
      settings: { a: [1] },
      secrets: [],
      errors: [],
    });
    expect(
      (await settingsOf("x", {}, { env: "KEY", deep: { when: [null] } }, { KEY: "no" })).settings,
    ).toEqual({
      env: "KEY",
      deep: { when: [null] },
    });
  });

  test("that are wrong are named by their field, and no value is told", async () => {
    const configured = {
      api_key: "hidden-password",
      timeout: 0,
      enabled: "hidden-word",
      limits: { max: "hidden" },
      extra: "hidden",
    };
    const wrong = await settingsOf(
      "x",
      { ...schema, properties: { ...(schema["properties"] as object), api_key: { enum: ["a"] } } },
      configured,
      {},
    );
    expect([...wrong.errors].toSorted()).toEqual([
      "setting api_key must be equal to one of the allowed values",
      "setting enabled must be boolean",
      "setting extra is not known",
      "setting limits.max must be number",
      "setting timeout must be >= 1",
    ]);
    expect(wrong.errors.join()).not.toContain("hidden");
  });

  test("that must be there are named with the variable that is not set", async () => {
    expect((await settingsOf("x", schema, {}, {})).errors).toEqual(["setting api_key must be there"]);
    expect((await settingsOf("x", schema, { api_key: { env: "KEY" } }, {})).errors).toEqual([
      "setting api_key must be there: the environment variable KEY is not set",
    ]);
    expect(
      (await settingsOf("x", schema, { api_key: "abc", timeout: { env: "T" } }, {})).settings,
    ).toMatchObject({
      timeout: 5000,
    });
  });

  test("of a variable are read as the number or the yes or no that the schema wants", async () => {
    const configured = {
      api_key: "abc",
      timeout: { env: "T" },
      enabled: { env: "E" },
      limits: { max: { env: "M" } },
    };
    const env = { T: " 20 ", E: "false", M: "-2.5e1" };
    expect(await settingsOf("x", schema, configured, env)).toMatchObject({
      settings: { timeout: 20, enabled: false, limits: { max: -25 } },
      errors: [],
    });
    expect((await settingsOf("x", schema, configured, { ...env, T: "soon", E: "1" })).errors).toEqual([
      "setting timeout must be integer",
      "setting enabled must be boolean",
    ]);
    expect((await settingsOf("x", schema, { api_key: "abc", timeout: "20" }, {})).errors).toEqual([
      "setting timeout must be integer",
    ]);
  });

  test("of a schema that can't be used are an error, and shown as nothing but names", async () => {
    const broken = { type: "nonsense" };
    const { errors, settings } = await settingsOf("x", broken, { key: "hidden" }, {});
    expect(errors).toEqual([expect.stringMatching(/^configSchema can't be used: /)]);
    expect(settings).toEqual({});
    expect(await redactSettings({ key: "hidden", other: 1 }, broken)).toEqual({
      key: "[redacted]",
      other: "[redacted]",
    });
  });

  test.each(["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"])(
    "are checked in the dialect %s",
    async ($schema) => {
      const list = { type: "array", items: { type: "string" } };
      const { errors } = await settingsOf("x", { $schema, properties: { list } }, { list: ["a", 3] }, {});
      expect(errors).toEqual(["setting list.1 must be string"]);
    },
  );
});

describe("secrets", () => {
  const deep: JsonSchema = {
    $defs: { token: { type: "string", secret: true } },
    properties: {
      accounts: {
        type: "array",
        items: { type: "object", properties: { token: { $ref: "#/$defs/token" }, user: {} } },
      },
      either: { anyOf: [{ type: "integer" }, { type: "string", secret: true }] },
      whole: { type: "object", secret: true },
      pin: { type: "integer", secret: true },
      "a/b~c": { secret: true },
      open: { type: "string", secret: false },
    },
    additionalProperties: { secret: true },
  };
  const configured = {
    accounts: [{ token: "token-one", user: "ann" }, { user: "bob" }, { token: "token-two", user: "cy" }],
    either: "either-secret",
    whole: { a: "whole-a", b: [12345678] },
    pin: { env: "PIN" },
    "a/b~c": "odd-secret",
    open: "public",
    unknown: "other-secret",
  };

  test("are found at any depth, by reference, in lists and as alternatives", async () => {
    const { secrets, settings, errors } = await settingsOf("e", deep, configured, { PIN: "0012345678" });
    expect(errors).toEqual([]);
    expect(secrets.map(({ value }) => value).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "0012345678",
      "12345678",
      "either-secret",
      "odd-secret",
      "other-secret",
      "token-one",
      "token-two",
      "whole-a",
    ]);
    expect(secrets.find(({ value }) => value === "token-two")?.name).toBe("e_accounts_2_token");
    for (const { name } of secrets) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
    expect(await redactSettings(settings, deep)).toEqual({
      accounts: [{ token: "[redacted]", user: "ann" }, { user: "bob" }, { token: "[redacted]", user: "cy" }],
      either: "[redacted]",
      whole: "[redacted]",
      pin: "[redacted]",
      "a/b~c": "[redacted]",
      open: "public",
      unknown: "[redacted]",
    });
  });

  test("of a wrong type are secrets still", async () => {
    const { secrets, errors } = await settingsOf("e", deep, { accounts: [{ token: ["listed-secret"] }] }, {});
    expect(errors).toEqual(["setting accounts.0.token must be string"]);
    expect(secrets.map(({ value }) => value)).toEqual(["listed-secret"]);
  });
});

test("whatever a secret member holds, its value is in no error and in nothing that is shown", async () => {
  const marked = fc.string({ minLength: 8, maxLength: 12 }).map((text) => `MARK${text}`);
  const inner = fc.oneof(
    marked,
    fc.array(marked, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b"), marked),
  );
  await fc.assert(
    fc.asyncProperty(
      inner,
      fc.constantFrom("string", "integer", "array", "object", undefined),
      async (value, type) => {
        const secret = { secret: true, ...(type === undefined ? {} : { type }), maxLength: 1, minItems: 9 };
        const schema_ = { properties: { outer: { properties: { key: secret } } } };
        const configured = { outer: { key: value, other: 1 } };
        const { errors, settings } = await settingsOf("e", schema_, configured, {});
        expect(errors.join()).not.toContain("MARK");
        expect(JSON.stringify(await redactSettings(settings, schema_))).not.toContain("MARK");
        expect(await redactSettings(settings, schema_)).toEqual({ outer: { key: "[redacted]", other: 1 } });
      },
    ),
    { numRuns: 60 },
  );
});

test("a schema can't reach beyond the settings with its defaults", async () => {
  const schema_ = JSON.parse(
    '{"properties":{"__proto__":{"properties":{"polluted":{"default":1}}},"constructor":{"properties":{"prototype":{"properties":{"polluted":{"default":1}}}}}}}',
  ) as JsonSchema;
  await settingsOf("e", schema_, {}, {});
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
