/** Judges what a soak left: facts, counters, processes, leases. Gives the faults, in words; none is what there should be. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const ENDS = new Set(
  ["completed", "timed_out", "cancelled", "failed", "lost"].map((end) => `background_run.${end}`),
);
const AFTER_END = new Set(["background_run.text_recorded", "background_run.approval_answered"]);

/** All faults of the runs with these ids. */
export async function judge(runtime, ids, counters) {
  const { log } = runtime;
  const faults = [];
  const figures = {
    completed: 0,
    timeout: 0,
    cancelled: 0,
    failed: 0,
    lost: 0,
    attempts: 0,
    requeued: 0,
    calls: 0,
    interrupted: 0,
  };
  for (const id of ids) {
    const { status, attempt } = await runtime.background.status(id);
    if (!(status in figures)) faults.push(`${id} is ${status}`);
    else figures[status] += 1;
    figures.attempts += attempt;
    const facts = await all(log.read(`background-${id}`));
    faults.push(...lifecycleFaults(id, facts));
    figures.requeued += facts.filter(({ type }) => type === "background_run.requeued").length;
    if (attempt === 0) continue;
    const session = await all(log.read(`session-${id}`));
    if (session.length === 0) continue;
    const calls = callFaults(id, session);
    faults.push(...calls.faults);
    figures.calls += calls.started;
    figures.interrupted += calls.interrupted;
    const { divergences } = await runtime.replay.verify(id);
    for (const { version, kind } of divergences) faults.push(`${id} diverges at ${version}: ${kind}`);
  }
  for (const counter of readdirSync(counters)) {
    const times = readFileSync(path.join(counters, counter), "utf8").split("\n").length - 1;
    if (times !== 1) faults.push(`${counter} ran ${times} times`);
  }
  for await (const { level, code, message } of log.verify())
    faults.push(`verify: ${level} ${code}: ${message}`);
  const jobs = await log.jobs("background");
  for (const { key, isEnding } of jobs) faults.push(`${key} is still in line${isEnding ? ", ending" : ""}`);
  for (const left of leftProcesses(new Set(ids))) faults.push(left);
  return { faults, figures };
}

async function all(facts) {
  const found = [];
  for await (const fact of facts) found.push(fact);
  return found;
}

/** One end, nothing after it, and attempts in their order. */
function lifecycleFaults(id, facts) {
  const faults = [];
  const ends = facts.filter(({ type }) => ENDS.has(type));
  if (ends.length !== 1) faults.push(`${id} has ${ends.length} ends`);
  const end = facts.findIndex(({ type }) => ENDS.has(type));
  for (const { type } of facts.slice(end + 1))
    if (!AFTER_END.has(type)) faults.push(`${id}: ${type} after its end`);
  const attempts = facts
    .filter(({ type }) => type === "background_run.started")
    .map(({ data }) => data.attempt);
  if (attempts.some((attempt, index) => attempt !== index + 1)) faults.push(`${id} has attempts ${attempts}`);
  let isRunning = false;
  for (const { type } of facts) {
    if (type === "background_run.started") {
      if (isRunning) faults.push(`${id} was started while it ran`);
      isRunning = true;
    }
    if (type === "background_run.requeued") isRunning = false;
  }
  return faults;
}

/** Each call that started has one end, and each call of an answer too once the run is over. */
function callFaults(id, facts) {
  const faults = [];
  const open = new Map();
  let started = 0;
  let interrupted = 0;
  for (const { type, data } of facts) {
    if (type === "model.responded") for (const { callId } of data.calls) open.set(callId, 0);
    if (type === "tool_call.started") started += 1;
    if (type === "tool_call.interrupted") interrupted += 1;
    if (["tool_call.completed", "tool_call.blocked", "tool_call.interrupted"].includes(type))
      open.set(data.callId, (open.get(data.callId) ?? 0) + 1);
  }
  for (const [callId, ends] of open) if (ends !== 1) faults.push(`${id}: call ${callId} has ${ends} ends`);
  const runs = facts.filter(({ type }) => type === "prompt.submitted").length;
  const ended = facts.filter(({ type }) => type === "agent.ended").length;
  if (runs !== ended) faults.push(`${id}: ${runs} prompts and ${ended} ends of runs`);
  return { faults, started, interrupted };
}

/** Processes that a call of one of the runs started. */
function leftProcesses(ids) {
  const left = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    let environment;
    try {
      environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    } catch {
      continue;
    }
    const call = environment.split("\0").find((variable) => variable.startsWith("LEMON_CALL="));
    const id = /^LEMON_CALL=session-(bg_[\da-f]{16}):/.exec(call ?? "")?.[1];
    if (id !== undefined && ids.has(id)) left.push(`process ${pid} of ${id} is left`);
  }
  return left;
}
