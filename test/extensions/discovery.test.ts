import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultConfig, type Config } from "../../src/config/index.ts";
import { discover, keepLast, searchRoots, untrustedWarning } from "../../src/extensions/discovery/index.ts";
import type { Discovery, SearchOptions, SearchRoot } from "../../src/extensions/discovery/index.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "lemon-discovery-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const at = (...parts: readonly string[]): string => path.join(folder, ...parts);

async function files(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(path.dirname(at(name)), { recursive: true });
    await writeFile(at(name), "");
  }
}

async function manifest(dir: string, content: unknown): Promise<void> {
  await mkdir(at(dir), { recursive: true });
  await writeFile(at(dir, "package.json"), typeof content === "string" ? content : JSON.stringify(content));
}

function root(place: string, origin: SearchRoot["origin"] = "configured"): SearchRoot {
  return { path: path.resolve(folder, place), origin, exists: true };
}

const modules = (found: Discovery): string[] => found.files.map(({ module }) => module);

describe("the files of a root", () => {
  test("are those on top, the index of each folder, and all below its lib", async () => {
    await files("x/a.ts", "x/b.mts", "x/c.js", "x/d.mjs", "x/e.cjs", "x/f.tsx", "x/G.TS", "x/README.md");
    await files("x/p/index.ts", "x/p/index.js", "x/p/other.ts", "x/p/lib/deep/er/z.mjs", "x/p/lib/y.ts");
    await files("x/q/index.js", "x/q/index.mjs", "x/r/src/index.ts", "x/s/index.mts");
    const { files: found, loadErrors, warnings } = await discover([root("x")]);
    expect(found.map(({ module, sourcePath }) => [module, path.relative(at("x"), sourcePath)])).toEqual([
      ["a", "a.ts"],
      ["b", "b.mts"],
      ["c", "c.js"],
      ["d", "d.mjs"],
      ["p/index", "p/index.ts"],
      ["p/lib/deep/er/z", "p/lib/deep/er/z.mjs"],
      ["p/lib/y", "p/lib/y.ts"],
      ["q/index", "q/index.js"],
    ]);
    expect({ loadErrors, warnings }).toEqual({ loadErrors: [], warnings: [] });
  });

  test("are neither hidden, nor types, nor tests, nor packages", async () => {
    await files(
      "x/.a.ts",
      "x/a.d.ts",
      "x/a.d.mts",
      "x/a.test.ts",
      "x/a.test.more.js",
      "x/node_modules/index.js",
    );
    await files(
      "x/.h/index.ts",
      "x/p/lib/node_modules/z.ts",
      "x/p/lib/.h/z.ts",
      "x/p/lib/b.d.ts",
      "x/testing.ts",
    );
    expect(modules(await discover([root("x")]))).toEqual(["testing"]);
  });

  test("come in order of code points, and of one id the last is kept", async () => {
    await files("x/a.js", "x/a.ts", "x/Z.ts", "x/A2.ts", "x/A10.ts", "x/\u{1F600}.ts", "x/\uFF5E.ts");
    const found = await discover([root("x")]);
    expect(modules(found)).toEqual(["A10", "A2", "Z", "a", "\uFF5E", "\u{1F600}"]);
    expect(found.overridden).toEqual([
      { module: "a", sourcePath: at("x/a.js"), keptSourcePath: at("x/a.ts") },
    ]);
  });

  test("are regular files; links are followed, broken ones and circles are passed over", async () => {
    await files("real/one.ts", "real/pack/index.ts", "x/own.ts");
    await mkdir(at("x/dir.ts"));
    await symlink(at("real/one.ts"), at("x/linked.ts"));
    await symlink(at("nowhere.ts"), at("x/broken.ts"));
    await symlink(at("real/pack"), at("x/p"));
    await symlink(at("real/pack"), at("x/q"));
    await symlink(at("x"), at("real/pack/lib"));
    const found = await discover([root("x")]);
    expect(modules(found)).toEqual(["linked", "own", "p/index"]);
    expect(found.files[0]?.sourcePath).toBe(at("x/linked.ts"));
  });

  test("are found in roots with names that patterns would give a meaning to", async () => {
    await files("[a-z] & !b/{x,y}*.ts", "[a-z] & !b/(c)/index.js", "a & !b/wrong.ts");
    expect(modules(await discover([root("[a-z] & !b")]))).toEqual(["(c)/index", "{x,y}*"]);
  });
});

