import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findManifests, readManifest, validateManifest } from "../../src/extensions/manifest/index.ts";
import { hash16 } from "../../src/tools/index.ts";

const good = { schema_version: 1, name: "my-extension", version: "1.0.0" };
const bytesOf = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const errorsOf = (value: unknown): readonly string[] => validateManifest("/m.json", bytesOf(value)).errors;

describe("a manifest", () => {
  test("that says everything is valid and reported", () => {
    const bytes = bytesOf({
      ...good,
      capabilities: ["tools", "hooks", "tools", "own word"],
      providers: [
        { type: "model", name: "custom-model" },
        { type: "memory", name: "team-memory" },
        { type: "model", name: "another" },
      ],
      hosts: ["node", { type: "beam" }, "node"],
      distribution: { source: "git", url: "https://example.com/x.git" },
      audit: "passed",
      whatever: 1,
    });
    expect(validateManifest("/m.json", bytes)).toEqual({
      path: "/m.json",
      pathHash: hash16("/m.json"),
      valid: true,
      byteSize: bytes.byteLength,
      errors: [],
      capabilities: ["tools", "hooks", "own word"],
      providerTypes: ["model", "memory"],
      hostTypes: ["node", "beam"],
      distributionSources: ["git"],
      auditStatuses: ["passed"],
    });
  });

  test("that is all wrong names every fault in order, and what of it is supported", () => {
    const report = validateManifest(
      "/m.json",
      bytesOf({
        name: "",
        version: 3,
        capabilities: ["tools", " ", 3],
        providers: [
          { type: "storage", name: " " },
          { type: "search", name: "x" },
          "model",
          { type: 3, name: null },
        ],
        hosts: ["wasm", "deno", { type: "deno" }, { type: null }, {}, 3],
        distribution: { source: "ftp" },
        audit: [],
      }),
    );
    expect(report.errors).toEqual([
      "name must be a non-empty string",
      "version must be a non-empty string",
      "schema_version must be present",
      "name has invalid characters",
      "capabilities must contain strings",
      "providers[0].name must be a non-empty string",
      "providers[1].type is not supported",
      "providers[2] must include type and name",
      "providers[3].type must be a string",
      "providers[3].name must be a non-empty string",
      "hosts[1] is not supported",
      "hosts[2].type is not supported",
      "hosts[3].type must be a string",
      "hosts[4] must be a host type or object",
      "hosts[5] must be a host type or object",
      "distribution.source is not supported",
      "audit must be a string or object",
    ]);
    expect(report).toMatchObject({
      valid: false,
      capabilities: ["tools"],
      providerTypes: ["storage"],
      hostTypes: ["wasm"],
    });
  });

  test.each([
    [{ ...good, name: "Upper" }, ["name has invalid characters"]],
    [{ ...good, name: "-x" }, ["name has invalid characters"]],
    [{ ...good, name: "x\n" }, ["name has invalid characters"]],
    [{ ...good, name: "0.a_b-c" }, []],
    [{ ...good, name: null }, ["name must be a non-empty string"]],
    [{ ...good, schema_version: 1.5 }, ["schema_version must be present"]],
    [{ ...good, schema_version: "1" }, []],
    [{ name: "x", version: "1", schemaVersion: 1 }, []],
    [{ ...good, capabilities: null }, []],
    [{ ...good, capabilities: "tools" }, ["capabilities must be a list of strings"]],
    [{ ...good, providers: {} }, ["providers must be a list"]],
    [{ ...good, host: "node" }, []],
    [{ ...good, host: { type: "external" } }, []],
    [{ ...good, host: "Beam" }, ["host is not supported"]],
    [{ ...good, host: { type: 3 } }, ["host.type is not supported"]],
    [{ ...good, host: null }, ["host must be a host type or object"]],
    [{ ...good, host: {} }, ["host must be a host type or object"]],
    [{ ...good, hosts: {}, host: "node" }, ["hosts must be a list"]],
    [{ ...good, hosts: [], host: "deno" }, []],
    [{ ...good, distribution: "archive" }, []],
    [{ ...good, distribution: {} }, []],
    [{ ...good, distribution: { type: "github" } }, []],
    [{ ...good, distribution: { type: "ftp" } }, ["distribution.source is not supported"]],
    [{ ...good, distribution: "ftp" }, ["distribution is not supported"]],
    [{ ...good, distribution: 3 }, ["distribution must be a string or object"]],
    [{ ...good, audit: { status: "unknown" } }, []],
    [{ ...good, audit: "done" }, ["audit is not supported"]],
    [{ ...good, audit: { status: "done" } }, ["audit.status is not supported"]],
  ])("%j has the errors %j", (manifest, errors) => {
    expect(errorsOf(manifest)).toEqual(errors);
  });

  test.each(["", "{", "[1]}", "\uFEFF\uFEFF{}"])("%j is no JSON, which is all that is said", (text) => {
    expect(errorsOf(text)).toEqual(["manifest is not valid JSON"]);
  });

  test.each(["null", "[]", "3", '"x"'])("%s is no object", (text) => {
    expect(errorsOf(text)).toEqual(["manifest JSON must be an object"]);
  });

  test("that is not UTF-8 is no JSON", () => {
    expect(validateManifest("/m", new Uint8Array([0x22, 0xff, 0x22])).errors).toEqual([
      "manifest is not valid JSON",
    ]);
  });

  test("may begin with a byte order mark", () => {
    const file = path.resolve(import.meta.dirname, "../fixtures/cases/manifest-bom.json");
    expect([...readFileSync(file).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(validateManifest(file, readFileSync(file))).toMatchObject({
      valid: true,
      errors: [],
      capabilities: ["tools"],
    });
  });

  test("may have 262,144 bytes and no more", () => {
    const text = JSON.stringify(good);
    const limit = text + " ".repeat(262_144 - text.length);
    expect(errorsOf(limit)).toEqual([]);
    expect(errorsOf(`${limit} `)).toEqual(["manifest exceeds 256 KiB"]);
  });
});

describe("on the disk", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-manifests-")));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const write = async (name: string, text = JSON.stringify(good)): Promise<string> => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };

  test("manifests are found at the root and one directory down, under three names, sorted", async () => {
    const wanted = [];
    for (const name of [
      ".lemon-extension.json",
      "b/extension.json",
      "b/lemon_extension.json",
      "extension.json",
    ])
      wanted.push(await write(name));
    for (const name of [".h/extension.json", "b/c/extension.json", "manifest.json", "b/Extension.json"])
      await write(name);
    await mkdir(path.join(folder, "lemon_extension.json"));
    expect(await findManifests(folder)).toEqual(wanted);
    expect(await findManifests(path.relative(process.cwd(), folder))).toEqual(wanted);
  });

  test("links are followed; a file or a missing folder has no manifests", async () => {
    const file = await write("real/extension.json");
    await mkdir(path.join(folder, "x"));
    await symlink(path.join(folder, "real"), path.join(folder, "x/linked"));
    await symlink(path.join(folder, "nowhere"), path.join(folder, "x/extension.json"));
    expect(await findManifests(path.join(folder, "x"))).toEqual([
      path.join(folder, "x/linked/extension.json"),
    ]);
    expect(await findManifests(file)).toEqual([]);
    expect(await findManifests(path.join(folder, "gone"))).toEqual([]);
  });

  test("one that can't be read is told so, and one that is too large is not read", async () => {
    expect(await readManifest(path.join(folder, "gone.json"))).toMatchObject({
      valid: false,
      byteSize: 0,
      errors: ["manifest could not be read"],
    });
    expect((await readManifest(folder)).errors).toEqual(["manifest could not be read"]);
    const large = await write("large.json", " ".repeat(262_145));
    expect(await readManifest(large)).toMatchObject({
      byteSize: 262_145,
      errors: ["manifest exceeds 256 KiB"],
    });
    expect(await readManifest(await write("any-name.json"))).toMatchObject({ valid: true });
  });
});
