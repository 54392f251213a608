/**
 * A whole agent over a real socket, each in a fresh process: 50 calls of write, read, edit and bash, against a bare
 * fetch loop that does the same tool work and commits strictly. CPU is that of the process from the prompt to the
 * outcome, without loading its modules and without its commands, which are the same for both.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { compare, figure, median, ratioAtMost, valueAtMost } from "../lib/compare.mjs";
import { freshFolder, isShort } from "../lib/place.mjs";
import { storedBytes } from "../subjects/report.mjs";

const CALLS = 50;
const mockModel = new URL("../subjects/mock-model.mjs", import.meta.url);
const agents = {
  lemon: new URL("../subjects/lemon-agent.mjs", import.meta.url),
  bare: new URL("../subjects/bare-agent.mjs", import.meta.url),
};

export async function measure() {
  const resident = [];
  const stored = [];
  const whole = { lemon: [], bare: [] };
  const agent = async (subject) => {
    const result = await runAgent(subject, CALLS);
    whole[subject].push(result.wholeMs);
    if (subject === "lemon") {
      resident.push(result.residentMb);
      stored.push(result.stored / 1_000);
    }
    return result.workMs;
  };
  const rounds = isShort ? 1 : 5;
  const measured = await compare(
    () => agent("lemon"),
    () => agent("bare"),
    { rounds, warmups: 0 },
  );
  const [half, double] = [await runAgent("lemon", CALLS / 2), await runAgent("lemon", CALLS * 2)];
  const first = (median(stored) * 1_000 - half.stored) / (CALLS / 2);
  const second = (double.stored - median(stored) * 1_000) / CALLS;
  const wholeRatio = median(whole.lemon) / median(whole.bare);
  const note = `with start and modules ${wholeRatio.toFixed(2)} times`;
  return [
    figure({ name: `agent of ${CALLS} calls, CPU`, unit: "ms", ...measured, goal: ratioAtMost(1.5), note }),
    figure({
      name: `agent of ${CALLS} calls, resident`,
      unit: "MB",
      value: median(resident),
      goal: valueAtMost(146),
    }),
    figure({
      name: `agent of ${CALLS} calls, stored`,
      unit: "KB",
      value: median(stored),
      goal: valueAtMost(100),
    }),
    figure({
      name: "stored a call, 51st to 100th over 26th to 50th",
      unit: "bytes",
      value: second,
      floor: first,
      ratio: second / first,
      goal: ratioAtMost(1.1),
    }),
  ];
}

async function runAgent(subject, calls) {
  const folder = freshFolder(subject);
  const server = forkSubject(mockModel, [String(calls)]);
  const [port] = await once(server, "message");
  const agent = forkSubject(agents[subject], [folder, String(port), String(calls)]);
  const exited = once(agent, "exit");
  const [result] = await Promise.race([once(agent, "message"), exited.then(() => [null])]);
  const [status] = await exited;
  server.disconnect();
  if (status !== 0 || result === null) throw new Error(`${subject}-agent ended with status ${status}`);
  return { ...result, stored: storedBytes(result.log) };
}

function forkSubject(file, args) {
  // Not the flags of this process: the subjects run as their users would run them.
  return fork(file, args, { execArgv: [] });
}
