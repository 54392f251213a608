/**
 * Copies of checkpoints as JSON files, for people and other programs. Nothing is ever read back from them.
 * docs/reference/checkpoints.md, "Exported files"
 */
import { chmod, lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EventLog } from "../../log/index.ts";
import type { Logger } from "../../ports.ts";
import { codeOf } from "../../workspace/index.ts";
import { recordOf } from "./record.ts";
import type { FoundCheckpoint } from "./store.ts";
import type { FilesystemState } from "./types.ts";

/** Where exports go. */
export interface ExportSettings {
  /** `null`: `lemon_checkpoints` in the folder for temporary files, as it is at each export. */
  readonly dir: string | null;
  readonly export: boolean;
}

/** What exporting needs. */
export interface ExportParts {
  readonly log: EventLog;
  readonly logger: Logger;
  readonly settings: ExportSettings;
}

/** The exported files. What goes wrong with them is told once and never fails what they are copies of. */
export class CheckpointExports {
  readonly #parts: ExportParts;
  #hasWarned = false;

  constructor(parts: ExportParts) {
    this.#parts = parts;
  }

  /** Writes one, or writes it again. @returns whether it was written */
  async write(found: FoundCheckpoint): Promise<boolean> {
    if (!this.#parts.settings.export) return false;
    try {
      const text = await this.#textOf(found);
      const folder = await this.#folder();
      const file = path.join(folder, `${found.stored.data.checkpointId}.json`);
      const fresh = `${file}.${process.pid}.tmp`;
      try {
        await writeFile(fresh, text, { mode: 0o600, flag: "wx" });
        await rename(fresh, file);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
      return true;
    } catch (error) {
      this.#warn(error);
      return false;
    }
  }

  /** Removes one, if it is there. */
  async remove(id: string): Promise<void> {
    if (!this.#parts.settings.export) return;
    try {
      await rm(path.join(await this.#folder(), `${id}.json`), { force: true });
    } catch (error) {
      this.#warn(error);
    }
  }

  async #textOf(found: FoundCheckpoint): Promise<string> {
    const { log } = this.#parts;
    const record = await recordOf(found, log);
    if (record.kind !== "filesystem") return `${JSON.stringify(record, null, 2)}\n`;
    const { filesystem } = record.state as { readonly filesystem: FilesystemState };
    const files = [];
    for (const file of filesystem.files) {
      const isStored = file.sha256 !== null && (await log.hasBlob(file.sha256));
      const bytes = file.sha256 !== null && isStored ? await log.getBlob(file.sha256) : null;
      files.push({ ...file, contentBase64: bytes === null ? null : Buffer.from(bytes).toString("base64") });
    }
    return `${JSON.stringify({ ...record, state: { filesystem: { ...filesystem, files } } }, null, 2)}\n`;
  }

  /** The folder, made where it is not there: the user's own and nobody else's to read. */
  async #folder(): Promise<string> {
    const folder = this.#parts.settings.dir ?? path.join(tmpdir(), "lemon_checkpoints");
    await mkdir(path.dirname(folder), { recursive: true });
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const found = await lstat(folder);
    if (!found.isDirectory()) throw new UnsafeFolderError("is not a folder");
    if (process.getuid !== undefined && found.uid !== process.getuid())
      throw new UnsafeFolderError("belongs to another user");
    if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
    return folder;
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const why = error instanceof UnsafeFolderError ? error.message : (codeOf(error) ?? "unknown error");
    this.#parts.logger.warn(
      { code: "checkpoint_export_failed", why },
      "checkpoints can't be exported; they are safe in the log",
    );
  }
}

class UnsafeFolderError extends Error {}
