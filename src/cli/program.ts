/**
 * The grammar of the command line. Loads the parser and nothing else: what a command does is in a file of its own,
 * which is loaded once the command is known.
 */
import { createRequire } from "node:module";
import type * as Commander from "commander";
import { addBisectCommand } from "./bisect-command.ts";
import { addBackgroundCommands } from "./background-commands.ts";
import { addBundleCommands } from "./bundle-commands.ts";
import { addCheckpointCommands } from "./checkpoint-commands.ts";
import { addHarnessCommands } from "./harness-commands.ts";
import { addInspectCommand } from "./inspect-command.ts";
import { addForkingCommands } from "./forking-commands.ts";
import { addHindsightCommands } from "./hindsight-commands.ts";
import { addLeadOptions } from "./lead-options.ts";
import { addWorkerCommand } from "./worker-command.ts";
import { collect, nonEmpty, portNumber, wholeNumber } from "./value-parsers.ts";
import type {
  AskFlags,
  DoctorFlags,
  ExtensionFlags,
  FactsFlags,
  LeadFlags,
  RunFlags,
  ServeFlags,
  TreeFlags,
} from "./flags.ts";
import type { Invoke } from "./invoke.ts";

// The parser is CommonJS, and its face for `import` takes twice as long to load: every start waits for it.
const { Command, Option } = createRequire(import.meta.url)("commander") as typeof Commander;
type Command = Commander.Command;

/** The whole grammar. Every refusal is thrown as a `CommanderError`, its text not yet written. */
export function buildProgram(version: string, invoke: Invoke): Command {
  const program = new Command("lemon")
    .description("Runs coding agents as supervised sessions on an append-only log.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", "\nExit status: 0 done, 1 failed, 2 bad usage, 3 not there, 130 interrupted.")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addGlobalOptions(program);
  addSessionCommands(program, invoke);
  addAskCommand(program, invoke);
  addBackgroundCommands(program, invoke);
  addReadCommands(program, invoke);
  addInspectCommand(program, invoke);
  addBisectCommand(program, invoke);
  addHarnessCommands(program, invoke);
  addCheckpointCommands(program, invoke);
  addLogCommands(program, invoke);
  addBundleCommands(program, invoke);
  addApprovalCommands(program, invoke);
  addHookCommands(program, invoke);
  addForkingCommands(program, invoke);
  addHindsightCommands(program, invoke);
  addExtensionCommands(program, invoke, version);
  addServeCommand(program, invoke);
  addWorkerCommand(program, invoke);
  addDoctorCommand(program, invoke, version);
  return program;
}

function addGlobalOptions(program: Command): void {
  program
    .option("--home <dir>", "folder of configuration and log (default: $LEMON_HOME or ~/.lemon)", nonEmpty)
    .option("--log <place>", "path or URL of the log (default: log.db in the home)", nonEmpty)
    .option("--cwd <dir>", "where a new session works (default: here)", nonEmpty)
    .option("--json", "results as JSON: one document, or one a line for streams")
    .option("--no-color", "no colours; NO_COLOR does the same")
    .option("-q, --quiet", "no progress and no warnings")
    .option("-v, --verbose", "more log lines, and the stack of an error");
}

function addSessionCommands(program: Command, invoke: Invoke): void {
  const run = program
    .command("run")
    .argument("[prompt]", "what to do; without it, standard input is read")
    .description("run a session until it has done what the prompt asks");
  addLeadOptions(run)
    .addOption(
      new Option("--session <id>", "go on with this session, or start one with this id")
        .argParser(nonEmpty)
        .conflicts("continue"),
    )
    .option("--continue", "go on with the newest session of this folder")
    .action((prompt: string | undefined, flags: RunFlags) =>
      invoke(async () => (await import("./commands/run.ts")).run, prompt, flags),
    );
  const resume = program
    .command("resume")
    .argument("<id>", "a session")
    .description("go on with a run that was cut off; without one, print the last outcome again");
  addLeadOptions(resume).action((id: string, flags: LeadFlags) =>
    invoke(async () => (await import("./commands/resume.ts")).resume, id, flags),
  );
}

