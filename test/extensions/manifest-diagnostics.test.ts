import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultConfig, type Config } from "../../src/config/index.ts";
import { extensionDiagnostics, type ExtensionDiagnostics } from "../../src/extensions/diagnostics/index.ts";
import { hash16 } from "../../src/tools/index.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-diagnostics-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const at = (...parts: readonly string[]): string => path.join(folder, ...parts);

async function write(name: string, content: unknown = ""): Promise<void> {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), typeof content === "string" ? content : JSON.stringify(content));
}

function diagnostics(runtime: Partial<Config["runtime"]> = {}): Promise<ExtensionDiagnostics> {
  const config = { ...defaultConfig, runtime: { ...defaultConfig.runtime, ...runtime } };
  return extensionDiagnostics({ config, home: at("home"), cwd: at("work"), userHome: at("user") });
}

const manifest = (more: object): object => ({
  schema_version: 1,
  name: "secret-plugin",
  version: "9.9.9",
  ...more,
});

async function fixture(): Promise<void> {
  await write("home/agent/extensions/whisper.ts", "export const body = 'FILE-BODY';");
  await write("home/agent/extensions/suite/lib/deep/inner.mjs");
  await write(
    "home/agent/extensions/suite/lemon_extension.json",
    manifest({
      capabilities: ["tools", "hooks", "zebra-word", "another-word"],
      providers: [{ type: "model", name: "provider-name" }],
      hosts: ["node", { type: "mcp" }],
      distribution: { source: "git", url: "https://example.com/private.git" },
      audit: { status: "passed" },
      note: "MANIFEST-BODY",
    }),
  );
  await write(
    "work/.lemon/extensions/extension.json",
    manifest({ name: "Bad Name", capabilities: ["tools"], host: "beam" }),
  );
  await write("work/.lemon/extensions/pack/package.json", '{ "lemon": { "extension": "LOAD-ERROR.ts" } }');
}

test("counts what lies in the user's folder, the project's and the configured ones, and hashes what has a name", async () => {
  await fixture();
  await write("user/more/one.ts");
  const found = await diagnostics({
    extensionPaths: ["~/more", "gone", "~/more", at("home/agent/extensions")],
  });
  expect(found).toMatchObject({
    directoryCount: 4,
    existingDirectoryCount: 3,
    extensionFileCount: 3,
    manifestCount: 2,
    validManifestCount: 1,
    invalidManifestCount: 1,
    configuredExtensionPathCount: 4,
    capabilityCounts: { tools: 2, hooks: 1, other: 2 },
    providerTypeCounts: { model: 1 },
    hostTypeCounts: { node: 1, mcp: 1, beam: 1 },
    distributionSourceCounts: { git: 1 },
    auditStatusCounts: { passed: 1 },
  });
  expect(found.directories.map(({ pathHash, exists }) => [pathHash, exists])).toEqual([
    [hash16(at("home/agent/extensions")), true],
    [hash16(at("work/.lemon/extensions")), true],
    [hash16(at("user/more")), true],
    [hash16(at("work/gone")), false],
  ]);
  expect(found.directories[0]).toEqual({
    pathHash: hash16(at("home/agent/extensions")),
    exists: true,
    extensionFileCount: 2,
    extensionFileHashes: [
      hash16(at("home/agent/extensions/suite/lib/deep/inner.mjs")),
      hash16(at("home/agent/extensions/whisper.ts")),
    ],
    nestedLibFileCount: 1,
    manifestCount: 1,
    manifests: [
      {
        fileHash: hash16(at("home/agent/extensions/suite/lemon_extension.json")),
        valid: true,
        byteSize: expect.any(Number),
        errorCount: 0,
        errorHashes: [],
        capabilities: ["tools", "hooks", "other"],
        providerTypes: ["model"],
        hostTypes: ["node", "mcp"],
        distributionSources: ["git"],
        auditStatuses: ["passed"],
      },
    ],
  });
  expect(found.directories[1]?.manifests[0]).toMatchObject({
    valid: false,
    errorCount: 1,
    errorHashes: [hash16("name has invalid characters")],
  });
});

test("holds no path, name, word of an author, URL or text of a file", async () => {
  await fixture();
  const text = JSON.stringify(
    await diagnostics({ extensionPaths: [at("home/agent/extensions/whisper.ts")] }),
  );
  const known = [
    "whisper",
    "suite",
    "inner",
    "secret-plugin",
    "9.9.9",
    "Bad Name",
    "zebra",
    "another-word",
    "provider-name",
  ];
  for (const word of [
    ...known,
    "example.com",
    "private",
    "BODY",
    "LOAD-ERROR",
    "invalid characters",
    folder,
    ".ts",
    "/",
  ])
    expect(text).not.toContain(word);
});

test("a manifest that begins with a byte order mark counts as valid", async () => {
  const marked = await readFile(
    path.resolve(import.meta.dirname, "../fixtures/cases/manifest-bom.json"),
    "utf8",
  );
  expect(marked.charCodeAt(0)).toBe(0xfeff);
  await write("work/.lemon/extensions/marked/lemon_extension.json", marked);
  expect(await diagnostics()).toMatchObject({
    validManifestCount: 1,
    invalidManifestCount: 0,
    capabilityCounts: { tools: 1 },
  });
});

