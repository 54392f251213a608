/**
 * Runs the whole crash matrix and writes docs/reference/crash-matrix.md from what it showed.
 *
 *   node scripts/crash-matrix.mjs          some minutes on two cores; fails when a kill is not sound
 */
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const page = path.join(root, "docs/reference/crash-matrix.md");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/crash", "--typecheck=false"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, LEMON_SOAK: "full", LEMON_CRASH_PAGE: page },
});
process.exit(status ?? 1);
