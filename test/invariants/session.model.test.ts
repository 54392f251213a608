import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stateAt } from "../../src/replay/index.ts";
import {
  abort,
  answer,
  checkInvariants,
  failModel,
  fillDisk,
  finishCompaction,
  finishTool,
  followUp,
  kill,
  killMidAppend,
  passTime,
  prompt,
  resolveApproval,
  runToEnd,
  steer,
  Subject,
  tooLong,
} from "../support/random-session.ts";
import { rounds } from "../support/soak.ts";

const RUNS = rounds(60, 300, 2_000);

describe("a session under kills, crashes, conflicts, full disks and refusals", () => {
  test("shows nothing before it is durable, replays exactly, ends every call once, and repeats no command", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(
          [
            prompt,
            prompt,
            answer,
            answer,
            finishTool,
            finishTool,
            resolveApproval,
            steer,
            followUp,
            abort,
            failModel,
            tooLong,
            finishCompaction,
            passTime,
            fillDisk,
            kill,
            killMidAppend,
          ],
          { maxCommands: 30 },
        ),
        async (commands) => {
          const subject = await Subject.start();
          await fc.asyncModelRun(() => ({ model: {}, real: subject }), commands);
          await runToEnd(subject);
          expect(subject.leaks).toEqual([]);
          await checkInvariants(subject);
          // State is a function of the log.
          const folded = await stateAt(subject.log, "session-s");
          expect(subject.rig.stream.views.session).toEqual(folded.session);
          await subject.log.close();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
