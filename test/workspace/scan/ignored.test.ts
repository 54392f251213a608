import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { later, Place } from "./place.ts";

/** What a window shows of these files when all are written in it. */
async function shown(place: Place, names: readonly string[]): Promise<string[]> {
  const files = Object.fromEntries(names.map((name) => [name, "x"]));
  return place.short(await place.around(() => place.write(files))).filter((line) => !line.endsWith("/"));
}

describe("what is not looked at", () => {
  it("is .git without a word, node_modules and the runtime's home with a reason", async () => {
    const folder = new Place().folder;
    const place = new Place({ cacheFile: join(folder, "work/.lemon/scan-cache.db") }, folder);
    place.write({ ".git/HEAD": "ref", "sub/.git": "gitdir: ../x", "a.txt": "a" });
    const git = await place.around(() => place.write({ ".git/index": "i", "sub/.git": "gitdir: ../y" }));
    expect(place.short(git)).toEqual(["ignored_paths"]); // the home
    const other = new Place();
    expect(await shown(other, [".git/HEAD", "sub/.git"])).toEqual([]);
    expect(await shown(other, ["node_modules/a/index.js", "sub/node_modules/x", "b.txt"])).toEqual([
      "created b.txt",
      "ignored_paths",
    ]);
    expect(await shown(place, [".lemon/log.db", "c.txt"])).toEqual(["created c.txt", "ignored_paths"]);
  });

  it("is what .gitignore files name, the innermost deciding", async () => {
    const place = new Place();
    place.write({
      ".gitignore": "*.log\n/build/\n!keep.log\n# note\n",
      "sub/.gitignore": "!inner.log\nlocal.txt\n",
    });
    expect(
      await shown(place, [
        "a.log",
        "keep.log",
        "build/out.js",
        "sub/build/out.js",
        "sub/b.log",
        "sub/inner.log",
        "sub/local.txt",
        "local.txt",
        "A.LOG",
      ]),
    ).toEqual([
      "created A.LOG",
      "created keep.log",
      "created local.txt",
      "created sub/build/out.js",
      "created sub/inner.log",
      "ignored_paths",
    ]);
  });

  it("is nothing of a folder that an inner file brings back, but what the outer rules name in it", async () => {
    const place = new Place();
    place.write({
      ".git/info/exclude": "cache/\n*.tmp\n",
      ".gitignore": "!cache/\n",
    });
    expect(await shown(place, ["cache/a.txt", "cache/b.tmp", "cache/deep/c.txt"])).toEqual([
      "created cache/a.txt",
      "created cache/deep/c.txt",
      "ignored_paths",
    ]);
  });

  it("is what a parent hides, whatever a file inside says", async () => {
    const place = new Place();
    place.write({ ".gitignore": "dist/\n!dist/keep.txt\n", "dist/.gitignore": "!*\n" });
    expect(await shown(place, ["dist/keep.txt"])).toEqual(["ignored_paths"]);
  });

  it("is named by info/exclude, also of a linked work tree and of a nested repository", async () => {
    const place = new Place();
    const common = join(place.folder, "main/.git");
    mkdirSync(join(common, "worktrees/w"), { recursive: true });
    mkdirSync(join(common, "info"), { recursive: true });
    writeFileSync(join(common, "worktrees/w/commondir"), "../..\n");
    writeFileSync(join(common, "info/exclude"), "private.txt\n");
    place.write({
      ".git": `gitdir: ${join(common, "worktrees/w")}\n`,
      "nested/.git/info/exclude": "own.txt\n",
    });
    expect(await shown(place, ["private.txt", "own.txt", "nested/own.txt", "nested/b.txt"])).toEqual([
      "created nested/b.txt",
      "created own.txt",
      "ignored_paths",
    ]);
  });

  it("is what the repository around the workspace ignores", async () => {
    const place = new Place();
    const inner = join(place.root, "packages/app");
    place.write({
      ".git/info/exclude": "/packages/app/secret.txt\n",
      ".gitignore": "*.log\n/packages/*/dist\n/src\n",
      "packages/.gitignore": "!app.log\n",
      "packages/app/src/a.ts": "a",
    });
    const window = await place.scanner.open(inner, "session-s:1");
    for (const name of ["a.log", "app.log", "dist/x.js", "src/b.ts", "secret.txt"])
      place.write({ [`packages/app/${name}`]: "x" });
    const outcome = await window.close();
    expect(place.short(outcome)).toEqual([
      "created packages/app/app.log",
      "created packages/app/src/b.ts",
      "ignored_paths",
    ]);
  });

  it("is judged by its own rules in a workspace that the repository around it ignores", async () => {
    const place = new Place();
    place.write({ ".git/HEAD": "ref", ".gitignore": "/tmp/\n*.txt\n", "tmp/work/.gitignore": "*.log\n" });
    const window = await place.scanner.open(join(place.root, "tmp/work"), "session-s:1");
    place.write({ "tmp/work/a.txt": "a", "tmp/work/b.log": "b" });
    expect(place.short(await window.close())).toEqual(["created tmp/work/a.txt", "ignored_paths"]);
  });

  it.each([later, undefined])(
    "does not make old files look new or gone when a call changes the rules",
    async (time) => {
      const place = new Place(time === undefined ? {} : { inProcess: time });
      place.write({ ".gitignore": "dist/\n", "dist/old.js": "o", "src/a.ts": "a", "src/b.ts": "b" });
      const shownNow = await place.around(() => place.write({ ".gitignore": "\n" }));
      expect(place.short(shownNow)).toEqual(["modified .gitignore", "ignored_paths"]);
      const hiddenNow = await place.around(() => {
        place.write({ ".gitignore": "src/\n", "src/a.ts": "changed in the dark", "src/new.ts": "n" });
        place.remove("src/b.ts");
      });
      expect(place.short(hiddenNow)).toEqual([
        "modified .gitignore",
        "modified src/a.ts",
        "deleted src/b.ts",
        "ignored_paths",
      ]);
      const removed = await place.around(() => place.remove("src"));
      expect(place.short(removed)).toEqual(["ignored_paths"]);
    },
  );

  it("tells at least that there was no file, when an ignored folder makes way for one", async () => {
    const place = new Place();
    place.write({ ".gitignore": "out/\n", "out/a.js": "a" });
    const outcome = await place.around(() => {
      place.remove("out");
      place.write({ out: "a file" });
    });
    expect(place.short(outcome)).toEqual(["created out", "ignored_paths"]);
  });

  it("is a link called like a file of rules: git does not follow it either", async () => {
    const place = new Place();
    writeFileSync(join(place.folder, "rules"), "*.txt\n");
    place.write({ ".gitignore": "-> ../rules" });
    expect(await shown(place, ["a.txt"])).toEqual(["created a.txt"]);
  });
});
