import type { Command } from "commander";
import { expect, test } from "vitest";
import { LemonError } from "../../src/errors.ts";
import { errorDocument, statuses, statusOf } from "../../src/cli/errors.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { LogUnavailableError, type UnavailableBecause } from "../../src/log/index.ts";

test("the exit statuses", () => {
  expect(statuses).toEqual({ done: 0, failed: 1, badUsage: 2, notThere: 3, interrupted: 130 });
});

test("what is not there is 3, what makes no sense is 2, all else is 1", () => {
  const words = {
    3: ["not_found", "session_not_found", "feature_not_found"],
    2: [
      "invalid_usage",
      "invalid_config",
      "invalid_script",
      "invalid_session_id",
      "empty_prompt",
      "no_model",
      "unknown_model",
      "json_decode",
      "invalid_requirements",
    ],
    1: [
      "session_busy",
      "approval_pending",
      "already_streaming",
      "log_corrupt",
      "log_newer",
      "log_read_only",
      "replay_diverged",
    ],
  };
  for (const [status, reasons] of Object.entries(words)) {
    for (const reason of reasons)
      expect([reason, statusOf(new LemonError(reason, ""))]).toEqual([reason, Number(status)]);
  }
  expect(statusOf(new Error("a fault of ours"))).toBe(1);
});

test("a place that can't be a log is bad usage, one that may not be read a failure", () => {
  const statusFor = (because: UnavailableBecause): number => statusOf(new LogUnavailableError(because, ""));
  expect(
    (["unknown_scheme", "no_directory", "not_a_file", "not_a_log", "already_exists"] as const).map(statusFor),
  ).toEqual([2, 2, 2, 2, 2]);
  expect((["no_permission", "cannot_open"] as const).map(statusFor)).toEqual([1, 1]);
});

test("an error as a document", () => {
  const shown = errorDocument(new LemonError("session_busy", "held"));
  expect(shown).toEqual({ error: { code: "LEMON_SESSION_BUSY", reason: "session_busy", message: "held" } });
  const internal = { code: "LEMON_INTERNAL", reason: "internal", message: "oops" };
  expect(errorDocument(new Error("oops"))).toEqual({ error: internal });
});

test("the commands, their arguments and their flags", () => {
  const program = buildProgram("0.0.0", async () => undefined);
  const flagsOf = (command: Command): string => command.options.map(({ flags }) => flags).join(" | ");
  const leaves = program.commands.flatMap((command) =>
    command.commands.length === 0 ? [command] : command.commands,
  );
  const lines = leaves.map((command) => {
    const args = command.registeredArguments.map((arg) =>
      arg.required ? `<${arg.name()}>` : `[${arg.name()}]`,
    );
    const group = command.parent === program ? [] : [command.parent?.name() ?? ""];
    return [...group, command.name(), ...args, flagsOf(command)].filter((part) => part !== "").join(" ");
  });
  const lead = "--model <provider/model> | --script <file> | --extension <path> | --approve <mode>";
  expect(lines).toEqual([
    `run [prompt] ${lead} | --session <id> | --continue`,
    `resume <id> ${lead}`,
    `ask <id> [question] ${lead} | --timeout <ms>`,
    `background start [prompt] ${lead} | --thinking <level> | --timeout <ms> | --on-restart <what>`,
    "background list --status <word> | --limit <number>",
    "background status <id>",
    "background result <id>",
    "background cancel <id> [reason]",
    "background watch <id>",
    "sessions",
    "show <id> --at <version>",
    "facts <id> --follow | --from <version> | --type <type>",
    "replay <id>",
    "diff <id> <a> <b>",
    "tree --at <position> | --follow",
    "inspect [id] --port <number> | --open | --prices <file>",
    "bisect <id> --run <command> | --when <expression> | --from <version> | --to <version> | --timeout <ms> | --ignored <how> | --work-dir <dir>",
    "todos <id> --at <version>",
    "progress <id> --at <version>",
    "features list",
    "features next",
    "features set <id> <status> --notes <text>",
    "checkpoint create <session> --files [path...]",
    "checkpoint list <session>",
    "checkpoint show <id>",
    "checkpoint diff <id> [path] --force",
    "checkpoint restore <id> [path] --at <version> | --force | --dry-run | --yes",
    "checkpoint resume <id>",
    "checkpoint delete <id>",
    "checkpoint prune <session> --keep <count>",
    "verify",
    "backup <file>",
    "export <id> <file> --redact",
    "import <file>",
    "fixture <id> --out <file>",
    "approvals",
    "allow <id>",
    "deny <id> [reason]",
    "trust [dir] --revoke",
    "hooks explain <session> [call]",
    "fork <id> --at <version> | --into <dir>",
    "what-if [id] --all | --extension <path> | --keep | --no-extensions | --approve <mode> | --deny <tool> | --require-approval <tool> | --fail-on-change",
    "blame <file[:line]> --session <id> | --at <version>",
    "extension validate <path> -j",
    "extension list --capability <word> | --extension <path>",
    "extension status --extension <path>",
    "extension config <name> --extension <path>",
    "extension new <name> [dir]",
    "serve --stdio | --http | --port <number> | --scopes <list>",
    "worker --idle <seconds>",
    "doctor --bundle <file>",
  ]);
  expect(flagsOf(program)).toBe(
    "--version | --home <dir> | --log <place> | --cwd <dir> | --json | --no-color | -q, --quiet | -v, --verbose",
  );
});
