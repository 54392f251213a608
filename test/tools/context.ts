/** A working directory of its own and a context for built-in tools. */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { silentLogger } from "../../src/ports.ts";
import { checkArguments } from "../../src/tools/arguments.ts";
import type { BuiltInContext, BuiltInTool, ProcessIdentity, ToolResult } from "../../src/tools/tool.ts";

export interface Workbench {
  readonly cwd: string;
  readonly context: BuiltInContext;
  readonly blobs: Map<string, Buffer>;
  readonly processes: ProcessIdentity[];
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
  const context: BuiltInContext = {
    sessionId: "ses_test",
    cwd,
    config: {},
    log: silentLogger,
    recordProcess: (identity) => {
      processes.push(identity);
      return Promise.resolve();
    },
    putBlob: (bytes) => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      blobs.set(sha256, Buffer.from(bytes));
      return Promise.resolve(sha256);
    },
    extensions: { status: () => null, reload: () => Promise.reject(new Error("no session")) },
    todos: { read: () => Promise.resolve([]), write: () => Promise.reject(new Error("no session")) },
    proposePlan: () => Promise.resolve(),
    callMarker: `ses_test-${process.pid}:${calls}`,
    env: { ...process.env, HOME: cwd },
  };
  return {
    cwd,
    context,
    blobs,
    processes,
    async run(tool, args, options = {}) {
      const outcome = await checkArguments(tool, args);
      if (!outcome.ok) throw new Error(outcome.message);
      const onText = options.onText ?? (() => undefined);
      return tool.execute(
        "call_1",
        outcome.args,
        options.signal ?? new AbortController().signal,
        ({ content }) => content.forEach((block) => block.type === "text" && onText(block.text)),
        { ...context, ...options.context },
      );
    },
  };
}

/** The text of a result, blocks joined. */
export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`)).join("");
}