function addAskCommand(program: Command, invoke: Invoke): void {
  const ask = program
    .command("ask")
    .argument("<id>", "a session, which may be at work")
    .argument("[question]", "what to ask; without it, or for -, standard input is read")
    .description("ask a question about a session, which it leaves alone");
  addLeadOptions(ask)
    .option("--timeout <ms>", "how long it may take (default: 30000, at most 120000)", wholeNumber)
    .action((id: string, question: string | undefined, flags: AskFlags) =>
      invoke(async () => (await import("./commands/ask.ts")).ask, id, question, flags),
    );
}

function addReadCommands(program: Command, invoke: Invoke): void {
  program
    .command("sessions")
    .description("list the sessions, the one with the newest fact first")
    .action(() => invoke(async () => (await import("./commands/sessions.ts")).sessions));
  program
    .command("show")
    .argument("<id>", "a session")
    .option("--at <version>", "as it was after this fact", wholeNumber)
    .description("show a session and its conversation")
    .action((id: string, flags: { readonly at?: number }) =>
      invoke(async () => (await import("./commands/show.ts")).show, id, flags),
    );
  program
    .command("facts")
    .argument("<id>", "a session")
    .option("--follow", "go on with new facts until interrupted")
    .option("--from <version>", "begin at this version", wholeNumber)
    .option("--type <type>", "only facts of this type; may be repeated", collect)
    .description("print the facts of a session")
    .action((id: string, flags: FactsFlags) =>
      invoke(async () => (await import("./commands/facts.ts")).facts, id, flags),
    );
  program
    .command("replay")
    .argument("<id>", "a session")
    .description("decide a session again and compare with what was recorded")
    .action((id: string) => invoke(async () => (await import("./commands/replay.ts")).replay, id));
  program
    .command("diff")
    .argument("<id>", "a session")
    .argument("<a>", "a version, or OTHER@VERSION")
    .argument("<b>", "the same")
    .description("show what differs between two versions of a session, or of two")
    .action((id: string, a: string, b: string) =>
      invoke(async () => (await import("./commands/diff.ts")).diff, id, a, b),
    );
  program
    .command("tree")
    .addOption(
      new Option("--at <position>", "as it was after this position of the log")
        .argParser(wholeNumber)
        .conflicts("follow"),
    )
    .option("--follow", "print it again after each change, until interrupted")
    .description("show the supervision tree of the newest runtime")
    .action((flags: TreeFlags) => invoke(async () => (await import("./commands/tree.ts")).tree, flags));
}

function addLogCommands(program: Command, invoke: Invoke): void {
  program
    .command("verify")
    .description("check the log's integrity")
    .action(() => invoke(async () => (await import("./commands/verify.ts")).verify));
  program
    .command("backup")
    .argument("<file>", "a name that is free")
    .description("copy the log while it is in use")
    .action((file: string) => invoke(async () => (await import("./commands/backup.ts")).backup, file));
}

function addApprovalCommands(program: Command, invoke: Invoke): void {
  program
    .command("approvals")
    .description("list the calls that wait for an answer")
    .action(() => invoke(async () => (await import("./commands/approvals.ts")).approvals));
  program
    .command("allow")
    .argument("<id>", "a call that waits for an answer")
    .description("let a waiting call run")
    .action((id: string) => invoke(async () => (await import("./commands/answer.ts")).allow, id));
  program
    .command("deny")
    .argument("<id>", "a call that waits for an answer")
    .argument("[reason]", "told to the model")
    .description("refuse a waiting call")
    .action((id: string, reason: string | undefined) =>
      invoke(async () => (await import("./commands/answer.ts")).deny, id, reason),
    );
  program
    .command("trust")
    .argument("[dir]", "a project (default: the working directory)")
    .option("--revoke", "take the trust back")
    .description("let the project file of a folder run code")
    .action((dir: string | undefined, flags: { readonly revoke?: boolean }) =>
      invoke(async () => (await import("./commands/trust.ts")).trust, dir, flags),
    );
}

