import { defineExtension } from "../../src/extensions/index.ts";
import { defineTool } from "../../src/tools/index.ts";
import { scriptedModel, type ScriptedTurn } from "../../src/providers/index.ts";
import { createRuntime, type Runtime, type RuntimeOptions } from "../../src/runtime/index.ts";
import type { Fact } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import { openWorkspaceScanner, type WorkspaceScanner } from "../../src/workspace/index.ts";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countingIds } from "./ids.ts";

/** A fresh folder that only this test uses. */
export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "lemon-test-"));
}

let runtimes = 0;

/** A runtime on a scripted model, with nothing of the machine in it. The model is `s/m`. */
export function scriptedRuntime(
  log: EventLog | string,
  turns: readonly ScriptedTurn[],
  options: Partial<RuntimeOptions> = {},
): Promise<Runtime> {
  const home = options.home ?? temporaryFolder();
  runtimes += 1;
  return createRuntime({
    home,
    cwd: home,
    log,
    models: { s: scriptedModel(turns) },
    ids: countingIds(runtimes * 0x1000),
    random: () => 0.5,
    env: { PATH: process.env["PATH"], HOME: home, LEMON_CHECKPOINTS_EXPORT: "false" },
    scanner: quickScanner(home),
    ...options,
  });
}

/** One that scans in this thread, since the start of another costs more than all that most tests do. */
function quickScanner(home: string): WorkspaceScanner {
  return openWorkspaceScanner({
    cacheFile: path.join(home, "scan-cache.db"),
    inProcess: { now: () => Date.now(), monotonic: () => performance.now() },
  });
}

/** An extension of one tool `probe { name }` whose end the test decides. */
export function probeExtension(
  run: (name: string, signal: AbortSignal) => Promise<string>,
  traits: {
    readonly parallelSafe?: boolean;
    readonly idempotent?: boolean;
    readonly readOnly?: boolean;
    readonly timeoutMs?: number;
  } = {},
): unknown {
  return defineExtension({
    name: "probe",
    version: "1.0.0",
    tools: [
      defineTool({
        name: "probe",
        description: "a tool whose end the test decides",
        parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        ...traits,
        execute: async (_id, args, signal) => {
          const { name } = args as { name: string };
          return { content: [{ type: "text", text: await run(name, signal) }] };
        },
      }),
    ],
  });
}

/** A call of the probe. */
export function probe(...names: string[]): ScriptedTurn {
  return { toolCalls: names.map((name) => ({ name: "probe", args: { name } })) };
}

/** Everything that a stream holds. */
export async function factsOf(log: EventLog, stream: string): Promise<Fact[]> {
  const facts: Fact[] = [];
  for await (const fact of log.read(stream)) facts.push(fact);
  return facts;
}

/** Resolves when a fact of the type is in the stream. */
export function factOfType(log: EventLog, stream: string, type: string): Promise<Fact> {
  return new Promise((resolve, reject) => {
    const subscription = log.follow({ stream }).subscribe({
      next: (fact) => {
        if (fact.type !== type) return;
        resolve(fact);
        setImmediate(() => subscription.unsubscribe());
      },
      error: reject,
    });
  });
}

/** A promise that the test settles. */
export function gate<Value = void>(): {
  readonly promise: Promise<Value>;
  readonly open: (value: Value) => void;
  readonly fail: (error: Error) => void;
} {
  let open: (value: Value) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}
