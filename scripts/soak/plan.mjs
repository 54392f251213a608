/** What the runs of the soak do: random work, with a counter for each command that must never run twice. */
import path from "node:path";

/** Numbers in [0, 1) that a seed decides (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Which of some. */
export const pick = (random, values) => values[Math.floor(random() * values.length)];

/** The plan of a run: who works on it, and the script of its model. */
export function planOf(random, name, counters) {
  const turns = [];
  const length = 2 + Math.floor(random() * 4);
  for (let turn = 0; turn < length; turn += 1) {
    const toolCalls = [];
    for (let call = 0; call < 1 + Math.floor(random() * 2); call += 1)
      toolCalls.push(callOf(random, `${name}-${turn}-${call}`, counters));
    const delayMs = random() < 0.3 ? Math.floor(random() * 800) : 0;
    turns.push({ text: `Turn ${turn} of ${name}.`, toolCalls, ...(delayMs > 0 ? { delayMs } : {}) });
  }
  const fault = random();
  if (fault < 0.05) turns.push({ error: { status: 400 } });
  else if (fault < 0.1) turns.push({ text: "   " });
  else turns.push({ text: `The answer of ${name}.` });
  return {
    name,
    worker: random() < 0.6 ? "detached" : "inProcess",
    onRestart: random() < 0.9 ? "resume" : "lost",
    timeoutMs: random() < 0.05 ? 500 : 600_000,
    script: { turns },
  };
}

function callOf(random, tag, counters) {
  const counter = path.join(counters, tag);
  const count = `echo ran >> '${counter}'`;
  const sleep = (random() * 1.5).toFixed(2);
  switch (pick(random, ["count", "slow", "tree", "write", "read", "deaf"])) {
    case "count":
      return { name: "bash", args: { command: count } };
    case "slow":
      return { name: "bash", args: { command: `${count}; sleep ${sleep}; echo done` } };
    case "tree":
      // Children of children, which are to end with the call that started them.
      return { name: "bash", args: { command: `${count}; sh -c 'sleep ${sleep}; sleep 0.3' ; sleep 0.1` } };
    case "deaf":
      return { name: "bash", args: { command: `trap '' TERM; ${count}; sleep ${sleep}` } };
    case "write":
      return { name: "write", args: { path: `${tag}.txt`, content: `${tag}\n` } };
    case "read":
      return { name: "ls", args: {} };
    default:
      throw new Error("no such work");
  }
}
