/**
 * The process that is killed. It runs one session of a plan to its end, or goes on with it after a kill, and can kill
 * itself right before or right after the n-th append of the session: the log that it hands to the runtime is wrapped.
 *
 *   node driver.mjs PLAN    PLAN is the JSON of `Plan` in victim.ts
 *
 * What the log acknowledged is written to a file before the runtime learns of it. Says `ready` when the session may
 * begin, and how it ended as one line of JSON.
 */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const plan = JSON.parse(process.argv[2] ?? "{}");
const built = (name) => import(pathToFileURL(path.join(plan.dist, name)).href);
const { createRuntime } = await built("index.js");
const { openEventLog } = await built("log/index.js");
const stream = `session-${plan.sessionId}`;
let spoken = false;

/** Says something at each place where an extension may, and forbids one command. */
const watcher = {
  name: "watcher",
  version: "1.0.0",
  hooks: {
    onSessionStart: () => ({ additionalContext: "you are watched" }),
    onTurnStart: () => {
      throw new Error("an observer fails");
    },
    onToolCall: ({ args }) =>
      String(args.command).includes("forbidden") ? { block: "forbidden" } : { additionalContext: "allowed" },
    onToolResult: () => ({ additionalContext: "seen" }),
  },
};

const log = await openEventLog(plan.log);
const runtime = await createRuntime({
  home: plan.home,
  cwd: plan.cwd,
  log: plan.kill === null ? acknowledging(log, null) : acknowledging(log, plan.kill),
  config: {
    runtime: plan.scenario.config,
    models: { scripted: { contextWindow: plan.scenario.contextWindow ?? 1_000_000 } },
  },
  extensions: plan.scenario.isHooked === true ? [watcher] : [],
});
process.stdout.write("ready\n");

const session = await open();
await finish();
const outcome = await session.outcome();
await runtime.close();
await log.close();
process.stdout.write(`${JSON.stringify(outcome)}\n`);

/** The session, started or resumed; what waits for a person is answered as the scenario says. */
async function open() {
  const { script, approval } = plan.scenario;
  const found = (await runtime.sessions.list()).some(({ sessionId }) => sessionId === plan.sessionId);
  const options = { onEvent: react };
  if (found) return runtime.sessions.resume(plan.sessionId, options);
  const text = JSON.stringify({ turns: script });
  return runtime.sessions.start({
    ...options,
    sessionId: plan.sessionId,
    approval,
    script: { path: "script.json", text },
  });
}

/** Does what the scenario wants of the user that is not recorded yet, and waits for the end of the run. */
async function finish() {
  const done = await recordedTypes();
  const { isPlanned = false } = plan.scenario;
  if (isPlanned && !done.has("plan_mode.entered")) await session.planMode.enter();
  if (!done.has("prompt.submitted")) {
    await session.prompt("go");
  } else {
    for (const { id, args } of session.approvals.pending()) await decide(id, args);
    if (session.state().runId !== null) await speak(done);
    await session.outcome();
  }
  if (isPlanned && !(await recordedTypes()).has("plan_mode.exited")) await session.planMode.exit();
  const { reconfigure } = plan.scenario;
  if (reconfigure !== undefined && !(await recordedTypes()).has("session.configured")) {
    await runtime.sessions.resume(plan.sessionId, reconfigure);
  }
}

/** Messages of the user in the middle of the run, when its first command runs. */
async function speak(done) {
  if (spoken) return;
  spoken = true;
  const { steer, followUp, abort } = plan.scenario;
  if (steer !== undefined && !done.has("steer.submitted")) await session.steer(steer);
  if (followUp !== undefined && !done.has("follow_up.submitted")) await session.followUp(followUp);
  if (abort !== undefined && !done.has("abort.requested")) await session.abort(abort);
}

function react(event) {
  if (event.type === "approval_requested") later(() => decide(event.id, event.args));
  // The first output, or the end, of the first command: its process is recorded by then.
  if (event.type === "tool_execution_update") later(() => speak(new Set()));
}

/** Outside the shell's own publishing. A message that comes too late for its run is refused, which is its right. */
function later(work) {
  setImmediate(() => {
    work().catch((error) => {
      if (error.code !== "LEMON_NOT_STREAMING" && error.code !== "LEMON_NOT_FOUND") throw error;
    });
  });
}

async function decide(id, args) {
  const isDenied = String(args?.command).includes("forbidden");
  await session.approvals.resolve(id, isDenied ? "deny" : "allow", isDenied ? "not that" : null);
}

async function recordedTypes() {
  const types = new Set();
  for await (const { type } of session.facts()) types.add(type);
  return types;
}

/** The log, with every acknowledged fact written down, and death at the append that was asked for. */
function acknowledging(inner, kill) {
  let appends = 0;
  const append = async (name, ...rest) => {
    if (name === stream) appends += 1;
    const dies = kill !== null && name === stream && appends === kill.append;
    if (dies && kill.moment === "before") die();
    const facts = await inner.append(name, ...rest);
    const lines = facts.map(({ position, type, hash }) =>
      JSON.stringify({ position, stream: name, type, hash }),
    );
    if (lines.length > 0) appendFileSync(plan.acks, `${lines.join("\n")}\n`);
    if (name === stream && facts.length > 0) {
      appendFileSync(plan.commits, `${JSON.stringify(facts.map(({ type }) => type))}\n`);
    }
    if (dies) die();
    return facts;
  };
  return new Proxy(inner, {
    get(target, name) {
      if (name === "append") return append;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** There is no way back from this signal, so nothing after it runs. */
function die() {
  process.kill(process.pid, "SIGKILL");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