describe("lemon.extension of a package.json", () => {
  test("takes the place of the index, and may lie anywhere in its folder", async () => {
    await files("x/p/index.ts", "x/p/src/main.ts", "x/q/index.ts", "x/q/lib/b.ts", "x/r/index.ts");
    await manifest("x/p", { lemon: { extension: "./src/main.ts" } });
    await manifest("x/q", { lemon: { extension: "lib/b.ts" } });
    await manifest("x/r", { name: "r", lemon: "citrus" });
    expect(modules(await discover([root("x")]))).toEqual(["p/src/main", "q/lib/b", "r/index"]);
  });

  test.each([
    [{ lemon: { extension: 3 } }, "lemon.extension must be a string, got number"],
    [{ lemon: { extension: null } }, "lemon.extension must be a string, got null"],
    [{ lemon: { extension: "gone.ts" } }, "lemon.extension names a file that is not there"],
    [{ lemon: { extension: "../outside.ts" } }, "lemon.extension leads outside its folder"],
    [{ lemon: { extension: "../../x/p/index.ts" } }, null],
    [{ lemon: { extension: "away.ts" } }, "lemon.extension leads outside its folder"],
    [{ lemon: { extension: "." } }, "lemon.extension leads outside its folder"],
    [{ lemon: { extension: "lib" } }, "lemon.extension must name a file"],
    [{ lemon: { extension: "main.cjs" } }, /^lemon\.extension must name a \.ts, \.mts, \.js or \.mjs file/],
    [{ lemon: { extension: ".main.ts" } }, /^lemon\.extension must name a /],
    ["{ lemon", "package.json is not valid JSON"],
  ])("is refused as %j", async (content, message) => {
    await files(
      "x/p/index.ts",
      "x/p/main.cjs",
      "x/p/.main.ts",
      "x/p/lib/deep/a.md",
      "x/outside.ts",
      "x/q/index.ts",
    );
    await symlink(at("x/outside.ts"), at("x/p/away.ts"));
    await manifest("x/p", content);
    const found = await discover([root("x")]);
    if (message === null) {
      expect(modules(found)).toEqual(["outside", "p/index", "q/index"]);
      return;
    }
    expect(modules(found)).toEqual(["outside", "q/index"]);
    expect(found.loadErrors).toEqual([
      {
        sourcePath: at("x/p/package.json"),
        error: { name: "Error", message: expect.stringMatching(message instanceof RegExp ? message : /./) },
        errorMessage: typeof message === "string" ? message : expect.stringMatching(message),
      },
    ]);
  });
});

describe("several roots", () => {
  test("are searched in order, and of one id the last is kept", async () => {
    await files("one/a.ts", "one/b.ts", "two/a.js", "three/c.ts", "three/a.mjs");
    const found = await discover([root("one"), root("two", "global"), root("three", "option")]);
    expect(found.files.map(({ sourcePath, root: { origin } }) => [sourcePath, origin])).toEqual([
      [at("one/b.ts"), "configured"],
      [at("three/a.mjs"), "option"],
      [at("three/c.ts"), "option"],
    ]);
    expect(found.overridden.map(({ sourcePath }) => sourcePath)).toEqual([at("one/a.ts"), at("two/a.js")]);
    expect(found.overridden.map(({ keptSourcePath }) => keptSourcePath)).toEqual(
      Array.from({ length: 2 }, () => at("three/a.mjs")),
    );
  });

  test("may be one file; what is missing or is no extension file is one warning each", async () => {
    await files("solo.ts", "notes.txt", "types.d.ts");
    const found = await discover(["solo.ts", "gone", "notes.txt", "types.d.ts"].map((name) => root(name)));
    expect(modules(found)).toEqual(["solo"]);
    expect(found.loadErrors).toEqual([]);
    expect(found.warnings).toEqual([
      `extension path ${at("gone")} is not there`,
      `extension path ${at("notes.txt")} is neither a folder nor a .ts, .mts, .js or .mjs file`,
      `extension path ${at("types.d.ts")} is neither a folder nor a .ts, .mts, .js or .mjs file`,
    ]);
  });

  test("that nobody named, the default folders, may be missing without a word", async () => {
    const roots = (["global", "project"] as const).map((origin) => ({
      ...root("gone", origin),
      exists: false,
    }));
    expect(await discover(roots)).toMatchObject({ files: [], warnings: [], searchPaths: roots });
  });

  test("that hold the same file give one extension, where it was found last", async () => {
    await files("x/suite/index.ts");
    const found = await discover([root("x"), root("x/suite", "option")]);
    expect(modules(found)).toEqual(["suite"]);
    const same = at("x/suite/index.ts");
    expect(found.overridden).toEqual([{ module: "suite/index", sourcePath: same, keptSourcePath: same }]);
  });
});

