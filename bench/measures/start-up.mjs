/** From the shell to the exit of the process: the command against a Node that does nothing. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compare, figure, millisecondsOf, ratioAtMost } from "../lib/compare.mjs";
import { noOpRuntime } from "../lib/no-op.mjs";
import { freshFolder, scaled } from "../lib/place.mjs";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export async function measure() {
  if (!existsSync(command)) return [];
  const home = freshFolder("start-up");
  const sessionId = await smallSession(home);
  const cases = [
    { args: ["--version"], goal: 1.3 },
    { args: ["sessions"], goal: 2.2 },
    { args: ["facts", sessionId], goal: 2.2 },
  ];
  const figures = [];
  for (const { args, goal } of cases) {
    const measured = await compare(
      () => millisecondsOf(() => run([command, ...args], home)),
      () => millisecondsOf(() => run(["-e", "0"], home)),
      { rounds: scaled(21) },
    );
    figures.push(figure({ name: `lemon ${args[0]}`, unit: "ms", ...measured, goal: ratioAtMost(goal) }));
  }
  return figures;
}

/** A session of one run, about as long as an afternoon's question. */
async function smallSession(home) {
  const runtime = await noOpRuntime(home, path.join(home, "log.db"), "relaxed", { turns: 10, calls: 1 });
  const session = await runtime.sessions.start({ model: "bench/no-op" });
  await session.prompt("Look at all files.");
  await runtime.close();
  return session.id;
}

function run(args, home) {
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, LEMON_HOME: home },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with status ${status}: ${stderr}`);
}
