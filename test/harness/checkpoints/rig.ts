import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Leadership } from "../../../src/actors/index.ts";
import type { FactData } from "../../../src/events/index.ts";
import { CheckpointService, type CheckpointSettings } from "../../../src/harness/index.ts";
import type { EventLog } from "../../../src/log/index.ts";
import { silentLogger, type Logger } from "../../../src/ports.ts";
import { SessionWriter } from "../../../src/runtime/session-writer.ts";
import { createMasker } from "../../../src/secrets/index.ts";
import { captureFiles, systemFiles, type FileCalls } from "../../../src/workspace/index.ts";
import { countingIds } from "../../support/ids.ts";
import { memoryLog } from "../../support/log-doubles.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A file as a test sees it; `null`: none. */
export type Image = { readonly bytes: string; readonly mode: number } | null;

type Receipt = NonNullable<FactData<"tool_call.returned">["receipt"]>;
type Change = Receipt["files"][number];

/** How a rig is made. */
export interface RigOptions {
  readonly log?: EventLog;
  readonly cwd?: string;
  readonly files?: FileCalls;
  readonly settings?: Partial<CheckpointSettings>;
  readonly logger?: Logger;
  readonly requirements?: unknown;
}

/** Checkpoints over a fresh folder and a log in memory, and a hand that writes like a tool. */
export class CheckpointRig {
  readonly cwd: string;
  readonly exports: string;
  readonly log: EventLog;
  readonly clock: ManualClock;
  readonly service: CheckpointService;
  readonly leadership: Leadership;
  #calls = 0;

  private constructor(parts: Omit<CheckpointRig, "at">) {
    this.cwd = parts.cwd;
    this.exports = parts.exports;
    this.log = parts.log;
    this.clock = parts.clock;
    this.service = parts.service;
    this.leadership = parts.leadership;
  }

  static async start(options: RigOptions = {}): Promise<CheckpointRig> {
    const log = options.log ?? (await memoryLog());
    const cwd = options.cwd ?? (await realpath(await mkdtemp(path.join(tmpdir(), "lemon-restore-"))));
    rigs += 1;
    const exports = `${cwd}.exports`;
    const clock = new ManualClock();
    const leadership = await Leadership.acquire(log, `rig-${rigs}`, `rig ${rigs}`, clock, silentLogger);
    const mask = createMasker([{ name: "KEY", value: "hush-hush-hush" }]);
    const sessions = new SessionWriter({ log, leadership, clock, mask, streamOf: () => null });
    const service = new CheckpointService({
      log,
      sessions,
      ids: countingIds(rigs * 0x1_0000),
      logger: options.logger ?? silentLogger,
      mask: (value) => mask.json(value),
      settings: {
        dir: exports,
        export: false,
        maxPerSession: 200,
        maxBytesPerSession: 1 << 29,
        ...options.settings,
      },
      cwd,
      todosOf: async (sessionId, to) => {
        for await (const fact of log.read(`session-${sessionId}`, {
          types: ["todos.written"],
          to,
          backwards: true,
        }))
          return (fact.data as FactData<"todos.written">).todos;
        return [];
      },
      todosFrom: (_sessionId, given) => given as never,
      requirementsOf: () => Promise.resolve(options.requirements ?? null),
      files: options.files ?? systemFiles,
    });
    return new CheckpointRig({ cwd, exports, log, clock, service, leadership } as CheckpointRig);
  }

  async stop(): Promise<void> {
    await this.leadership.close();
    await rm(this.cwd, { recursive: true, force: true });
    await rm(this.exports, { recursive: true, force: true });
  }

  at(name: string): string {
    return path.join(this.cwd, name);
  }

  /** What a person or a script does. */
  async write(name: string, text: string | Buffer, mode?: number): Promise<void> {
    await mkdir(path.dirname(this.at(name)), { recursive: true });
    await writeFile(this.at(name), text);
    if (mode !== undefined) await chmod(this.at(name), mode);
  }

  async image(name: string): Promise<Image> {
    return imageOf(this.at(name));
  }

