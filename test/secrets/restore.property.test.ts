import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../src/events/index.ts";
import { restoreSecrets } from "../../src/secrets/index.ts";

const secrets = new Map<string, string | null>([
  ["TOKEN", "real {{secret:TOKEN}} value"],
  ["EMPTY", null],
]);

test("a placeholder is replaced at any depth, once, and never in a key", () => {
  const args = { "{{secret:TOKEN}}": ["a {{secret:TOKEN}}{{secret:TOKEN}}", { deep: "{{secret:TOKEN}}" }] };
  expect(restoreSecrets(args, secrets)).toEqual({
    ok: true,
    value: {
      "{{secret:TOKEN}}": [
        "a real {{secret:TOKEN}} valuereal {{secret:TOKEN}} value",
        { deep: "real {{secret:TOKEN}} value" },
      ],
    },
  });
});

test("a name that nobody configured stays as text; one whose variable is not set is told", () => {
  expect(restoreSecrets("{{secret:OTHER}} {{ secret:TOKEN }} {{secret:1}}", secrets)).toEqual({
    ok: true,
    value: "{{secret:OTHER}} {{ secret:TOKEN }} {{secret:1}}",
  });
  expect(restoreSecrets(["{{secret:EMPTY}}"], secrets)).toEqual({ ok: false, name: "EMPTY" });
});

test("what holds no placeholder comes back as it was", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      fc.pre(!JSON.stringify(value).includes("secret:"));
      expect(restoreSecrets(value as Json, secrets)).toEqual({ ok: true, value });
    }),
  );
});