describe("the list of roots", () => {
  const search = (
    more: Partial<SearchOptions> = {},
    runtime: Partial<Config["runtime"]> = {},
  ): SearchOptions => ({
    config: { ...defaultConfig, runtime: { ...defaultConfig.runtime, ...runtime } },
    isProjectTrusted: true,
    home: at("home"),
    cwd: at("work"),
    userHome: at("user"),
    ...more,
  });
  const autoLoad = { extensions: { enabled: true, autoLoadDefaultPaths: true } };
  const shown = (roots: readonly SearchRoot[]): string[] =>
    roots.map(({ path: place, origin }) => `${origin} ${path.relative(folder, place)}`);

  test("is what is configured, the user's folder, the project's, and what the command names", async () => {
    const options = search(
      { optionPaths: ["ext.ts"] },
      { ...autoLoad, extensionPaths: ["~/a", "~", "b/../c", at("d"), "~x", " "] },
    );
    expect(shown(await searchRoots(options))).toEqual([
      "configured user/a",
      "configured user",
      "configured work/c",
      "configured d",
      "configured work/~x",
      "global home/agent/extensions",
      "project work/.lemon/extensions",
      "option work/ext.ts",
    ]);
  });

  test("has the default folders only when asked for, and the project's only when trusted", async () => {
    expect(await searchRoots(search())).toEqual([]);
    expect(shown(await searchRoots(search({ isProjectTrusted: false }, autoLoad)))).toEqual([
      "global home/agent/extensions",
    ]);
  });

  test("tells the user of the project's extensions that wait for trust", async () => {
    const options = search({ isProjectTrusted: false }, autoLoad);
    expect(await untrustedWarning(options)).toBeNull();
    await mkdir(at("work/.lemon/extensions"), { recursive: true });
    expect(await untrustedWarning(options)).toContain(`lemon trust ${at("work")}`);
    expect(await untrustedWarning(search({}, autoLoad))).toBeNull();
    expect(await untrustedWarning(search({ isProjectTrusted: false }))).toBeNull();
  });

  test("is replaced by the paths of a session, default folders included", async () => {
    const options = search(
      { extensionPaths: ["s"], optionPaths: ["o"] },
      { ...autoLoad, extensionPaths: ["c"] },
    );
    expect(shown(await searchRoots(options))).toEqual(["configured work/s", "option work/o"]);
  });

  test("is empty when extensions are off", async () => {
    const off = { extensions: { enabled: false, autoLoadDefaultPaths: true }, extensionPaths: ["c"] };
    expect(await searchRoots(search({ extensionPaths: ["s"], optionPaths: ["o"] }, off))).toEqual([]);
  });

  test("names a place once, by its real path, where it stands last", async () => {
    await mkdir(at("work/real"), { recursive: true });
    await symlink(at("work/real"), at("work/link"));
    const options = search(
      { optionPaths: ["gone"] },
      { extensionPaths: ["real", "gone", "b", "link", "./gone"] },
    );
    expect(await searchRoots(options)).toEqual([
      { path: at("work/b"), origin: "configured", exists: false },
      { path: at("work/link"), origin: "configured", exists: true },
      { path: at("work/gone"), origin: "option", exists: false },
    ]);
  });
});

test("an object of the program takes the place of a file, and the later object of the earlier", () => {
  const found = [
    { module: "a", sourcePath: "/x/a.ts" },
    { module: "b", sourcePath: "/x/b.ts" },
    { module: "a", sourcePath: null },
    { module: "a", sourcePath: null },
  ];
  const { kept, overridden } = keepLast(found);
  expect(kept).toEqual([found[1], found[3]]);
  expect(overridden).toEqual([
    { module: "a", sourcePath: "/x/a.ts", keptSourcePath: null },
    { module: "a", sourcePath: null, keptSourcePath: null },
  ]);
});

test.skipIf(process.platform === "win32")(
  "no extension file is opened: unreadable ones are found",
  async () => {
    await files("x/a.ts", "x/p/index.ts", "x/p/lib/b.mjs", "x/q/main.js", "solo.js");
    await manifest("x/q", { lemon: { extension: "main.js" } });
    for (const name of ["x/a.ts", "x/p/index.ts", "x/p/lib/b.mjs", "x/q/main.js", "solo.js"])
      await chmod(at(name), 0);
    await chmod(folder, 0o755);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const found = await discover([root("x"), root("solo.js")]);
      expect(modules(found)).toEqual(["a", "p/index", "p/lib/b", "q/main", "solo"]);
      expect({ errors: found.loadErrors, warnings: found.warnings }).toEqual({ errors: [], warnings: [] });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  },
);

test.skipIf(process.platform === "win32")(
  "a folder that can't be listed is a warning, and the others are searched",
  async () => {
    await files("x/a.ts", "x/shut/index.ts", "x/z/index.ts");
    await chmod(folder, 0o755);
    await chmod(at("x/shut"), 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const found = await discover([root("x")]);
      expect(modules(found)).toEqual(["a", "z/index"]);
      expect(found.warnings).toEqual([`${at("x/shut")} could not be listed: EACCES`]);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(at("x/shut"), 0o755);
    }
  },
);
