/**
 * Works out what the files will be after a patch, without touching any of them.
 */
import { readFile, stat } from "node:fs/promises";
import { applyHunks, codeOf, FileError, type Hunk } from "../../workspace/index.ts";
import type { FilePatch } from "../file-patch.ts";
import type { PlaceContext } from "../tool.ts";
import { fileNamed, type NamedFile, withFileErrors } from "./file-access.ts";
import { placeInside } from "./patch-place.ts";

const maxFileBytes = 50 * 1024 * 1024;

/** One file that will be other than it is. */
export interface PlannedChange {
  /** Where it is written, or what is removed. */
  readonly target: string;
  readonly shown: string;
  readonly action: "created" | "updated" | "deleted" | "moved" | "copied";
  readonly letter: "A" | "M" | "D" | "R" | "C";
  /** Its name before a move or copy. */
  readonly from: string | null;
  /** `null` where there is no file. */
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  /** Permission bits for `after`; `null` keeps those of an existing file. */
  readonly mode: number | null;
  /** What has to go once everything is written: the old place of a move. */
  readonly remove: string | null;
  readonly additions: number;
  readonly removals: number;
}

interface FileState {
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/** A patch may name one file twice: each part sees what the parts before it made. */
export class PatchPlan {
  readonly #context: PlaceContext;
  readonly #states = new Map<string, FileState>();
  /** What the files hold now, of those that were looked at. */
  readonly #found = new Map<string, Buffer | null>();
  readonly #changes: PlannedChange[] = [];

  constructor(context: PlaceContext) {
    this.#context = context;
  }

  /** Sources and targets, in the order of the patch. */
  found(): { readonly path: string; readonly bytes: Buffer | null }[] {
    return [...this.#found].map(([path, bytes]) => ({ path, bytes }));
  }

  /** Every file that the patch touches. */
  async targetsOf(files: readonly FilePatch[]): Promise<string[]> {
    const names = files.flatMap((file) =>
      file.kind === "update" && file.newName !== null ? [file.name, file.newName] : [file.name],
    );
    return Promise.all(
      names.map((name) => {
        const file = this.#resolve(name);
        return withFileErrors(file, () => this.#place(file));
      }),
    );
  }

  /** What was planned, in the order of the patch, one entry for each file. */
  changes(): readonly PlannedChange[] {
    return this.#changes;
  }

  /** Plans one part. @throws FileError naming the file and the hunk */
  async add(patch: FilePatch): Promise<void> {
    const file = this.#resolve(patch.name);
    await withFileErrors(file, () => {
      switch (patch.kind) {
        case "add":
          return this.#create(file, patch.content, patch.isExecutable);
        case "delete":
          return this.#delete(file, patch.hunks);
        case "update":
          return this.#update(file, patch);
      }
    });
  }

  async #create(file: NamedFile, content: Buffer, isExecutable: boolean): Promise<void> {
    const target = await this.#place(file);
    if ((await this.#state(target)).bytes !== null)
      throw new FileError(`${file.shown} exists already: update it instead of adding it`);
    const mode = isExecutable ? 0o777 : 0o666;
    this.#record(
      target,
      { bytes: content, mode },
      {
        shown: file.shown,
        action: "created",
        letter: "A",
        from: null,
        before: null,
        mode,
        remove: null,
        additions:
          content.toString("latin1").split("\n").length -
          (content.at(-1) === 0x0a || content.length === 0 ? 1 : 0),
        removals: 0,
      },
    );
  }

  async #delete(file: NamedFile, hunks: readonly Hunk[]): Promise<void> {
    const target = await this.#place(file);
    const { bytes, mode } = await this.#existing(target);
    const left = apply(file, bytes, hunks);
    if (hunks.length > 0 && left.bytes.length > 0)
      throw new FileError(`${file.shown} holds more than the patch removes`);
    const removals = hunks.length > 0 ? left.removals : bytes.toString("latin1").split("\n").length - 1;
    const shape = {
      shown: file.shown,
      action: "deleted",
      letter: "D",
      from: null,
      before: bytes,
      mode: null,
    } as const;
    this.#record(target, { bytes: null, mode }, { ...shape, remove: null, additions: 0, removals });
  }

  async #update(file: NamedFile, patch: Extract<FilePatch, { kind: "update" }>): Promise<void> {
    const target = await this.#place(file);
    const state = await this.#existing(target);
    const { bytes, additions, removals } = apply(file, state.bytes, patch.hunks);
    const mode = patch.isExecutable === null ? null : withExecutable(state.mode, patch.isExecutable);
    if (patch.newName === null) {
      this.#record(
        target,
        { bytes, mode: mode ?? state.mode },
        {
          shown: file.shown,
          action: "updated",
          letter: "M",
          from: null,
          before: state.bytes,
          mode,
          remove: null,
          additions,
          removals,
        },
      );
      return;
    }
    const moved = this.#resolve(patch.newName);
    const newTarget = await this.#place(moved);
    if (newTarget !== target && (await this.#state(newTarget)).bytes !== null)
      throw new FileError(`${moved.shown} exists already`);
    if (!patch.isCopy) this.#states.set(target, { bytes: null, mode: state.mode });
    this.#record(
      newTarget,
      { bytes, mode: mode ?? state.mode },
      {
        shown: moved.shown,
        action: patch.isCopy ? "copied" : "moved",
        letter: patch.isCopy ? "C" : "R",
        from: file.shown,
        before: state.bytes,
        mode: mode ?? state.mode,
        remove: patch.isCopy || newTarget === target ? null : target,
        additions,
        removals,
      },
    );
  }

  #record(target: string, state: FileState, change: Omit<PlannedChange, "target" | "after">): void {
    this.#states.set(target, state);
    this.#changes.push({ ...change, target, after: state.bytes });
  }

  async #existing(target: string): Promise<{ bytes: Buffer; mode: number }> {
    const { bytes, mode } = await this.#state(target);
    if (bytes !== null) return { bytes, mode };
    throw Object.assign(new Error("no such file"), { code: "ENOENT" });
  }

  async #state(target: string): Promise<FileState> {
    const known = this.#states.get(target);
    if (known !== undefined) return known;
    const fresh = await stateOnDisk(target);
    this.#states.set(target, fresh);
    this.#found.set(target, fresh.bytes);
    return fresh;
  }

  #place(file: NamedFile): Promise<string> {
    return placeInside(file, this.#context.cwd);
  }

  #resolve(name: string): NamedFile {
    return fileNamed(name, this.#context);
  }
}

async function stateOnDisk(target: string): Promise<FileState> {
  try {
    const found = await stat(target);
    if (!found.isFile())
      throw new FileError(`${target} is ${found.isDirectory() ? "a directory" : "not a regular file"}`);
    if (found.size > maxFileBytes)
      throw new FileError(`${target} has ${found.size} bytes, more than patch takes (${maxFileBytes})`);
    return { bytes: await readFile(target), mode: found.mode & 0o7777 };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { bytes: null, mode: 0o666 };
    throw error;
  }
}

function apply(
  file: NamedFile,
  bytes: Buffer,
  hunks: readonly Hunk[],
): { bytes: Buffer; additions: number; removals: number } {
  const outcome = applyHunks(bytes, hunks);
  if (outcome.ok) return outcome;
  throw new FileError(
    `Nothing was changed: hunk ${outcome.hunk} of ${hunks.length} of ${file.shown} does not apply: ${outcome.reason}`,
  );
}

function withExecutable(mode: number, isExecutable: boolean): number {
  // Whoever may read may run, as git does it.
  return isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}
