import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createMasker } from "../../src/secrets/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf } from "../support/runtimes.ts";
import { modelFailed, responded, returned, settled, startRig } from "../support/streams.ts";
import { rounds } from "../support/soak.ts";

const RUNS = rounds(30, 100, 300);

const secret = fc
  .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
  .filter((text) => text.isWellFormed() && text.length >= 8 && text.trim() === text);
const disguise = fc.constantFrom(
  (value: string) => value,
  (value: string) => encodeURIComponent(value),
  (value: string) => Buffer.from(value).toString("hex"),
  (value: string) => `xx${Buffer.from(`ab${value}cd`).toString("base64")}`,
);

test("no secret reaches a fact, whoever says it and however it is written", async () => {
  await fc.assert(
    fc.asyncProperty(secret, disguise, async (value, write) => {
      const log = await memoryLog();
      const rig = await startRig(log, { secrets: [{ name: "KEY", value }] });
      const said = `before ${write(value)} after`;
      const content = [{ type: "text", text: said }];
      await rig.stream.submit("prompt.submitted", { runId: "run_1", content });
      rig.effects[0]?.finish(responded(["a"], { args: { deep: [{ said }] } }));
      await settled();
      rig.effects[0]?.finish(returned("a", said, { details: { said, [said]: 1 } }));
      await settled();
      await rig.stream.submit("steer.submitted", { content });
      const failure = modelFailed("overloaded", 1_000);
      if (failure.type !== "model.failed") throw new Error("not a failure");
      rig.effects[0]?.finish({ ...failure, data: { ...failure.data, partialText: said } });
      await settled();
      await rig.stream.submit("abort.requested", { reason: said });
      const text = JSON.stringify(await factsOf(log, "session-s"));
      // What a masker of its own would still find is what got through.
      const { json } = createMasker([{ name: "FOUND", value }]);
      expect(json(text)).toBe(text);
      expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
      await log.close();
    }),
    { numRuns: RUNS },
  );
});