  /** What a call does: the change and its receipt in `session-s`; with a guard as the tools take it. */
  async call(
    names: readonly string[],
    change: () => Promise<void>,
    { guard = false, known = true } = {},
  ): Promise<string | null> {
    const putBlob = (bytes: Uint8Array): Promise<string> => this.log.putBlob(bytes);
    const paths = names.map((name) => path.resolve(this.cwd, name));
    const before = await captureFiles(paths, { cwd: this.cwd, putBlob });
    this.#calls += 1;
    const callId = `call_${this.#calls}`;
    let checkpointId: string | null = null;
    if (guard) {
      checkpointId = `chk_${(0xa000_0000 + rigs * 0x1_0000 + this.#calls).toString(16).padStart(16, "0")}`;
      await this.append("checkpoint.created", {
        checkpointId,
        kind: "filesystem",
        origin: "guard",
        tool: "write",
        callId,
        runId: null,
        cwd: this.cwd,
        point: false,
        files: before,
        content: null,
        contentSha256: null,
        metadata: {},
        bytes: before.reduce((sum, { size }) => sum + (size ?? 0), 0),
      });
    }
    const missing = await missingFolders(paths);
    await change();
    const after = await captureFiles(paths, { cwd: this.cwd, putBlob });
    const files = before.flatMap((old, at): Change[] => {
      const now = after[at];
      if (now === undefined || (old.sha256 === now.sha256 && old.mode === now.mode)) return [];
      const kind = !old.exists
        ? "created"
        : !now.exists
          ? "deleted"
          : old.sha256 === now.sha256
            ? "mode"
            : "modified";
      return [
        {
          path: old.path,
          change: kind,
          beforeSha256: known ? old.sha256 : null,
          beforeMode: old.mode,
          afterSha256: now.sha256,
          afterMode: now.mode,
          code: null,
        },
      ];
    });
    const createdDirs: string[] = [];
    for (const folder of missing) if ((await kindOf(folder)) === "folder") createdDirs.push(folder);
    await this.receipt(callId, { files, createdDirs });
    return checkpointId;
  }

  /** The write tool. */
  tool(name: string, text: string | Buffer, mode?: number): Promise<string | null> {
    return this.call([name], () => this.write(name, text, mode), { guard: true });
  }

  async receipt(
    callId: string,
    { files, createdDirs }: Pick<Receipt, "files" | "createdDirs">,
  ): Promise<void> {
    const receipt: Receipt = {
      action: "write",
      outcome: files.length === 0 ? "none" : "applied",
      success: true,
      checkpointId: null,
      checkpointIds: [],
      checkpointKind: null,
      affectedPaths: [],
      changedPaths: [],
      writtenPaths: [],
      createdDirs,
      files,
      coverage: "full",
      coverageReasons: [],
      overlappingCallIds: [],
    };
    await this.append("tool_call.returned", {
      callId,
      isError: false,
      errorType: null,
      isThrown: false,
      content: [],
      details: null,
      trust: "trusted",
      receipt,
    });
  }

  async append(type: string, data: unknown): Promise<void> {
    await this.log.append("session-s", "any", [
      {
        type,
        data,
        kind: "input",
        actor: "test",
        causation: null,
        correlation: null,
        at: this.clock.now(),
        schemaVersion: type === "tool_call.returned" ? 3 : type === "tool_call.started" ? 2 : 1,
      },
    ]);
  }

  async facts(type: string): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for await (const fact of this.log.read("session-s", { types: [type] })) found.push(fact.data);
    return found;
  }

  /** Every name below the folder. */
  async names(): Promise<string[]> {
    const entries = await readdir(this.cwd, { recursive: true, withFileTypes: true });
    return entries
      .map((entry) => path.relative(this.cwd, path.join(entry.parentPath, entry.name)))
      .toSorted();
  }
}

let rigs = 0;

async function imageOf(file: string): Promise<Image> {
  try {
    const found = await lstat(file);
    return found.isFile()
      ? { bytes: (await readFile(file)).toString("latin1"), mode: found.mode & 0o7777 }
      : null;
  } catch {
    return null;
  }
}

async function kindOf(file: string): Promise<"folder" | "other" | "none"> {
  try {
    return (await lstat(file)).isDirectory() ? "folder" : "other";
  } catch {
    return "none";
  }
}

async function missingFolders(paths: readonly string[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const file of paths)
    for (let folder = path.dirname(file); (await kindOf(folder)) === "none"; folder = path.dirname(folder))
      missing.add(folder);
  return [...missing].toSorted((a, b) => a.length - b.length);
}
