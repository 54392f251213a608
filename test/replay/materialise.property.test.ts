import fc from "fast-check";
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { materialise } from "../../src/replay/index.ts";
import { rounds } from "../support/soak.ts";
import { temporaryFolder } from "../support/runtimes.ts";
import { changes, ranSession, treeOf } from "./history-rig.ts";

describe("a materialised workspace", () => {
  test("holds at every version what the workspace held, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(changes, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (calls, isGone) => {
          const { log, sessionId, workspace, trees } = await ranSession(calls);
          const before = treeOf(workspace);
          for (const [version, tree] of trees) {
            const folder = temporaryFolder();
            const { filesUnavailable } = await materialise(log, sessionId, version, folder);
            expect(treeOf(folder)).toEqual(tree);
            expect(filesUnavailable).toEqual([]);
            rmSync(folder, { recursive: true });
          }
          expect(treeOf(workspace)).toEqual(before);
          if (isGone) rmSync(workspace, { recursive: true });
          const folder = path.join(temporaryFolder(), "new");
          const { coverageReasons } = await materialise(log, sessionId, 1, folder);
          expect(coverageReasons.includes("workspace_missing")).toBe(isGone);
          if (!isGone) expect(treeOf(folder)["untouched"]).toBeDefined();
          await log.close();
        },
      ),
      { numRuns: rounds(12, 60, 300) },
    );
  });
});
