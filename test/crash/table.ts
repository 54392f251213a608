/** The crash matrix as a page, and as text for a terminal. */
import type { Verdict } from "./kills.ts";

interface Row {
  readonly type: string;
  kills: number;
  held: number;
  readonly next: Set<string>;
}

/** One row a kind of fact: what stood last in the log, or was about to, when the process died. */
function rowsOf(verdicts: readonly Verdict[], typeOf: (verdict: Verdict) => readonly string[]): Row[] {
  const rows = new Map<string, Row>();
  for (const verdict of verdicts) {
    for (const type of new Set(typeOf(verdict))) {
      const row = rows.get(type) ?? { type, kills: 0, held: 0, next: new Set<string>() };
      row.kills += 1;
      row.held += verdict.broken.length === 0 ? 1 : 0;
      row.next.add(verdict.nextType === null ? "nothing was left to do" : `\`${verdict.nextType}\``);
      rows.set(type, row);
    }
  }
  return [...rows.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

const held = ({ kills, held: whole }: Row): string => (kills === whole ? "all" : `${whole} of ${kills}`);

/** docs/reference/crash-matrix.md. Holds no date and no duration. */
export function renderPage(verdicts: readonly Verdict[], seed: number): string {
  const once = verdicts.filter(({ kill }) => kill.how === "boundary" && kill.points.length === 1);
  const after = once.filter(({ kill }) => kill.how === "boundary" && kill.points[0]?.moment === "after");
  const before = once.filter((verdict) => !after.includes(verdict));
  const twice = verdicts.filter(({ kill }) => kill.how === "boundary" && kill.points.length === 2);
  const seen = verdicts.filter(({ kill }) => kill.how === "seen");
  const random = verdicts.filter(({ kill }) => kill.how === "random");
  const sound = verdicts.filter(({ broken }) => broken.length === 0).length;
  return `# Crash matrix

What happens to a session whose process is killed with SIGKILL: at every boundary between two commits, at every kind of
fact, a second time while it is being resumed, and at random moments. This page is made by
\`node scripts/crash-matrix.mjs\`, which takes some minutes; \`npm run test:long\` does the same without writing it.

**${verdicts.length} kills, ${sound} sound.** A kill is sound when all of this holds:

- right after the kill, \`verify\` finds nothing, every fact that the log had acknowledged is there with the same hash, and
  the replay has no divergence;
- the resumed session comes to the same end and the same files as one that nobody killed, and exits with 0;
- afterwards again: \`verify\` finds nothing, no fact of before was changed, the replay has no divergence;
- each tool call has exactly one end;
- a counter file, to which each command appends a line of its own, shows that no command ran twice. A command that
  completed ran once; one that was interrupted ran once or not at all, and its model was told so.

No file is left behind either: \`write\`, \`edit\` and \`patch\` write a sibling of the file, \`.lemon-<16 digits>.tmp\`, and rename it,
so that the file itself is whole at any time. A kill between the two leaves the sibling until the session is resumed.

The sessions (test/crash/scenarios.ts): *work* writes, edits and reads files, runs commands, gets a 503 from its model and a
steering and a following-up message from its user; *asked* waits for a person who allows one command and refuses another;
*stopped* is aborted while a command runs; *limited* ends at its limit of tool turns; in *hooked* an extension in a worker
judges each call; in *planned* the model may only read, and proposes a plan; in *compacted* the conversation gets too long for
its model, three times.

## At every kind of fact

The process kills itself when the commit that holds the fact has become durable, before the runtime learns of it. The
last column is what the resumed session recorded first: how it settled what was open.

${table(
  ["Killed right after", "Kills", "Sound", "The resumed session began with"],
  rowsOf(after, ({ lastCommit }) => lastCommit).map((row) => [
    `\`${row.type}\``,
    String(row.kills),
    held(row),
    [...row.next].sort().join(", "),
  ]),
)}

A commit holds several facts, so one kill counts in several rows.

## All kills

${table(
  ["Killed", "Kills", "Sound"],
  (
    [
      ["right after a commit became durable", after],
      ["right before a commit, when its effects had happened and nothing of it was recorded", before],
      ["twice: with something open, then around the first commit of the resume", twice],
      ["from outside, when another process that follows the log saw the first fact of a kind", seen],
      [`at a random moment of *work* (seed ${seed})`, random],
    ] as const
  ).map(([what, kills]) => [
    what,
    String(kills.length),
    String(kills.filter(({ broken }) => broken.length === 0).length),
  ]),
)}
`;
}

/** What a person at a terminal sees: one line a kind of kill, and every broken promise. */
export function renderSummary(verdicts: readonly Verdict[]): string {
  const lines = rowsOf(verdicts, ({ kill, lastCommit }) => [
    `${kill.how.padEnd(9)} ${kill.how === "random" ? "" : (lastCommit.at(-1) ?? "nothing recorded")}`,
  ]).map((row) => `${row.type.padEnd(44)} ${String(row.kills).padStart(4)}  ${held(row)}`);
  const late = verdicts.filter(({ wasKilled }) => !wasKilled).length;
  return [...lines, `${verdicts.length} kills, ${late} of them after the process had ended`].join("\n");
}