test("whatever authors write, no word of theirs is in it", async () => {
  const word = fc.stringMatching(/^[a-z]{2,6}$/).map((text) => `MARK-${text}`);
  const free = fc.oneof(word, fc.record({ type: word, name: word, source: word, status: word, url: word }));
  const field = fc.oneof(free, fc.array(free, { maxLength: 3 }), fc.dictionary(word, free, { maxKeys: 2 }));
  const fields = [
    "name",
    "version",
    "capabilities",
    "providers",
    "host",
    "hosts",
    "distribution",
    "audit",
    "MARK",
  ];
  const written = fc.dictionary(fc.constantFrom(...fields), field, { minKeys: 3 });
  await fc.assert(
    fc.asyncProperty(written, word, word, async (manifestText, folderName, fileName) => {
      await rm(at("work"), { recursive: true, force: true });
      await write(`work/.lemon/extensions/${folderName}/extension.json`, manifestText);
      await write(`work/.lemon/extensions/${fileName}.mjs`, 'throw new Error("MARK")');
      const found = await diagnostics({ extensionPaths: [`MARK/${folderName}`], extensions: all });
      expect(found).toMatchObject({ manifestCount: 1, extensionFileCount: 1 });
      expect(JSON.stringify(found)).not.toContain("MARK");
    }),
    { numRuns: 40 },
  );
});

const all = { enabled: true, autoLoadDefaultPaths: true };

test("an empty place has both default folders, and keys for all counts", async () => {
  expect(await diagnostics()).toEqual({
    directories: [at("home/agent/extensions"), at("work/.lemon/extensions")].map((place) => ({
      pathHash: hash16(place),
      exists: false,
      extensionFileCount: 0,
      extensionFileHashes: [],
      nestedLibFileCount: 0,
      manifestCount: 0,
      manifests: [],
    })),
    directoryCount: 2,
    existingDirectoryCount: 0,
    extensionFileCount: 0,
    manifestCount: 0,
    validManifestCount: 0,
    invalidManifestCount: 0,
    configuredExtensionPathCount: 0,
    capabilityCounts: {},
    providerTypeCounts: {},
    hostTypeCounts: {},
    distributionSourceCounts: {},
    auditStatusCounts: {},
    execution: {
      enabled: true,
      configuredExtensionPathCount: 0,
      defaultDirectoryCount: 2,
      autoLoadDefaultPaths: false,
      defaultDirectoriesDiagnosticsOnly: true,
      diagnosticsLoadsExtensionCode: false,
    },
    hostRuntime: {
      hosts: {
        beam: { configuredCount: 0, status: "not_configured", diagnosticsLoadsHostCode: false },
        wasm: { configuredCount: 0, status: "disabled", diagnosticsLoadsHostCode: false },
        mcp: { configuredCount: 0, status: "not_configured", diagnosticsLoadsHostCode: false },
        external: { configuredCount: 0, status: "not_configured", diagnosticsLoadsHostCode: false },
        node: { configuredCount: 0, status: "not_configured", diagnosticsLoadsHostCode: false },
      },
      degradedHostCount: 0,
      manifestOnlyHostCount: 0,
      runtimeHealthLoadsExtensionCode: false,
    },
    cleanup: {
      includesRawSourcePaths: false,
      includesFileContents: false,
      includesLoadErrorMessages: false,
      includesManifestContents: false,
      includesDistributionUrls: false,
      loadsExtensionCode: false,
    },
  });
});

describe("hosts", () => {
  const off = { enabled: false, autoLoadDefaultPaths: true };
  const auto = { enabled: true, autoLoadDefaultPaths: true };

  test("of manifests say whether this runtime would run them", async () => {
    await fixture();
    const looked = await diagnostics();
    expect(looked.hostRuntime).toMatchObject({
      hosts: {
        node: { configuredCount: 1, status: "diagnostics_only" },
        mcp: { configuredCount: 1, status: "manifest_only" },
        beam: { configuredCount: 1, status: "manifest_only" },
        external: { configuredCount: 0, status: "not_configured" },
      },
      degradedHostCount: 1,
      manifestOnlyHostCount: 2,
    });
    expect((await diagnostics({ extensions: auto })).hostRuntime.hosts.node.status).toBe("loadable");
    expect((await diagnostics({ extensionPaths: ["x"] })).hostRuntime.hosts.node.status).toBe("loadable");
    const disabled = await diagnostics({ extensions: off });
    expect(disabled.hostRuntime).toMatchObject({
      hosts: { node: { status: "disabled" } },
      degradedHostCount: 1,
    });
    expect(disabled.manifestCount).toBe(2);
  });

  test("of WASM depend on its own switch", async () => {
    await write("work/.lemon/extensions/extension.json", manifest({ host: "wasm" }));
    const options = { config: defaultConfig, home: at("home"), cwd: at("work") };
    const statusOf = async (isWasmEnabled: boolean): Promise<string> =>
      (await extensionDiagnostics({ ...options, isWasmEnabled })).hostRuntime.hosts.wasm.status;
    expect(await statusOf(false)).toBe("disabled");
    expect(await statusOf(true)).toBe("configured");
    await rm(at("work"), { recursive: true });
    expect(await statusOf(true)).toBe("not_configured");
  });
});
