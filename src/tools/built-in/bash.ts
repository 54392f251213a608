import {
  type CommandExit,
  endCommand,
  type EndOutcome,
  type GatedCommand,
  startCommand,
} from "../../workspace/index.ts";
import { CommandOutput, maxStoredBytes } from "../command-output.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult, ToolUpdate } from "../tool.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;

interface BashArguments {
  readonly command: string;
  readonly timeoutMs?: number;
}

/** Runs a shell command. Its promises stand in docs/reference/tools.md, "bash". */
export const bashTool: BuiltInTool = {
  name: "bash",
  label: "Bash",
  gated: true,
  scanned: true,
  description:
    "Runs a bash command in the working directory and returns what it prints, stdout and stderr together. " +
    "Each call is a new shell: cd and variables do not carry over. Standard input is empty, so use flags that ask nothing. " +
    "A command left running with & stays running after the call returns; redirect its output to a file. " +
    "Long output keeps its beginning and end: write it to a file if you need all of it. " +
    "To look at files prefer read, grep, find and ls.",
  parameters: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line" },
      timeoutMs: {
        type: "integer",
        minimum: 1,
        maximum: maxTimeoutMs,
        description: `Milliseconds after which it is ended, default ${defaultTimeoutMs}`,
      },
    },
    required: ["command"],
  },
  otherSpellings: { cmd: "command", timeout_ms: "timeoutMs" },
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  // Above the longest limit of its own, so that the output of a command that ran too long is not lost.
  timeoutMs: maxTimeoutMs + 30_000,
  async execute(_toolCallId, args, signal, onUpdate, context) {
    signal.throwIfAborted();
    return run(args as unknown as BashArguments, signal, onUpdate, context);
  },
};

async function run(
  { command, timeoutMs = defaultTimeoutMs }: BashArguments,
  signal: AbortSignal,
  onUpdate: ToolUpdate,
  context: BuiltInContext,
): Promise<ToolResult> {
  const output = new CommandOutput(onUpdate);
  const { cwd, env, callMarker } = context;
  const started = await startCommand({
    command,
    cwd,
    env,
    callMarker,
    onOutput: (bytes) => output.push(bytes),
  });
  try {
    await letRun(started, signal, context);
  } catch (error) {
    output.stop();
    throw error;
  }
  const startedAt = performance.now();
  const { exit, cause } = await endOf(started, { timeoutMs, signal, callMarker });
  const durationMs = Math.round(performance.now() - startedAt);
  const { text, truncated } = output.end();
  const raw = output.raw();
  // What the result shows byte for byte is in the log already.
  const outputSha256 = raw.equals(Buffer.from(text)) ? null : await context.putBlob(raw);
  const details = {
    exitCode: exit.exitCode,
    signal: exit.signal,
    timedOut: cause === "timeout",
    durationMs,
    outputSha256,
    outputBytes: output.bytes,
    truncated,
    ...(output.bytes > maxStoredBytes ? { storedBytes: maxStoredBytes } : {}),
  };
  const remark = remarkOn(exit, cause, timeoutMs);
  if (remark === undefined) return textResult(text, details);
  return errorResult(`${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${remark}`, details);
}

/** The command may begin only once it is durable that it exists: recovery could not find it otherwise. */
async function letRun(started: GatedCommand, signal: AbortSignal, context: BuiltInContext): Promise<void> {
  try {
    await context.recordProcess(started.mark);
    signal.throwIfAborted();
  } catch (error) {
    started.refuse();
    await started.ended;
    throw error;
  }
  started.open();
}

type Cause = "exit" | "timeout" | "abort";

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly callMarker: string;
}

/** Waits for the end, and brings it about at the time limit or an abort. */
async function endOf(started: GatedCommand, limits: Limits): Promise<{ exit: CommandExit; cause: Cause }> {
  const { timeoutMs, signal, callMarker } = limits;
  let cause: Cause = "exit";
  let ending: Promise<EndOutcome> | undefined;
  const end = (why: Cause): void => {
    if (ending !== undefined) return;
    cause = why;
    ending = endCommand(started.mark.pid, callMarker);
    // Awaited below; this only keeps a failure before that from counting as unhandled.
    ending.catch(() => undefined);
  };
  const onAbort = (): void => end("abort");
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  // Removed at the end: an abort after success must not end what the command left running.
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const exit = await started.ended;
    await ending;
    return { exit, cause };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function remarkOn({ exitCode, signal }: CommandExit, cause: Cause, timeoutMs: number): string | undefined {
  if (cause === "timeout")
    return `Time limit of ${timeoutMs} ms reached: the command and all that it started were ended`;
  if (cause === "abort") return "Aborted: the command and all that it started were ended";
  if (signal !== null) return `killed by ${signal}`;
  return exitCode === 0 ? undefined : `exit code ${exitCode}`;
}
