import fc from "fast-check";
import { expect, test } from "vitest";
import { cutBytes, redactJson, redactText, REDACTED } from "../../src/secrets/index.ts";
import { rounds } from "../support/soak.ts";

const fragments = [
  "password",
  "token",
  "api ",
  "key",
  "=",
  ":",
  '"',
  "'",
  "\\",
  " ",
  "\n",
  "://",
  "@",
  "/",
  "a",
  "-",
  "_",
  ".",
  "eyJ",
  "sk-",
  "AIza",
  "npm_",
  "Bearer ",
  "Basic",
  "-----BEGIN PRIVATE KEY-----",
  "-----END PRIVATE KEY-----",
  "[redacted]",
  "{{secret:A}}",
  "authorization: ",
  "\u2028",
  "é",
];

const soup = fc
  .array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(""));

test("what is redacted has nothing left to redact", () => {
  fc.assert(
    fc.property(soup, (text) => {
      const once = redactText(text).text;
      expect(redactText(once).text).toBe(once);
    }),
    { numRuns: rounds(300, 5_000, 50_000) },
  );
});

test("no text takes longer than its length is worth", () => {
  const seconds = (text: string): number => {
    const begin = performance.now();
    redactText(text);
    return performance.now() - begin;
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 4 }), (parts) => {
      const unit = parts.join("");
      // One that looks at each pair of characters takes minutes for this.
      expect(seconds(unit.repeat(Math.ceil(200_000 / unit.length)))).toBeLessThan(2_000);
    }),
    { numRuns: rounds(60, 500, 3_000) },
  );
});

test("a secret that is assigned does not survive, whatever stands around it", () => {
  const word = fc.stringMatching(/^[a-z0-9]{12,20}$/);
  const name = fc.constantFrom("password", "API_KEY", "client-secret", "accessKey", "x.token", "Cookie");
  fc.assert(
    fc.property(soup, name, word, soup, (before, key, secret, after) => {
      expect(redactText(`${before}\n${key}=${secret}\n${after}`).text).not.toContain(secret);
      expect(JSON.stringify(redactJson({ a: [{ [key]: { deep: secret } }] }).value)).not.toContain(secret);
    }),
    { numRuns: rounds(300, 5_000, 50_000) },
  );
});

test("redacting keeps the shape of JSON: only texts, and numbers that are hidden, change", () => {
  const shape = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shape)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member)]))
        : value === REDACTED || typeof value === "string" || typeof value === "number"
          ? "leaf"
          : value;
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(shape(redactJson(value as never).value)).toEqual(shape(value));
    }),
    { numRuns: rounds(200, 2_000, 20_000) },
  );
});

test("a cut text has at most that many bytes, is a beginning, and accounts for the rest", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, maxBytes) => {
      const well = text.toWellFormed();
      const cut = cutBytes(well, maxBytes);
      expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(maxBytes);
      expect(well.startsWith(cut.text)).toBe(true);
      expect(Buffer.byteLength(cut.text) + cut.cutBytes).toBe(Buffer.byteLength(well));
    }),
    { numRuns: rounds(200, 2_000, 20_000) },
  );
});
