/** A working directory of its own and a context for built-in tools. */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { silentLogger } from "../../src/ports.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import { captureFiles, FileChanges, type NotedChanges } from "../../src/workspace/index.ts";
import type { BuiltInContext, BuiltInTool, ProcessIdentity, ToolResult } from "../../src/tools/tool.ts";

export interface Workbench {
  readonly cwd: string;
  readonly context: BuiltInContext;
  readonly blobs: Map<string, Buffer>;
  readonly processes: ProcessIdentity[];
  /** The paths of each checkpoint that the guard took. */
  readonly guards: (readonly string[])[];
  /** What the last call did. */
  noted(): NotedChanges;
  /** Validates the arguments as the runtime does, then runs the tool. */
  run(tool: BuiltInTool, args: Record<string, unknown>, options?: RunOptions): Promise<ToolResult>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onText?: (text: string) => void;
  readonly context?: Partial<BuiltInContext>;
}

let calls = 0;

export function workbench(): Workbench {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "lemon-tools-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const blobs = new Map<string, Buffer>();
  const processes: ProcessIdentity[] = [];
  calls += 1;
  const putBlob = (bytes: Uint8Array): Promise<string> => {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    blobs.set(sha256, Buffer.from(bytes));
    return Promise.resolve(sha256);
  };
  const guards: (readonly string[])[] = [];
  const changes = (folder: string, signal: AbortSignal): FileChanges =>
    new FileChanges({
      cwd: folder,
      writer: "call_1",
      signal,
      keep: async (paths) => {
        const kept = await captureFiles(paths, { cwd: folder, putBlob });
        guards.push(paths);
        return new Map(
          kept.map(({ path, sha256, mode }) => [
            path,
            sha256 === null || mode === null ? null : { sha256, mode },
          ]),
        );
      },
      begin: () => () => undefined,
    });
  let last = changes(cwd, new AbortController().signal);
  const context: BuiltInContext = {
    sessionId: "ses_test",
    cwd,
    config: {},
    log: silentLogger,
    recordProcess: (identity) => {
      processes.push(identity);
      return Promise.resolve();
    },
    putBlob,
    files: last,
    extensions: { status: () => null, reload: () => Promise.reject(new Error("no session")) },
    checkpoints: {
      list: () => Promise.resolve([]),
      diff: () => Promise.reject(new Error("no session")),
      restore: () => Promise.reject(new Error("no session")),
      delete: () => Promise.reject(new Error("no session")),
    },
    todos: { read: () => Promise.resolve([]), write: () => Promise.reject(new Error("no session")) },
    tasks: {
      run: () => Promise.reject(new Error("no session")),
      look: () => Promise.resolve([]),
      join: () => Promise.resolve([]),
      cancel: () => Promise.reject(new Error("no session")),
    },
    proposePlan: () => Promise.resolve(),
    callMarker: `ses_test-${process.pid}:${calls}`,
    env: { ...process.env, HOME: cwd },
  };
  return {
    cwd,
    context,
    blobs,
    processes,
    guards,
    noted: () => last.noted(),
    async run(tool, args, options = {}) {
      const outcome = await checkArguments(tool, args);
      if (!outcome.ok) throw new Error(outcome.message);
      const signal = options.signal ?? new AbortController().signal;
      last = changes(options.context?.cwd ?? cwd, signal);
      const onText = options.onText ?? (() => undefined);
      return tool.execute(
        "call_1",
        outcome.args,
        signal,
        ({ content }) => content.forEach((block) => block.type === "text" && onText(block.text)),
        { ...context, files: last, ...options.context },
      );
    },
  };
}

/** The text of a result, blocks joined. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("");
}
