/**
 * Measures the built package against floors that are measured in the same run, and prints a table.
 *
 *   npm run bench                      everything; several minutes
 *   npm run bench -- --short           a tenth of the data: does it all still run? LEMON_BENCH=smoke says the same
 *   npm run bench -- --only append     one measure, or several with commas between
 *   npm run bench -- --json            the figures as JSON on stdout, the table on stderr
 *
 * The figures also go to bench/results/. A goal that is not met is shown and does not fail the run: it is for people to
 * judge, on a quiet machine. docs/explanation/performance.md
 */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { table } from "./lib/table.mjs";
import { measures } from "./measures.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    short: { type: "boolean", default: process.env["LEMON_BENCH"] === "smoke" },
    json: { type: "boolean", default: false },
    only: { type: "string" },
  },
});
const names = options.only?.split(",") ?? Object.keys(measures);
const unknown = names.filter((name) => !Object.hasOwn(measures, name));
if (unknown.length > 0) {
  console.error(`no measure ${unknown.join(", ")}; there are: ${Object.keys(measures).join(", ")}`);
  process.exit(2);
}

buildIfStale();
const folder = mkdtempSync(path.join(tmpdir(), "lemon-bench-"));
let figures = [];
try {
  for (const name of names) {
    // The others are still worth having, after minutes of measuring.
    try {
      figures = [...figures, ...(await take(name))];
    } catch (error) {
      console.error(error.message);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const results = {
  at: new Date().toISOString(),
  short: options.short,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processors: cpus().length,
  figures,
};
writeResults(results);
console[options.json ? "error" : "log"](table(figures));
if (options.json) console.log(JSON.stringify(results, null, 2));

async function take(name) {
  console.error(`${name} …`);
  const child = fork(path.join(root, "bench/measure.mjs"), [name], {
    execArgv: ["--expose-gc"],
    env: { ...process.env, LEMON_BENCH_FOLDER: folder, LEMON_BENCH: options.short ? "smoke" : "full" },
  });
  let taken = [];
  child.once("message", (message) => (taken = message));
  const [status] = await once(child, "exit");
  if (status !== 0) throw new Error(`${name} failed with status ${status}`);
  return taken;
}

function writeResults(found) {
  const results = path.join(root, "bench/results");
  mkdirSync(results, { recursive: true });
  writeFileSync(
    path.join(results, `${found.at.replaceAll(":", "-")}.json`),
    `${JSON.stringify(found, null, 2)}\n`,
  );
}

/** The source is newer than what was built from it, or nothing was built yet. */
function buildIfStale() {
  const built = path.join(root, "dist/index.js");
  const source = path.join(root, "src");
  const newest = Math.max(
    ...readdirSync(source, { recursive: true }).map((file) => statSync(path.join(source, file)).mtimeMs),
  );
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return;
  const { status } = spawnSync(process.execPath, [path.join(root, "scripts/build.mjs")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(1);
}
