/** The demo, act by act. Each says what happened, or throws what did not hold. */
import { rmSync } from "node:fs";
import path from "node:path";
import type { Output } from "../output.ts";
import { lemonFile } from "../lemon-file.ts";
import { runNode, type Ended, type Line } from "./child.ts";
import { attemptsOf, borrowConfiguration, makeProject, TASK, type Project } from "./project.ts";

/** What the command line says. */
export interface DemoFlags {
  /** `null`: the script. */
  readonly model: string | null;
  /** Keep the project too, not only the log. */
  readonly keep: boolean;
}

/** Plays the demo. @throws Error naming the first thing that did not hold */
export async function runDemo(out: Output, flags: DemoFlags): Promise<void> {
  const project = makeProject();
  const say = (act: string, text: string): void => out.line(`${out.paint("bold", act.padEnd(8))}${text}`);
  const lemon = (...args: string[]): Promise<Ended> =>
    runNode([lemonFile, "--home", project.home, "--json", ...args]);
  try {
    if (flags.model !== null) borrowConfiguration(project);
    hold((await test(project)).status !== 0, "the test of the new project should fail");
    say("project", "a shopping cart whose one test fails (node --test)");

    const id = await killInTheMiddle(project, flags);
    const before = await factsOf(lemon, id);
    const last = before.at(-1);
    say("run", `session ${id} worked: ${callsIn(before).join(", ")}`);
    say("kill", `SIGKILL while its bash call ran; the log ends at fact ${before.length}, ${last?.type}`);

    const resumed = await lemon("resume", id);
    hold(resumed.status === 0, `lemon resume ended with ${resumed.status}`, resumed);
    const facts = await factsOf(lemon, id);
    const interruption = facts.find(({ type }) => type === "tool_call.interrupted");
    hold(interruption !== undefined, "the killed call should be recorded as interrupted");
    hold(
      before.every(({ hash }, index) => facts[index]?.["hash"] === hash),
      "a fact that stood before the kill was changed",
    );
    say(
      "resume",
      `fact ${String(interruption["version"])}: the call is told to the model as interrupted; the run went on to its end`,
    );

    if (flags.model === null) {
      hold(attemptsOf(project) === 1, `the killed command was begun ${attemptsOf(project)} times, not once`);
      say("once", "the killed command was begun once, and not run again (its counter file says so)");
    }
    hold((await test(project)).status === 0, "the test of the project should pass now");
    say("test", "node --test passes");
    say("replay", await replayed(lemon, id));
    sayWhatNext(out, project, id, { at: before.length, keep: flags.keep });
  } finally {
    // The log is kept: what to try next looks at it.
    if (!flags.keep)
      for (const place of [project.work, project.script, project.attempts])
        rmSync(place, { recursive: true, force: true });
  }
}

/** Starts the session in a process of its own and kills it while bash runs. @returns the session's id */
async function killInTheMiddle(project: Project, { model }: DemoFlags): Promise<string> {
  const how = model === null ? ["--script", project.script] : ["--model", model];
  const args = [
    lemonFile,
    "--home",
    project.home,
    "--cwd",
    project.work,
    "--json",
    "run",
    TASK,
    "--approve",
    "auto",
    ...how,
  ];
  const running = new Set<unknown>();
  const ended = await runNode(args, {
    onLine: ({ type, toolCallId, toolName }, kill) => {
      if (type === "tool_execution_start" && toolName === "bash") running.add(toolCallId);
      // Its first words: the command has left its mark by then.
      if (type === "tool_execution_update" && running.has(toolCallId)) kill();
    },
  });
  hold(
    ended.signal === "SIGKILL",
    `the run ended by itself, with ${ended.status}: no bash call to kill it in`,
    ended,
  );
  return String(ended.lines.find(({ type }) => type === "header")?.["sessionId"]);
}

async function replayed(lemon: (...args: string[]) => Promise<Ended>, id: string): Promise<string> {
  const replay = await lemon("replay", id);
  hold(replay.status === 0, "the replay diverged", replay);
  const verify = await lemon("verify");
  hold(verify.status === 0, "lemon verify found something", verify);
  const [report] = replay.lines;
  return `${String(report?.["facts"])} facts decided again, 0 divergences; lemon verify finds nothing`;
}

function sayWhatNext(
  out: Output,
  { folder, home }: Project,
  id: string,
  { at, keep }: { at: number; keep: boolean },
): void {
  const lemon = `node ${path.relative(process.cwd(), lemonFile)} --home ${home}`;
  out.line("");
  out.line(
    `Try next (${keep ? "everything is in" : "the log is kept in"} ${folder}; remove it when you are done):`,
  );
  out.line(`  ${lemon} show ${id}            # the conversation`);
  out.line(`  ${lemon} show ${id} --at ${at}    # the session at the moment of the kill`);
  out.line(`  ${lemon} facts ${id} --from ${at}  # what resuming recorded`);
  out.line(`  ${lemon} replay ${id}`);
}

async function test({ work }: Project): Promise<Ended> {
  return runNode(["--test"], { cwd: work });
}

async function factsOf(lemon: (...args: string[]) => Promise<Ended>, id: string): Promise<readonly Line[]> {
  const facts = await lemon("facts", id);
  hold(facts.status === 0, `lemon facts ended with ${facts.status}`, facts);
  return facts.lines;
}

/** Names of the calls that ran, in order. */
function callsIn(facts: readonly Line[]): string[] {
  return facts
    .filter(({ type }) => type === "tool_call.started")
    .map(({ data }) => String((data as { readonly name?: string }).name));
}

function hold(condition: boolean, what: string, ended?: Ended): asserts condition {
  if (condition) return;
  throw new Error(ended === undefined || ended.stderr === "" ? what : `${what}\n${ended.stderr.trimEnd()}`);
}
