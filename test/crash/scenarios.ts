/**
 * What the killed sessions do. Between them every kind of fact is recorded.
 *
 * A model that is told of an interrupted call looks before it goes on; a script can't, so each step that changes a
 * file is followed by one that makes sure of it. The lines of the counter are not: they show what ran, and how often.
 */
import type { ScriptedToolCall, ScriptedTurn } from "../../src/providers/index.ts";
import type { Outcome } from "../../src/runtime/index.ts";

/** One session, from its first prompt to its end. */
export interface Scenario {
  readonly name: string;
  readonly script: readonly ScriptedTurn[];
  readonly approval: "auto" | "ask";
  /** Laid over `[runtime]` of the configuration. */
  readonly config: { readonly maxToolTurns?: number };
  /** Tokens that the model has room for; default: enough. */
  readonly contextWindow?: number;
  /** What the user says while the first command runs. */
  readonly steer?: string;
  readonly followUp?: string;
  readonly abort?: string;
  /** An extension watches, judges and reviews: one handler of each kind, and one that fails. */
  readonly isHooked?: boolean;
  /** It begins in plan mode, which ends with the run. */
  readonly isPlanned?: boolean;
  /** What the session is resumed with at its end. */
  readonly reconfigure?: { readonly approval: "deny" };
  readonly end: Pick<Outcome, "status" | "stopReason" | "text">;
  /** The files at the end, the counter left out. */
  readonly files: Readonly<Record<string, string>>;
}

const call = (name: string, args: object): ScriptedToolCall => ({ name, args });
const bash = (command: string): ScriptedToolCall => call("bash", { command });
/** Says something first, so that the user sees the command run, and takes long enough to be killed in. */
const count = (line: string): ScriptedToolCall =>
  bash(`echo counting; echo ${line} >> counter.txt; sleep 0.05`);
const calls = (...toolCalls: ScriptedToolCall[]): ScriptedTurn => ({ toolCalls });

const draft = call("write", { path: "notes.txt", content: "alpha\nbeta\n" });

/** The files, the model, the user: everything that a session is made of, and nobody has to allow anything. */
const work: Scenario = {
  name: "work",
  approval: "auto",
  config: {},
  script: [
    { error: { status: 503, retryAfterMs: 10 } },
    { text: "I write a draft.", toolCalls: [draft] },
    calls(draft),
    calls(
      call("read", { path: "notes.txt" }),
      call("grep", { pattern: "beta" }),
      call("find", { pattern: "*.txt" }),
      call("ls", {}),
    ),
    calls(count("first")),
    calls(call("edit", { path: "notes.txt", oldText: "beta", newText: "gamma" })),
    calls(bash("grep -q gamma notes.txt || sed -i s/beta/gamma/ notes.txt")),
    calls(call("read", { path: "notes.txt" }), count("second")),
    { text: "Done." },
    { text: "Done." },
    { text: "Done." },
  ],
  steer: "mind the order",
  followUp: "and tell me when you are done",
  end: { status: "completed", stopReason: "end_turn", text: "Done." },
  files: { "notes.txt": "alpha\ngamma\n" },
};

/** A person is asked, allows one command and refuses another, and is never asked again. */
const asked: Scenario = {
  name: "asked",
  approval: "ask",
  config: {},
  script: [calls(count("allowed"), bash("echo forbidden >> counter.txt")), { text: "Done." }],
  reconfigure: { approval: "deny" },
  end: { status: "completed", stopReason: "end_turn", text: "Done." },
  files: {},
};

/** The user stops a command that would not end by itself. */
const stopped: Scenario = {
  name: "stopped",
  approval: "auto",
  config: {},
  script: [
    calls(bash("echo counting; echo stopped >> counter.txt; exec sleep 600")),
    { delayMs: 600_000, text: "never said" },
  ],
  abort: "enough",
  end: { status: "aborted", stopReason: "aborted", text: "" },
  files: {},
};

/** The model would go on for ever. */
const limited: Scenario = {
  name: "limited",
  approval: "auto",
  config: { maxToolTurns: 2 },
  script: [calls(count("one")), calls(count("two")), calls(count("three"))],
  end: { status: "failed", stopReason: "max_tool_turns", text: "" },
  files: {},
};

/** An extension has its say in each step. A call that was being judged when the process died is blocked. */
const hooked: Scenario = {
  name: "hooked",
  approval: "auto",
  config: {},
  isHooked: true,
  script: [calls(count("judged"), bash("echo forbidden >> counter.txt")), { text: "Done." }],
  end: { status: "completed", stopReason: "end_turn", text: "Done." },
  files: {},
};

/** The model may only read, and proposes what it would do. */
const planned: Scenario = {
  name: "planned",
  approval: "auto",
  config: {},
  isPlanned: true,
  script: [
    calls(call("ls", {}), call("propose_plan", { plan: "First this, then that." })),
    { text: "Done." },
  ],
  end: { status: "completed", stopReason: "end_turn", text: "Done." },
  files: {},
};

/** The conversation gets too long: one summary fails, one is made, and one is made as the provider refuses. */
const compacted: Scenario = {
  name: "compacted",
  approval: "auto",
  config: {},
  contextWindow: 2_000,
  script: [
    { text: "word ".repeat(2_000), toolCalls: [count("one")] },
    { error: { status: 500 } },
    calls(count("two")),
    { text: "We counted to two." },
    calls(bash("echo three >> counter.txt; yes and so on | head -c 1600")),
    { error: { status: 413 } },
    { text: "We counted to three." },
    { text: "Done." },
  ],
  end: { status: "completed", stopReason: "end_turn", text: "Done." },
  files: {},
};

/** All of them. */
export const scenarios: readonly Scenario[] = [work, asked, stopped, limited, hooked, planned, compacted];
