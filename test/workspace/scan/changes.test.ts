import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Place } from "./place.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("what a window sees", () => {
  it("lists created, modified and deleted files with their hashes and modes, in order of their paths", async () => {
    const place = new Place();
    place.write({ "b.txt": "old", "c/gone.txt": "bye", "same.txt": "same" });
    chmodSync(join(place.root, "b.txt"), 0o644);
    const outcome = await place.around(() => {
      place.write({ "b.txt": "new", "a/z/new.txt": "hello" });
      chmodSync(join(place.root, "a/z/new.txt"), 0o600);
      place.remove("c/gone.txt");
    });
    expect(outcome).toEqual({
      files: [
        {
          path: join(place.root, "a/z/new.txt"),
          change: "created",
          beforeSha256: null,
          afterSha256: sha("hello"),
          beforeMode: null,
          afterMode: 0o600,
          code: null,
        },
        {
          path: join(place.root, "b.txt"),
          change: "modified",
          beforeSha256: sha("old"),
          afterSha256: sha("new"),
          beforeMode: 0o644,
          afterMode: 0o644,
          code: null,
        },
        {
          path: join(place.root, "c/gone.txt"),
          change: "deleted",
          beforeSha256: sha("bye"),
          afterSha256: null,
          beforeMode: statSync(join(place.root, "same.txt")).mode & 0o7777,
          afterMode: null,
          code: null,
        },
      ],
      createdDirs: [join(place.root, "a"), join(place.root, "a/z")],
      coverage: "full",
      coverageReasons: [],
    });
  });

  it("still has the bytes that changed files had before, until it is discarded", async () => {
    const place = new Place();
    place.write({ "a.txt": "before", "empty.txt": "" });
    const window = await place.open();
    place.write({ "a.txt": "after", "empty.txt": "no more" });
    await window.close();
    expect(Buffer.from((await window.bytes(sha("before"))) ?? "").toString()).toBe("before");
    expect(await window.bytes(sha(""))).toEqual(new Uint8Array());
    expect(await window.bytes(sha("never seen"))).toBeNull();
    await window.discard();
  });

  it("tells a file whose permissions alone changed from one that changed", async () => {
    const place = new Place();
    place.write({ "run.sh": "#!/bin/sh", "both.sh": "a" });
    const outcome = await place.around(() => {
      chmodSync(join(place.root, "run.sh"), 0o755);
      chmodSync(join(place.root, "both.sh"), 0o700);
      place.write({ "both.sh": "b" });
    });
    expect(place.short(outcome)).toEqual(["modified both.sh", "mode run.sh"]);
    expect(outcome.files[1]).toMatchObject({
      beforeSha256: sha("#!/bin/sh"),
      afterSha256: sha("#!/bin/sh"),
      afterMode: 0o755,
    });
  });

  it("says nothing of a file that was written with the same content, touched, or replaced by an equal one", async () => {
    const place = new Place();
    place.write({ "a.txt": "a", "b.txt": "b", "c.txt": "c" });
    const outcome = await place.around(() => {
      place.write({ "a.txt": "a" });
      utimesSync(join(place.root, "b.txt"), 1, 1);
      unlinkSync(join(place.root, "c.txt"));
      place.write({ "c.txt": "c" });
    });
    expect(outcome.files).toEqual([]);
    expect(outcome.coverage).toBe("full");
  });

  it("shows a rename as one file deleted and one created", async () => {
    const place = new Place();
    place.write({ "old/a.txt": "a" });
    const outcome = await place.around(() => renameSync(join(place.root, "old"), join(place.root, "new")));
    expect(place.short(outcome)).toEqual(["created new/a.txt", "deleted old/a.txt", "new/"]);
  });

  it("follows a file that becomes a folder, and back", async () => {
    const place = new Place();
    place.write({ thing: "file", "other/in.txt": "x" });
    const outcome = await place.around(() => {
      place.remove("thing");
      place.write({ "thing/in.txt": "x" });
      place.remove("other");
      place.write({ other: "file" });
    });
    expect(place.short(outcome)).toEqual([
      "created other",
      "deleted other/in.txt",
      "deleted thing",
      "created thing/in.txt",
      "thing/",
    ]);
  });

  it("notices a changed content when size and times are the same", async () => {
    const place = new Place();
    place.write({ "a.txt": "one" });
    const path = join(place.root, "a.txt");
    utimesSync(path, 1_000, 1_000);
    const outcome = await place.around(() => {
      place.write({ "a.txt": "two" });
      utimesSync(path, 1_000, 1_000);
    });
    expect(place.short(outcome)).toEqual(["modified a.txt"]);
  });

  it("names a changed, a new and a missing link as a reason, and never follows one", async () => {
    const place = new Place();
    const outside = join(place.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret.txt"), "s");
    place.write({ link: "-> outside", "to-folder": `-> ${outside}`, loop: "-> loop", still: "-> nowhere" });
    const quiet = await place.around(() => writeFileSync(join(outside, "secret.txt"), "t"));
    expect(place.short(quiet)).toEqual([]);
    for (const work of [
      () => (unlinkSync(join(place.root, "link")), symlinkSync("elsewhere", join(place.root, "link"))),
      () => unlinkSync(join(place.root, "link")),
      () => symlinkSync("again", join(place.root, "link")),
    ])
      expect(place.short(await place.around(work))).toEqual(["symlink_changed"]);
    const swapped = await place.around(() => {
      unlinkSync(join(place.root, "link"));
      place.write({ link: "a file now" });
    });
    expect(place.short(swapped)).toEqual(["created link", "symlink_changed"]);
  });

  it("leaves pipes alone", async () => {
    const place = new Place();
    place.write({ "a.txt": "a" });
    const outcome = await place.around(() => {
      execFileSync("mkfifo", [join(place.root, "pipe")]);
      place.remove("a.txt");
      execFileSync("mkfifo", [join(place.root, "a.txt")]);
    });
    expect(place.short(outcome)).toEqual(["deleted a.txt"]);
  });

  it("keeps strange names as they are, and says of one that no text can name that it was not read", async () => {
    const place = new Place();
    const names = [
      "new\nline",
      " blank ",
      "back\\slash",
      "-> arrow",
      "ünï",
      "\uFFFD",
      "*",
      "$HOME",
      "\u{1F600}",
      "\uFF5E",
    ];
    const outcome = await place.around(() => {
      for (const name of names) writeFileSync(join(place.root, name), "x");
    });
    expect(outcome.files.map(({ path }) => path.slice(place.root.length + 1))).toEqual(
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    expect(outcome.coverage).toBe("full");
    const bad = Buffer.concat([Buffer.from(`${place.root}/bad`), Buffer.from([0xff])]);
    writeFileSync(bad, "x");
    const again = await place.around(() => place.write({ "plain.txt": "x" }));
    expect(place.short(again)).toEqual(["created plain.txt", "unreadable"]);
  });

  it("leaves the workspace as it was, access times included", async () => {
    const place = new Place();
    place.write({ "a/b.txt": "b" });
    const path = join(place.root, "a/b.txt");
    utimesSync(path, 1_000, 2_000);
    const before = lstatSync(path, { bigint: true });
    await place.around(() => undefined);
    expect(lstatSync(path, { bigint: true })).toEqual(before);
    expect(readdirSync(place.root)).toEqual(["a"]);
  });
});

