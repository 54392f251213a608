#!/usr/bin/env node
/** The command `lemon`: parses, runs one command, and turns what went wrong into a message and an exit status. */
import { readFileSync } from "node:fs";
import { errorDocument, statuses, statusOf, UsageError, type Status } from "./errors.ts";
import type { GlobalFlags } from "./flags.ts";
import { contextOf } from "./globals.ts";
import { Interrupts } from "./interrupts.ts";
import { Output } from "./output.ts";
import type { Invoke } from "./invoke.ts";
import { obeyOuter, results } from "./results.ts";

const interrupts = new Interrupts();
const stuck = new Set<string>();
endQuietlyWithItsReader();
obeyOuter(interrupts);
const status = await main();
// What a tool or a model's library left open must not keep the command from ending, and neither may a call that hangs in
// the system: leaving waits for it, but a signal ends the process then.
results().write("", (error) => {
  interrupts.end();
  const ending = isLost(error) ? statuses.failed : status;
  if (stuck.size > 0) endInSpiteOf(stuck, ending);
  process.exit(ending);
});

/** Leaving waits for threads inside native calls, which may take for ever. Everything is written by now. */
function endInSpiteOf(modules: ReadonlySet<string>, ending: Status): void {
  const names = [...modules].join(", ");
  process.stderr.write(`lemon: ${names} can't be ended; this command would have had exit status ${ending}\n`);
  process.kill(process.pid, "SIGKILL");
}

async function main(): Promise<Status> {
  const version = versionOf();
  if (process.argv.length === 3 && process.argv[2] === "--version") {
    // Asked by scripts and prompts, again and again: answered before even the parser is loaded.
    process.stdout.write(`${version}\n`);
    return statuses.done;
  }
  const { buildProgram } = await import("./program.ts");
  let result: Status = statuses.done;
  const invoke: Invoke = async (load, ...args) => {
    const context = contextOf(program.opts<GlobalFlags>(), interrupts, (zombies) => {
      for (const { module } of zombies) stuck.add(module);
    });
    result = await (await load())(context, ...args);
  };
  const program = buildProgram(version, invoke);
  try {
    await program.parseAsync();
    return result;
  } catch (error) {
    return report(error, program.opts<GlobalFlags>());
  }
}

/** Written on standard error; under `--json` also as a document on standard output. */
function report(error: unknown, flags: GlobalFlags): Status {
  if (isOfParser(error)) {
    if (error.exitCode === 0) return statuses.done;
    // The parser shows its help for a bare `lemon`, and that is all there is to say.
    if (error.code === "commander.help") return statuses.badUsage;
    return report(new UsageError(`${error.message.replace(/^error: /, "")}\nSee \`lemon --help\`.`), flags);
  }
  const out = new Output({ ...flags, json: flags.json === true || process.argv.includes("--json") });
  const message = error instanceof Error ? error.message : String(error);
  out.error(message, error);
  if (out.json) out.document(errorDocument(error));
  return statusOf(error);
}

/** A `CommanderError`, known without loading its class. */
function isOfParser(error: unknown): error is Error & { readonly code: string; readonly exitCode: number } {
  return (
    error instanceof Error &&
    "exitCode" in error &&
    "code" in error &&
    String(error.code).startsWith("commander.")
  );
}

/** `lemon facts ID | head -1`: the reader has what it wanted. */
function endQuietlyWithItsReader(): void {
  results().on("error", (error: NodeJS.ErrnoException) => {
    if (!isLost(error)) interrupts.readerGone();
  });
  // A terminal that is gone: there is nobody left to tell.
  process.stderr.on("error", () => undefined);
}

/** Says so when what was written could not be kept, as on a full disk. A reader that went away lost nothing. */
function isLost(error: NodeJS.ErrnoException | null | undefined): boolean {
  if (error === null || error === undefined) return false;
  const { code } = (results().errored ?? error) as NodeJS.ErrnoException;
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return false;
  process.stderr.write(`error: standard output could not be written: ${code ?? error.message}\n`);
  return true;
}

function versionOf(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}
