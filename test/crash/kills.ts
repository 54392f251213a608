/** The kills: one session each, killed once or twice, resumed, and judged. */
import { existsSync } from "node:fs";
import type { Fact } from "../../src/events/index.ts";
import { openEventLog } from "../../src/log/index.ts";
import { afterKill, afterResume } from "./judge.ts";
import type { Scenario } from "./scenarios.ts";
import { Victim, type Ending, type KillPoint } from "./victim.ts";

/** One kill of a session, or one and another while it was resumed. */
export type Kill =
  | { readonly how: "boundary"; readonly scenario: Scenario; readonly points: readonly KillPoint[] }
  | { readonly how: "seen"; readonly scenario: Scenario; readonly type: string }
  | { readonly how: "random"; readonly scenario: Scenario; readonly afterMs: number };

/** What came of it. */
export interface Verdict {
  readonly kill: Kill;
  /** False when the process had ended before the signal came. */
  readonly wasKilled: boolean;
  /** Types of the last commit that stood in the log when the last killed process died. */
  readonly lastCommit: readonly string[];
  /** The first thing that the session recorded when it went on; `null` when it had nothing left to do. */
  readonly nextType: string | null;
  readonly broken: readonly string[];
}

/** The types that each commit of an undisturbed run holds. @throws Error when it does not come to its end */
export async function undisturbed(
  dist: string,
  scenario: Scenario,
): Promise<{ commits: string[][]; ms: number }> {
  const victim = new Victim(dist, scenario);
  try {
    let readyAt = 0;
    const ending = await victim.run({ onReady: () => (readyAt = performance.now()) });
    const ms = performance.now() - readyAt;
    const { broken } = await afterResume(victim, ending, []);
    if (broken.length > 0) throw new Error(`${scenario.name}: ${broken.join("; ")}`);
    return { commits: victim.commits(), ms };
  } finally {
    victim.remove();
  }
}

/** Kills, looks, resumes, looks again. */
async function carryOut(kill: Kill, dist: string): Promise<Verdict> {
  const victim = new Victim(dist, kill.scenario);
  try {
    const broken: string[] = [];
    let before: readonly Fact[] = [];
    let wasKilled = true;
    for (const die of deathsOf(kill, victim)) {
      const { signal, status, stderr } = await die();
      wasKilled &&= signal === "SIGKILL";
      if (signal !== "SIGKILL" && status !== 0) broken.push(`the process ended with ${status}: ${stderr}`);
      const remains = await afterKill(victim);
      broken.push(...remains.broken);
      before = remains.facts;
    }
    const lastCommit = victim.commits().at(-1) ?? [];
    const after = await afterResume(victim, await victim.run(), before);
    const nextType = after.facts[before.length]?.type ?? null;
    return { kill, wasKilled, lastCommit, nextType, broken: [...broken, ...after.broken] };
  } finally {
    victim.remove();
  }
}

function deathsOf(kill: Kill, victim: Victim): (() => Promise<Ending>)[] {
  switch (kill.how) {
    case "boundary":
      return kill.points.map((point) => () => victim.run({ kill: point }));
    case "seen":
      return [() => killWhenSeen(victim, kill.type)];
    case "random":
      return [
        // The one place where time decides: a random moment is what is asked for.
        () => victim.run({ onReady: (end) => void setTimeout(end, kill.afterMs) }),
      ];
  }
}

/** Follows the log from this process, as `lemon facts --follow` does, and kills at the first fact of the type. */
async function killWhenSeen(victim: Victim, type: string): Promise<Ending> {
  let stop = (): void => undefined;
  const follow = async (end: () => void): Promise<void> => {
    const log = await openEventLog(victim.log, { readOnly: true });
    const subscription = log.follow({ stream: `session-${victim.sessionId}` }).subscribe({
      next: (fact) => {
        if (fact.type === type) end();
      },
      error: end,
    });
    stop = () => {
      subscription.unsubscribe();
      void log.close();
    };
  };
  let following: Promise<void> = Promise.resolve();
  const ending = await victim.run({ onReady: (end) => void (following = follow(end)) });
  await following;
  stop();
  if (!existsSync(victim.log)) throw new Error("the log is gone");
  return ending;
}

/** Carries all of them out, a few at a time, and reports each as it is done. */
export async function carryOutAll(
  kills: readonly Kill[],
  dist: string,
  options: { readonly atOnce: number; readonly onVerdict?: (verdict: Verdict) => void },
): Promise<Verdict[]> {
  const waiting = [...kills.entries()];
  const verdicts: Verdict[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const verdict = await carryOut(next[1], dist);
      verdicts[next[0]] = verdict;
      options.onVerdict?.(verdict);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
  return verdicts;
}