describe("the root", () => {
  it("may be a link, which is followed once; paths are given as the root was", async () => {
    const place = new Place();
    place.write({ "a.txt": "a" });
    const link = join(place.folder, "link");
    symlinkSync(place.root, link);
    const window = await place.scanner.open(link, "session-s:1");
    unlinkSync(link);
    place.write({ "a.txt": "b" });
    expect((await window.close()).files.map(({ path }) => path)).toEqual([join(link, "a.txt")]);
  });

  it("may be missing before and after: all in it is created, or deleted", async () => {
    const place = new Place();
    rmSync(place.root, { recursive: true });
    const made = await place.around(() => place.write({ "a.txt": "a" }));
    expect(made).toMatchObject({ coverage: "full", createdDirs: [place.root] });
    expect(place.short(made)).toEqual(["created a.txt", "/"]);
    const removed = await place.around(() => rmSync(place.root, { recursive: true }));
    expect(place.short(removed)).toEqual(["deleted a.txt"]);
  });

  it("that is a file has no coverage", async () => {
    const place = new Place();
    rmSync(place.root, { recursive: true });
    writeFileSync(place.root, "file");
    expect(await place.around(() => undefined)).toEqual({
      files: [],
      createdDirs: [],
      coverage: "none",
      coverageReasons: ["scan_failed"],
    });
  });

  it("that becomes a file has no coverage", async () => {
    const place = new Place();
    place.write({ "a.txt": "a" });
    const outcome = await place.around(() => {
      rmSync(place.root, { recursive: true });
      writeFileSync(place.root, "file");
    });
    expect(outcome).toMatchObject({ files: [], coverage: "none", coverageReasons: ["scan_failed"] });
  });
});

describe("windows", () => {
  it("may overlap: each has its own before", async () => {
    const place = new Place();
    place.write({ "a.txt": "1" });
    const first = await place.open();
    place.write({ "a.txt": "2" });
    const second = await place.open();
    place.write({ "a.txt": "3", "b.txt": "b" });
    const outer = await first.close();
    const inner = await second.close();
    expect(outer.files[0]).toMatchObject({ beforeSha256: sha("1"), afterSha256: sha("3") });
    expect(inner.files[0]).toMatchObject({ beforeSha256: sha("2"), afterSha256: sha("3") });
    expect(place.short(inner)).toEqual(place.short(outer));
  });

  it("close once, with one answer", async () => {
    const place = new Place();
    const window = await place.open();
    place.write({ "a.txt": "1" });
    const [one, two] = await Promise.all([window.close(), window.close()]);
    expect(one).toEqual(two);
    expect(one.files).toHaveLength(1);
  });

  it("are given up by an abort, with its reason", async () => {
    const place = new Place();
    const aborted = AbortSignal.abort(new Error("stop"));
    await expect(place.scanner.open(place.root, "session-s:1", aborted)).rejects.toThrow("stop");
    const controller = new AbortController();
    const opening = place.scanner.open(place.root, "session-s:2", controller.signal);
    controller.abort(new Error("stop now"));
    await expect(opening).rejects.toThrow("stop now");
    await place.around(() => undefined);
    expect(await place.scanner.recover("session-s:2")).toBeNull();
  });

  it("are refused by a scanner that is closed", async () => {
    const place = new Place();
    await place.open();
    await place.scanner.close();
    await expect(place.open()).rejects.toThrow("closed");
  });
});
