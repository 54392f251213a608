import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspaceScanner } from "../../../src/workspace/index.ts";
import { Place } from "./place.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

/** As the runtime has it: with the thread of the built package. */
class ThreadPlace extends Place {
  constructor() {
    super({}, undefined, null);
  }
}

/** A process of its own that opens a window on the place, and says so. */
async function processWithWindow(place: Place, marker: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "window-in-process.mjs"), [
    place.cacheFile,
    place.root,
    marker,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [message] = (await once(child, "message")) as [unknown];
  expect(message).toBe("open");
  return child;
}

describe("in its thread", () => {
  it("a scanner gives the same, several windows at once", async () => {
    const place = new ThreadPlace();
    place.write({ "a.txt": "a", ".gitignore": "x\n" });
    const windows = await Promise.all([place.open(), place.open(), place.open()]);
    place.write({ "a.txt": "b", "c/d.txt": "d" });
    for (const outcome of await Promise.all(windows.map((window) => window.close())))
      expect(place.short(outcome)).toEqual(["modified a.txt", "created c/d.txt", "c/"]);
    expect(Buffer.from((await windows[0]?.bytes(sha("a"))) ?? "").toString()).toBe("a");
  });

  it("a scan that does not end in time has no coverage, and the next has a new thread", async () => {
    const place = new ThreadPlace();
    const warnings: string[] = [];
    const note = (_: object, message: string): void => void warnings.push(message);
    let threads = 0;
    const scanner = openWorkspaceScanner({
      cacheFile: place.cacheFile,
      logger: { debug: note, info: note, warn: note, error: note },
      get patienceMs() {
        threads += 1;
        return threads === 1 ? 1 : 60_000;
      },
    });
    onTestFinished(() => scanner.close());
    const held = await scanner.open(place.root, "session-s:1");
    expect(await held.close()).toMatchObject({ coverage: "none", coverageReasons: ["scan_failed"] });
    expect(warnings).not.toEqual([]);
    const window = await scanner.open(place.root, "session-s:2");
    place.write({ "c.txt": "c" });
    expect(place.short(await window.close())).toEqual(["created c.txt"]);
    expect(threads).toBe(2);
  });
});

describe("after kill -9 of a process inside a window", () => {
  it("the window is found by its marker, judged against the files now, once", async () => {
    const place = new ThreadPlace();
    place.write({ "a.txt": "a", "gone.txt": "g", "same.txt": "s", ".gitignore": "*.log\n", "x.log": "x" });
    const child = await processWithWindow(place, "session-s:9");
    child.kill("SIGKILL");
    await once(child, "exit");
    place.write({ "a.txt": "b", "new/file.txt": "n" });
    place.remove("gone.txt");
    // Another call of the next process comes first: what the window needs is kept for it.
    await place.around(() => place.write({ "a.txt": "later" }));
    expect(await place.scanner.recover("session-s:8")).toBeNull();
    const window = await place.scanner.recover("session-s:9");
    const outcome = await window?.close();
    expect(place.short(outcome ?? expect.fail())).toEqual([
      "modified a.txt",
      "deleted gone.txt",
      "created new/file.txt",
      "new/",
      "ignored_paths",
    ]);
    expect(outcome?.files[0]).toMatchObject({ beforeSha256: sha("a"), afterSha256: sha("later") });
    expect(Buffer.from((await window?.bytes(sha("a"))) ?? "").toString()).toBe("a");
    expect(await place.scanner.recover("session-s:9")).toBeNull();
  });

  it("two processes share a cache meanwhile", async () => {
    const place = new ThreadPlace();
    for (let index = 0; index < 200; index += 1) writeFileSync(join(place.root, `${index}.txt`), `${index}`);
    const children = await Promise.all(["p", "q"].map((marker) => processWithWindow(place, marker)));
    place.write({ "7.txt": "seven" });
    for (const child of children) {
      child.send("close");
      const [outcome] = (await once(child, "message")) as [Parameters<Place["short"]>[0]];
      expect(place.short(outcome)).toEqual(["modified 7.txt"]);
      await once(child, "exit");
    }
  });
});
