/** What one call changes, from its start to its receipt. docs/reference/receipts.md */
import { realpath } from "node:fs/promises";
import type { Logger } from "../../ports.ts";
import {
  FileChanges,
  type FileImage,
  type ScanWindow,
  type WorkspaceScanner,
} from "../../workspace/index.ts";
import type { Recorder } from "../checkpoints/index.ts";
import type { CallWindow, CallWindows } from "./call-windows.ts";
import { keepGuarded, type TakeGuard } from "./guard.ts";
import { receiptFile, receiptOf, type CoverageReason, type Receipt } from "./receipt.ts";
import type { ScanPatience } from "./scan-patience.ts";
import { keepBefore, unseen, withoutOwn } from "./scanned.ts";

/** What all calls of a runtime share. */
export interface ChangesWorld {
  readonly windows: CallWindows;
  readonly scanner: WorkspaceScanner;
  readonly patience: ScanPatience;
  /** Stores bytes as they are, nothing masked. @returns their SHA-256 */
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  readonly guard: TakeGuard;
  /** Files that change because a call is recorded, and not by what it does. */
  readonly isOwn: (file: string) => Promise<boolean>;
  readonly logger: Logger;
}

/** A call that is about to run. */
export interface ChangingCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly runId: string | null;
  readonly cwd: string;
  /** Names the call over all sessions. */
  readonly marker: string;
  /** Once it has fired the call changes nothing more through its files. */
  readonly signal: AbortSignal;
  /** Whether files are kept before they are changed. */
  readonly isGuarded: boolean;
  /** Whether it may change files past its own door, so that the workspace is looked at before and after. */
  readonly isScanned: boolean;
  /** It began in a process that died: what was looked at then is what was before. */
  readonly isAgain: boolean;
  /** Records a fact of the call; resolves when it is durable. */
  readonly record: Recorder["write"];
}

/** How a call ended. */
export interface CallEnd {
  readonly isError: boolean;
  /** What it started may still change files. */
  readonly goesOn: boolean;
}

/** The changes of one call. */
export class CallChanges {
  /** Through which its tool changes files. */
  readonly files: FileChanges;
  readonly #call: ChangingCall;
  readonly #world: ChangesWorld;
  readonly #checkpointIds: string[] = [];
  #isUnguarded = false;
  #scan: ScanWindow | null = null;
  #root = "";
  #isSpared = false;
  #window: CallWindow | null = null;

  constructor(call: ChangingCall, world: ChangesWorld) {
    this.#call = call;
    this.#world = world;
    this.files = new FileChanges({
      cwd: call.cwd,
      writer: call.callId,
      signal: call.signal,
      keep: (paths) => this.#keep(paths),
      begin: (paths) => {
        const window = world.windows.begin(call.callId, paths);
        return () => window.end();
      },
    });
  }

  /** Before the tool begins. @throws the signal's reason */
  async open(): Promise<void> {
    const { callId, marker, cwd, signal, isScanned, isAgain } = this.#call;
    if (!isScanned) return;
    const root = await realpath(cwd).catch(() => cwd);
    this.#root = root;
    this.#window = this.#world.windows.begin(callId, [root]);
    this.#isSpared = !isAgain && this.#world.patience.spares(root);
    if (this.#isSpared) return;
    try {
      const before = isAgain ? await this.#world.scanner.recover(marker) : null;
      this.#scan = before ?? (await this.#world.scanner.open(root, marker, signal));
      // Told to stop meanwhile: it does not begin.
      if (signal.aborted) await this.#scan.discard();
      signal.throwIfAborted();
    } catch (error) {
      this.#window.end();
      // A look that fails keeps no tool from running.
      if (signal.aborted) throw error;
    }
  }

  /** After the tool has ended: what it changed. `null` for a call that had no part in files. */
  async close({ isError, goesOn }: CallEnd): Promise<Receipt | null> {
    const { tool, isScanned } = this.#call;
    if (isScanned) return this.#closeScan(isError, goesOn);
    const { affected, files, createdDirs } = this.files.noted();
    if (affected.length === 0) return null;
    if (isError && files.length === 0 && createdDirs.length === 0 && this.#checkpointIds.length === 0)
      return null;
    return receiptOf({
      action: tool,
      isError,
      checkpointIds: this.#checkpointIds,
      affected,
      files: files.map(receiptFile),
      createdDirs,
      isBlind: this.#isUnguarded,
      reasons: this.#isUnguarded ? ["guard_off"] : [],
      overlappingCallIds: [],
    });
  }

  async #closeScan(isError: boolean, goesOn: boolean): Promise<Receipt> {
    const scan = this.#scan;
    const outcome =
      scan === null
        ? unseen(this.#isSpared ? "time_limit" : "scan_failed")
        : await withoutOwn(await scan.close(), this.#world);
    if (scan !== null) this.#world.patience.note(this.#root, outcome.coverageReasons.includes("time_limit"));
    this.#window?.end();
    if (scan !== null) await keepBefore(outcome, scan, this.#world);
    const overlapping = [...(this.#window?.overlapping ?? [])];
    const more: CoverageReason[] = [
      ...(goesOn ? (["background_processes"] as const) : []),
      ...(overlapping.length > 0 ? (["overlapping_calls"] as const) : []),
    ];
    return receiptOf({
      action: this.#call.tool,
      isError,
      checkpointIds: [],
      affected: [],
      files: outcome.files,
      createdDirs: outcome.createdDirs,
      isBlind: outcome.coverage === "none",
      reasons: [...outcome.coverageReasons, ...more],
      overlappingCallIds: overlapping,
    });
  }

  async #keep(paths: readonly string[]): Promise<ReadonlyMap<string, FileImage | null> | null> {
    const { sessionId, callId, tool, runId, cwd, isGuarded, record } = this.#call;
    if (!isGuarded) {
      this.#isUnguarded = true;
      return null;
    }
    const recorder = { callId, write: record };
    const { guard } = this.#world;
    const kept = await keepGuarded(guard, sessionId, { paths, cwd, tool, runId }, recorder);
    this.#checkpointIds.push(kept.checkpointId);
    return kept.images;
  }
}
