/**
 * Compiles src to dist. The result is built beside the old one and takes its place in one rename, so a command that
 * runs meanwhile never sees half a build.
 *
 *   node scripts/build.mjs              fails, and leaves the old dist, when a type is wrong
 *   node scripts/build.mjs --no-check   emits without looking at types; the tests use it, `npm run types` checks
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const cache = path.join(root, "node_modules/.cache/lemon-build");
const fresh = path.join(cache, `new-${process.pid}`);
const stale = path.join(cache, `old-${process.pid}`);

mkdirSync(cache, { recursive: true });
try {
  compile();
  makeExecutable();
  if (existsSync(dist)) renameSync(dist, stale);
  renameSync(fresh, dist);
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
