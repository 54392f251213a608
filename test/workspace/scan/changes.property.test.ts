import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byCodePoint } from "../../../src/events/index.ts";
import type { ScanOutcome } from "../../../src/workspace/index.ts";
import { rounds } from "../../support/soak.ts";
import { later, Place } from "./place.ts";

/** Every file that is to be seen, by reading all of them: what the scanner must agree with. */
interface Seen {
  readonly files: ReadonlyMap<string, { readonly sha256: string; readonly mode: number }>;
  readonly folders: ReadonlySet<string>;
  readonly links: ReadonlyMap<string, string>;
  readonly isIgnoring: boolean;
}

/** The rules of the workspaces below, written down a second time. */
const rules = "*.log\nout/\n!keep.log\n";
const isIgnored = (name: string, isFolder: boolean): boolean =>
  (name.endsWith(".log") && name !== "keep.log") || (name === "out" && isFolder) || name === "node_modules";

function readAll(root: string): Seen {
  const files = new Map<string, { sha256: string; mode: number }>();
  const folders = new Set<string>();
  const links = new Map<string, string>();
  let isIgnoring = false;
  const visit = (folder: string): void => {
    folders.add(folder);
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (name === ".git") continue;
      if (isIgnored(name, stats.isDirectory())) isIgnoring = true;
      else if (stats.isDirectory()) visit(path);
      else if (stats.isSymbolicLink()) links.set(path, readlinkSync(path));
      else
        files.set(path, {
          sha256: createHash("sha256").update(readFileSync(path)).digest("hex"),
          mode: stats.mode & 0o7777,
        });
    }
  };
  visit(root);
  return { files, folders, links, isIgnoring };
}

function expected(before: Seen, after: Seen): ScanOutcome {
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].toSorted(byCodePoint);
  const files = paths.flatMap((path) => {
    const old = before.files.get(path);
    const now = after.files.get(path);
    if (old?.sha256 === now?.sha256 && old?.mode === now?.mode) return [];
    return [
      {
        path,
        change:
          old === undefined
            ? ("created" as const)
            : now === undefined
              ? ("deleted" as const)
              : old.sha256 === now.sha256
                ? ("mode" as const)
                : ("modified" as const),
        beforeSha256: old?.sha256 ?? null,
        afterSha256: now?.sha256 ?? null,
        beforeMode: old?.mode ?? null,
        afterMode: now?.mode ?? null,
        code: null,
      },
    ];
  });
  const isLinkChanged = [...before.links.keys(), ...after.links.keys()].some(
    (path) => before.links.get(path) !== after.links.get(path),
  );
  const coverageReasons = [
    ...(before.isIgnoring || after.isIgnoring ? ["ignored_paths" as const] : []),
    ...(isLinkChanged ? ["symlink_changed" as const] : []),
  ];
  return {
    files,
    createdDirs: [...after.folders].filter((path) => !before.folders.has(path)).toSorted(byCodePoint),
    coverage: coverageReasons.length === 0 ? "full" : "partial",
    coverageReasons,
  };
}

const names = ["a", "b.txt", "c.log", "keep.log", "out", "node_modules", ".git", "é\n"];
const path = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"));
const operation = fc.oneof(
  fc.record({ kind: fc.constantFrom("write", "write", "append", "mkdir", "link", "chmod", "remove"), path }),
  fc.record({ kind: fc.constant("rename"), path, to: path }),
);
type Operation = { readonly kind: string; readonly path: string; readonly to?: string };

/** Every content has a length of its own: in one tick of the clock of a file system, nothing else may tell two apart. */
let written = 0;
const content = (): string => "x".repeat((written += 1) % 5_000);

function apply(root: string, { kind, path: name, to }: Operation): void {
  const at = join(root, name);
  try {
    switch (kind) {
      case "write":
        if (existsSync(at) && lstatSync(at).isDirectory()) rmSync(at, { recursive: true });
        mkdirSync(dirname(at), { recursive: true });
        return writeFileSync(at, content());
      case "append":
        return appendFileSync(at, content());
      case "mkdir":
        rmSync(at, { force: true });
        return void mkdirSync(at, { recursive: true });
      case "link":
        rmSync(at, { force: true });
        return symlinkSync(`to-${content().length}`, at);
      case "chmod":
        return chmodSync(at, lstatSync(at).isDirectory() ? 0o755 : 0o600 + 0o22 * (written++ % 3));
      case "rename":
        return renameSync(at, join(root, to ?? name));
      default:
        return rmSync(at, { recursive: true });
    }
  } catch (error) {
    // What the file system refuses (a file as a folder, a missing parent) changes nothing. A link may point at nothing.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

describe("whatever happens to a workspace", () => {
  it.each([
    ["each file read anew", undefined],
    ["a warm cache", later],
  ])("a window lists what reading everything before and after shows, with %s", async (_, inProcess) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { maxLength: 12 }),
        fc.array(fc.array(operation, { maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        async (setting, calls) => {
          const place = new Place(inProcess === undefined ? {} : { inProcess });
          place.write({ ".gitignore": rules });
          for (const step of setting) apply(place.root, step);
          for (const steps of calls) {
            const window = await place.open();
            const before = readAll(place.root);
            for (const step of steps) apply(place.root, step);
            const outcome = await window.close();
            expect(outcome).toEqual(expected(before, readAll(place.root)));
            for (const { beforeSha256 } of outcome.files) {
              if (beforeSha256 === null) continue;
              const bytes = (await window.bytes(beforeSha256)) ?? new Uint8Array([0]);
              expect(createHash("sha256").update(bytes).digest("hex")).toBe(beforeSha256);
            }
          }
          await place.end();
        },
      ),
      { numRuns: rounds(25, 400, 2_000) },
    );
  });
});
