import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const script = path.resolve(import.meta.dirname, "../../scripts/soak/background.mjs");
/** How many runs, over how many seconds. The whole soak has its own command, `npm run soak:background`. */
const [runs, seconds] = process.env["LEMON_SOAK"] === undefined ? [8, 12] : [50, 75];

test("background runs end once, whatever is killed while they work", { timeout: seconds * 8_000 }, () => {
  const { status, stdout } = spawnSync(process.execPath, [script, String(runs), String(seconds), "1"], {
    encoding: "utf8",
  });
  expect({ status, told: status === 0 ? "" : stdout }).toEqual({ status: 0, told: "" });
  const line = stdout.split("\n").find((each) => each.startsWith("{")) ?? "{}";
  const { faults, lies, runs: ran } = JSON.parse(line) as Record<string, number>;
  expect({ faults, lies, ran }).toEqual({ faults: 0, lies: 0, ran: runs });
});
