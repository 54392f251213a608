/**
 * Holds src to the table in .dependency-cruiser.mjs. "No violations" is only believed when every file of src was read:
 * with a compiler that it does not know, dependency-cruiser reads nothing and reports success.
 *
 *   node scripts/layers.mjs [FOLDER]     FOLDER holds src/; default: the repository
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const house = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.resolve(process.argv[2] ?? house);
const files = sources();
const { modules, summary } = cruise();
const problems = [...summary.violations.map(describe), ...unread()];

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(
  `${modules.filter(({ source }) => source.startsWith("src/")).length} files of src keep to their rooms`,
);

function cruise() {
  const bin = path.join(house, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const config = path.join(house, ".dependency-cruiser.mjs");
  const tsConfig = existsSync(path.join(folder, "tsconfig.json"))
    ? []
    : ["--ts-config", path.join(house, "tsconfig.json")];
  const args = [bin, "src", "--config", config, ...tsConfig, "--output-type", "json", "--progress", "none"];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  try {
    return JSON.parse(stdout);
  } catch {
    console.error(`layers: dependency-cruiser gave no report\n${stderr}${stdout}`);
    process.exit(1);
  }
}

function describe({ rule, from, to, cycle }) {
  const comment = summary.ruleSetUsed.forbidden.find(({ name }) => name === rule.name)?.comment ?? "";
  const where =
    cycle === undefined ? `${from} → ${to}` : [from, ...cycle.map((step) => step.name ?? step)].join(" → ");
  return `${where}\n    ${rule.name}: ${comment}`;
}

function sources() {
  return readdirSync(path.join(folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.m?tsx?$/.test(file))
    .map((file) => path.posix.join("src", file.split(path.sep).join("/")));
}

/** Files of src that the report does not mention, and a report in which nothing imports anything. */
function unread() {
  const seen = new Set(modules.map(({ source }) => source));
  const missed = files
    .filter((file) => !seen.has(file) && existsSync(path.join(folder, file)))
    .map((file) => `${file} was not read by dependency-cruiser`);
  const imports = modules.reduce((sum, { dependencies }) => sum + dependencies.length, 0);
  return imports === 0
    ? [...missed, "layers: no import was seen in any file, so nothing was checked"]
    : missed;
}
