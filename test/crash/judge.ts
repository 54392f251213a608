/** What must hold after a kill, and after the session was resumed. Each broken promise is a sentence; none is best. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Fact, FactData } from "../../src/events/index.ts";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { verifyReplay } from "../../src/replay/index.ts";
import type { Ending, Victim } from "./victim.ts";
import { linesOf } from "./victim.ts";

const COUNTER = "counter.txt";

/** What the log of a killed session holds. */
export interface Remains {
  readonly broken: readonly string[];
  /** Facts of the session, oldest first. */
  readonly facts: readonly Fact[];
}

/** Looks at the log right after the kill, before anybody goes on with it. */
export async function afterKill(victim: Victim): Promise<Remains> {
  return onLog(victim, async (log, facts) => [
    ...(await findingsOf(log)),
    ...(await lostFacts(log, victim)),
    ...(await divergencesOf(log, victim, facts)),
  ]);
}

/** Looks at log and files when the session has come to its end. */
export async function afterResume(victim: Victim, ending: Ending, before: readonly Fact[]): Promise<Remains> {
  return onLog(victim, async (log, facts) => [
    ...wrongEnding(victim, ending),
    ...(await findingsOf(log)),
    ...(await lostFacts(log, victim)),
    ...before
      .filter(({ hash }, index) => facts[index]?.hash !== hash)
      .map(({ type }) => `${type} was changed`),
    ...(await divergencesOf(log, victim, facts)),
    ...wrongCalls(facts),
    ...wrongFiles(victim),
    ...wrongCounts(victim, facts),
  ]);
}

async function onLog(
  victim: Victim,
  look: (log: EventLog, facts: readonly Fact[]) => Promise<string[]>,
): Promise<Remains> {
  // A process that died before its first commit may have left no log at all.
  if (!existsSync(victim.log)) return { broken: [], facts: [] };
  const log = await openEventLog(victim.log, { readOnly: true, onWarning: () => undefined });
  try {
    const facts: Fact[] = [];
    for await (const fact of log.read(`session-${victim.sessionId}`)) facts.push(fact);
    return { broken: await look(log, facts), facts };
  } finally {
    await log.close();
  }
}

async function findingsOf(log: EventLog): Promise<string[]> {
  const found: string[] = [];
  for await (const { code, message } of log.verify()) found.push(`verify: ${code}: ${message}`);
  return found;
}

async function lostFacts(log: EventLog, victim: Victim): Promise<string[]> {
  const hashes = new Map<number, string>();
  for await (const { position, hash } of log.readAll()) hashes.set(position, hash);
  return victim
    .acknowledged()
    .filter(({ position, hash }) => hashes.get(position) !== hash)
    .map(({ position, type }) => `${type} was acknowledged at ${position} and is not there`);
}

async function divergencesOf(log: EventLog, victim: Victim, facts: readonly Fact[]): Promise<string[]> {
  if (facts.length === 0) return [];
  const report = await verifyReplay(log, victim.sessionId);
  const wrong = report.facts === facts.length ? [] : [`replay took ${report.facts} of ${facts.length} facts`];
  return [...wrong, ...report.divergences.map((divergence) => `replay: ${JSON.stringify(divergence)}`)];
}

function wrongEnding({ scenario }: Victim, { status, outcome, stderr }: Ending): string[] {
  if (status !== 0 || outcome === null) return [`the resumed process ended with ${status}: ${stderr}`];
  const { end } = scenario;
  const isRight =
    outcome.status === end.status && outcome.stopReason === end.stopReason && outcome.text === end.text;
  return isRight ? [] : [`the run ended as ${JSON.stringify(outcome)}`];
}

const ENDS = new Set(["tool_call.completed", "tool_call.blocked", "tool_call.interrupted"]);

/** Each call that a model asked for comes to exactly one end. */
function wrongCalls(facts: readonly Fact[]): string[] {
  const ends = new Map<string, number>();
  for (const { type, data } of facts) {
    if (type === "model.responded") {
      for (const { callId } of (data as FactData<"model.responded">).calls) ends.set(callId, 0);
    } else if (ENDS.has(type)) {
      const { callId } = data as { callId: string };
      ends.set(callId, (ends.get(callId) ?? Number.NaN) + 1);
    }
  }
  return [...ends].filter(([, count]) => count !== 1).map(([callId, count]) => `${callId} has ${count} ends`);
}

/** The target of a write is whole at any time, and what a cut-off write left beside it is gone when the session has gone on. */
function wrongFiles({ cwd, scenario }: Victim): string[] {
  const names = readdirSync(cwd).filter((name) => name !== COUNTER);
  const found = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(cwd, name), "utf8")]));
  return JSON.stringify(found) === JSON.stringify(scenario.files) ? [] : [`files: ${JSON.stringify(found)}`];
}

/** No command ran twice; one that completed ran, one that was blocked did not, one that was interrupted may have. */
function wrongCounts(victim: Victim, facts: readonly Fact[]): string[] {
  const lines = linesOf(path.join(victim.cwd, COUNTER));
  const broken: string[] = [];
  const expected = new Set<string>();
  for (const { type, data } of facts) {
    if (type !== "model.responded") continue;
    for (const { callId, args } of (data as FactData<"model.responded">).calls) {
      const line = /echo (\w+) >> counter/.exec(
        typeof args?.["command"] === "string" ? args["command"] : "",
      )?.[1];
      if (line === undefined) continue;
      expected.add(line);
      const count = lines.filter((each) => each === line).length;
      const end = facts.find(
        (fact) => ENDS.has(fact.type) && (fact.data as { callId: string }).callId === callId,
      );
      if (!allowedCounts(end).includes(count))
        broken.push(`${line} ran ${count} times and its call is ${end?.type}`);
    }
  }
  return [
    ...broken,
    ...lines.filter((line) => !expected.has(line)).map((line) => `nobody asked for ${line}`),
  ];
}

function allowedCounts(end: Fact | undefined): readonly number[] {
  switch (end?.type) {
    case "tool_call.completed":
      // One that the user stopped may not have come to its line.
      return (end.data as FactData<"tool_call.completed">).reason === "aborted" ? [0, 1] : [1];
    case "tool_call.interrupted":
      return [0, 1];
    default:
      return [0];
  }
}