function addHookCommands(program: Command, invoke: Invoke): void {
  program
    .command("hooks")
    .description("look at what hooks did")
    .command("explain")
    .argument("<session>", "a session")
    .argument("[call]", "one of its calls (default: all)")
    .description("tell which handlers saw a call, what each answered, and what came out")
    .action((session: string, call: string | undefined) =>
      invoke(async () => (await import("./commands/hooks-explain.ts")).explainHooks, session, call),
    );
}

function addExtensionCommands(program: Command, invoke: Invoke, version: string): void {
  const extension = program.command("extension").description("check, make and look at extensions");
  extension
    .command("validate")
    .argument("<path...>", "a manifest, or a folder of extensions")
    .option("-j", "the same as --json")
    .description("check manifests, running nothing")
    .action((paths: readonly string[], flags: { readonly j?: boolean }) => {
      if (flags.j === true) program.setOptionValue("json", true);
      return invoke(async () => (await import("./commands/extension-validate.ts")).validateExtensions, paths);
    });
  addLoadingCommands(extension, invoke);
  extension
    .command("new")
    .argument("<name>", "lower-case letters, digits and hyphens")
    .argument("[dir]", "a folder that is not there yet (default: the name, in the working directory)")
    .description("write an extension to start from")
    .action((name: string, dir: string | undefined) =>
      invoke(async () => (await import("./commands/extension-new.ts")).newExtension, version, name, dir),
    );
}

function addLoadingCommands(extension: Command, invoke: Invoke): void {
  extension
    .command("list")
    .option("--capability <word>", "only those that declare it", nonEmpty)
    .option("--extension <path>", "an extension file, or a folder of them; may be repeated", collect)
    .description("load what a session here would load, and list it")
    .action((flags: ExtensionFlags) =>
      invoke(async () => (await import("./commands/extension-list.ts")).listExtensions, flags),
    );
  extension
    .command("status")
    .option("--extension <path>", "an extension file, or a folder of them; may be repeated", collect)
    .description("load what a session here would load, and tell how it went")
    .action((flags: ExtensionFlags) =>
      invoke(async () => (await import("./commands/extension-status.ts")).extensionStatus, flags),
    );
  extension
    .command("config")
    .argument("<name>", "the name of an extension")
    .option("--extension <path>", "an extension file, or a folder of them; may be repeated", collect)
    .description("show what can be set of an extension, and how it is set; secrets stay hidden")
    .action((name: string, flags: ExtensionFlags) =>
      invoke(async () => (await import("./commands/extension-config.ts")).extensionConfig, name, flags),
    );
}

function addServeCommand(program: Command, invoke: Invoke): void {
  program
    .command("serve")
    .addOption(new Option("--stdio", "over standard input and output (default)").conflicts("http"))
    .option("--http", "over HTTP on 127.0.0.1")
    .option("--port <number>", "the port for --http (default: one that is free)", portNumber)
    .option("--scopes <list>", "allow no more than these of read, write, approvals and admin", nonEmpty)
    .description("let programs drive the runtime by JSON-RPC")
    .action((flags: ServeFlags) => invoke(async () => (await import("./commands/serve.ts")).serve, flags));
}

function addDoctorCommand(program: Command, invoke: Invoke, version: string): void {
  program
    .command("doctor")
    .option("--bundle <file>", "also write what may be sent to support, to a name that is free", nonEmpty)
    .description("tell what is set up here")
    .action((flags: DoctorFlags) =>
      invoke(async () => (await import("./commands/doctor.ts")).doctor, version, flags),
    );
}
