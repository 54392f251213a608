import fc from "fast-check";
import { expect, test } from "vitest";
import { validateManifest, type ManifestReport } from "../../src/extensions/manifest/index.ts";

const check = (value: unknown): ManifestReport =>
  validateManifest("/m.json", new TextEncoder().encode(JSON.stringify(value) ?? ""));

test("any bytes, and any JSON, give a report, valid exactly when nothing is wrong", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 64 }),
        fc.json().map((text) => new TextEncoder().encode(text)),
      ),
      (bytes) => {
        const report = validateManifest("/m.json", bytes);
        expect(report.valid).toBe(report.errors.length === 0);
        expect(report.byteSize).toBe(bytes.byteLength);
      },
    ),
  );
});

// What a good field, and one that is nearly good, may hold.
const odd = fc.oneof(
  fc.constantFrom(null, "", " ", 3, 1.5, true, [], {}, "x", "node"),
  fc.jsonValue({ maxDepth: 1 }),
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,4}$/) },
  { weight: 1, arbitrary: odd },
);
const provider = fc.oneof(
  fc.record({
    type: fc.constantFrom("model", "memory", "tool_executor", "storage"),
    name: fc.constantFrom("a", "b"),
  }),
  fc.record({ type: odd, name: odd }, { requiredKeys: [] }),
  odd,
);
const hostWord = fc.constantFrom("beam", "wasm", "mcp", "external", "node");
const host = fc.oneof(hostWord, fc.record({ type: hostWord }), fc.record({ type: odd }), odd);
const usually = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: odd });
const manifest = fc.record(
  {
    name,
    version: usually(fc.constantFrom("1.0.0", "x")),
    schema_version: usually(fc.constantFrom(1, "1")),
    schemaVersion: usually(fc.constant(1)),
    capabilities: usually(fc.array(usually(fc.constantFrom("tools", "hooks")), { maxLength: 3 })),
    providers: usually(fc.array(provider, { maxLength: 2 })),
    host,
    hosts: usually(fc.array(host, { maxLength: 2 })),
    distribution: usually(
      fc.oneof(fc.constantFrom("local", "git"), fc.record({ source: fc.constantFrom("registry", "ftp") })),
    ),
    audit: usually(
      fc.oneof(fc.constantFrom("pending", "warn"), fc.record({ status: fc.constantFrom("blocked", "no") })),
    ),
  },
  { requiredKeys: ["name", "version"] },
);

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const says = (value: unknown): boolean => typeof value === "string" && /\S/.test(value);
const oneOf = (words: string, value: unknown): boolean =>
  typeof value === "string" && words.split(" ").includes(value);

/** The rules again, each as one yes or no and in another form than the source has them. */
const rules: ((m: Members) => boolean)[] = [
  (m) =>
    typeof m["name"] === "string" &&
    /^[a-z0-9][\w.-]*$/.test(m["name"]) &&
    m["name"] === m["name"].toLowerCase(),
  (m) => says(m["version"]),
  (m) =>
    ["schema_version", "schemaVersion"].some((key) => typeof m[key] === "string" || Number.isInteger(m[key])),
  ({ capabilities: c = [] }) => c === null || (Array.isArray(c) && c.every(says)),
  ({ providers: p = [] }) =>
    Array.isArray(p) &&
    p.every(
      (each) =>
        isObject(each) && oneOf("model memory tool_executor storage", each["type"]) && says(each["name"]),
    ),
  (m) => {
    const list: unknown = "hosts" in m ? m["hosts"] : "host" in m ? [m["host"]] : [];
    const isHost = (each: unknown): boolean =>
      oneOf("beam wasm mcp external node", isObject(each) ? each["type"] : each);
    return Array.isArray(list) && list.every(isHost);
  },
  (m) => !("distribution" in m) || isNote(m["distribution"], "source", "local git github registry archive"),
  (m) => !("audit" in m) || isNote(m["audit"], "status", "pending passed warn blocked unknown"),
];

function isNote(note: unknown, key: string, words: string): boolean {
  if (!isObject(note)) return oneOf(words, note);
  const word = note[key] ?? note["type"] ?? null;
  return word === null || oneOf(words, word);
}

test("a manifest is valid exactly when it keeps all rules", () => {
  let valid = 0;
  fc.assert(
    fc.property(manifest, (generated) => {
      const written = JSON.parse(JSON.stringify(generated)) as Members;
      const report = check(written);
      expect(report.valid).toBe(rules.every((rule) => rule(written)));
      if (report.valid) valid += 1;
    }),
    { numRuns: 1000 },
  );
  expect(valid).toBeGreaterThan(50);
});
