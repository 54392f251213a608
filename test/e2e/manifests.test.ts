import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { Place } from "./support/command.ts";

let place: Place;
const at = (...parts: readonly string[]): string => path.join(place.cwd, ...parts);

beforeAll(async () => {
  place = await Place.make();
  await mkdir(at("good/pack"), { recursive: true });
  await mkdir(at("bad"));
  await mkdir(at("none"));
  const good = { schema_version: 1, name: "good", version: "1.0.0", capabilities: ["tools", "hooks"] };
  const providers = [{ type: "memory", name: "team" }];
  await writeFile(at("good/extension.json"), JSON.stringify({ ...good, providers }));
  await writeFile(at("good/pack/any.json"), JSON.stringify({ ...good, capabilities: [] }));
  await writeFile(
    at("bad/lemon_extension.json"),
    JSON.stringify({ name: "", version: "1", schema_version: 1 }),
  );
  // Evaluating it would leave a trace.
  await writeFile(at("good/index.mjs"), 'import { writeFileSync } from "node:fs"; writeFileSync("ran", "");');
});

test("manifests that are valid pass, with what they bring; no code is run", async () => {
  const { status, stdout, stderr } = await place.lemon("extension", "validate", "good", "good/pack/any.json");
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout:
      `PASS ${at("good/extension.json")}\n  capabilities: tools, hooks\n  provider types: memory\n` +
      `PASS ${at("good/pack/any.json")}\n`,
    stderr: "",
  });
});

test("one that is not valid fails, with its errors on standard error, and the others are shown", async () => {
  const { status, stdout, stderr } = await place.lemon("extension", "validate", "bad", "good", "-q");
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: `FAIL ${at("bad/lemon_extension.json")}\nPASS ${at("good/extension.json")}\n  capabilities: tools, hooks\n  provider types: memory\n`,
    stderr:
      "  - name must be a non-empty string\n  - name has invalid characters\n" +
      "error: Extension manifest validation failed.\n",
  });
});

test.each(["--json", "-j"])("%s gives one document, of a failure too", async (flag) => {
  const { status, stdout } = await place.lemon("extension", "validate", "bad", flag);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    manifests: [
      {
        path: at("bad/lemon_extension.json"),
        valid: false,
        byteSize: 44,
        errors: ["name must be a non-empty string", "name has invalid characters"],
        capabilities: [],
        providerTypes: [],
        hostTypes: [],
        distributionSources: [],
        auditStatuses: [],
      },
    ],
  });
});

test("a folder without manifests and a path that is not there are told as missing", async () => {
  for (const args of [["none"], ["gone"], ["gone.json", "none"]]) {
    const { status, stdout, stderr } = await place.lemon("extension", "validate", ...args);
    expect({ status, stdout, stderr }).toEqual({
      status: 3,
      stdout: "",
      stderr: "error: No extension manifests found.\n",
    });
  }
  const some = await place.lemon("extension", "validate", "good", "gone");
  expect(some).toMatchObject({
    status: 3,
    stderr: `error: No extension manifests found in ${at("gone")}.\n`,
  });
  expect(some.stdout).toContain("PASS");
});

test("no argument, and the group alone, are bad usage", async () => {
  expect(await place.lemon("extension", "validate")).toMatchObject({ status: 2, stdout: "" });
  const { status, stdout, stderr } = await place.lemon("extension");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^Usage: lemon extension/);
  expect(await place.lemon("extension", "vallidate", "x")).toMatchObject({ status: 2 });
});

test("a manifest that begins with a byte order mark is valid", async () => {
  await mkdir(at("marked"));
  const file = path.resolve(import.meta.dirname, "../fixtures/cases/manifest-bom.json");
  await cp(file, at("marked/extension.json"));
  const { status, lines } = await place.json("extension", "validate", "marked");
  expect(status).toBe(0);
  expect(lines[0]?.["manifests"]).toMatchObject([{ valid: true, capabilities: ["tools"] }]);
});
