/**
 * `npm test`: every check of the house, one after the other; stops at the first that fails and names it.
 * Each is also a script of its own in package.json.
 */
import { spawnSync } from "node:child_process";
import { styleText } from "node:util";

const steps = ["format:check", "lint", "types", "layers", "unused", "test:unit"];
const width = Math.max(...steps.map((step) => step.length));
const started = Date.now();

for (const step of steps) {
  const loud = step === "test:unit";
  const label = step.padEnd(width);
  if (loud) console.log(`${paint("bold", label)}`);
  const at = Date.now();
  const output = loud ? "inherit" : "pipe";
  const run = spawnSync("npm", ["run", "--silent", step], {
    stdio: ["ignore", output, output],
    encoding: "utf8",
  });
  const seconds = `${((Date.now() - at) / 1000).toFixed(1)} s`;
  if (run.status === 0) {
    console.log(`${paint("bold", label)}  ${paint("green", "ok")}  ${paint("dim", seconds)}`);
    continue;
  }
  console.log(`${paint("bold", label)}  ${paint("red", "failed")}  ${paint("dim", seconds)}`);
  if (!loud) process.stdout.write(`\n${run.stdout ?? ""}${run.stderr ?? ""}`);
  console.error(`\n${paint("red", `npm test stopped at ${step}.`)} To see only this step: npm run ${step}`);
  process.exit(1);
}
console.log(
  `\n${paint("green", "All checks passed")} ${paint("dim", `in ${((Date.now() - started) / 1000).toFixed(0)} s`)}`,
);

function paint(style, text) {
  return styleText(style, text, { stream: process.stdout });
}
