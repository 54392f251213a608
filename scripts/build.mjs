/**
 * Compiles src to dist, builds the page (page.mjs), and gathers the rooms between the command and a log (gather.mjs). The result is built beside
 * the old one and takes its place in one rename, so a command that runs meanwhile never sees half a build.
 *
 *   node scripts/build.mjs              fails, and leaves the old dist, when a type is wrong
 *   node scripts/build.mjs --no-check   emits without looking at types; the tests use it, `npm run types` checks
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gatherRooms, gatherWorker } from "./gather.mjs";
import { buildPage } from "./page.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const cache = path.join(root, "node_modules/.cache/lemon-build");
const fresh = path.join(cache, `new-${process.pid}`);
const stale = path.join(cache, `old-${process.pid}`);

mkdirSync(cache, { recursive: true });
try {
  compile();
  writeMachineVersion();
  await gatherWorker(fresh);
  await gatherRooms(fresh);
  await buildPage(fresh);
  makeExecutable();
  takePlace();
} finally {
  rmSync(fresh, { recursive: true, force: true });
  rmSync(stale, { recursive: true, force: true });
}

function compile() {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const noCheck = process.argv.includes("--no-check") ? ["--noCheck"] : [];
  const options = ["-p", path.join(root, "tsconfig.json"), "--outDir", fresh, "--noEmitOnError", ...noCheck];
  const { status } = spawnSync(process.execPath, [tsc, ...options], { cwd: root, stdio: "inherit" });
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    process.exit(1);
  }
}

/** Another build may do the same at this moment; the last one wins. */
function takePlace(attempts = 5) {
  try {
    rmSync(stale, { recursive: true, force: true });
    if (existsSync(dist)) renameSync(dist, stale);
    renameSync(fresh, dist);
  } catch (error) {
    if (attempts === 1) throw error;
    takePlace(attempts - 1);
  }
}

/**
 * What decides is the machines, the cascade, and all that they import: a change of any of it makes stored states of
 * actors worthless. Its SHA-256 goes where the source says "unbuilt".
 */
function writeMachineVersion() {
  const file = path.join(fresh, "actors/machine-version.js");
  if (!existsSync(file)) return;
  const machines = readdirSync(fresh, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^|[\\/])(machine|cascade)\.js$/.test(name),
  );
  const deciding = closure(machines.map((name) => path.join(fresh, name)));
  const hash = createHash("sha256");
  for (const module of deciding)
    hash.update(`${path.relative(fresh, module)}\n`).update(readFileSync(module));
  const text = readFileSync(file, "utf8");
  if (text.split('"unbuilt"').length !== 2)
    throw new Error('build: machine-version.ts must hold "unbuilt" once');
  writeFileSync(file, text.replace('"unbuilt"', JSON.stringify(hash.digest("hex"))));
}

/** The modules and, through their relative imports, all that they load; sorted. */
function closure(modules) {
  const known = new Set();
  const waiting = [...modules];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (known.has(module)) continue;
    known.add(module);
    for (const [, target] of readFileSync(module, "utf8").matchAll(
      /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g,
    )) {
      waiting.push(path.resolve(path.dirname(module), target));
    }
  }
  return [...known].sort((a, b) => (a < b ? -1 : 1));
}

function makeExecutable() {
  const { bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  for (const file of Object.values(bin)) {
    const built = path.join(fresh, path.relative("dist", file));
    if (!existsSync(built)) {
      console.error(`build: ${file} is named in package.json "bin" but src has no source for it`);
      continue;
    }
    if (!readFileSync(built, "utf8").startsWith("#!/usr/bin/env node\n")) {
      throw new Error(`build: ${file} must begin with "#!/usr/bin/env node"`);
    }
    chmodSync(built, 0o755);
  }
}
