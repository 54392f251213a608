/**
 * A program that asks for background runs, one after the other, and works on those that are to be done in its own process.
 * It is killed at any moment: what it asked for is in the log.
 *
 *   node parent.mjs HOME WORKSPACE PLAN     PLAN: JSON lines on standard input, `{ name, worker, script, onRestart, timeoutMs }`
 */
import { createInterface } from "node:readline";
import { createRuntime } from "../../dist/index.js";

const [home, cwd] = process.argv.slice(2);
const runtime = await createRuntime({ home, cwd });
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { name, worker, script, onRestart, timeoutMs } = JSON.parse(line);
  const { id } = await runtime.background.start(`Do the work of ${name}`, {
    worker,
    onRestart,
    timeoutMs,
    script: { path: `${name}.json`, text: JSON.stringify(script) },
  });
  process.stdout.write(`${JSON.stringify({ name, id })}\n`);
}
