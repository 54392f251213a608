/** A write that was cut off, at each of its steps, with whatever became of the file meanwhile. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sha256, stagedName } from "../../../src/harness/features/file.ts";
import { Journal } from "../../../src/harness/features/journal.ts";
import { settle } from "../../../src/harness/features/settle.ts";
import type { EventLog } from "../../../src/log/index.ts";
import { countingIds } from "../../support/ids.ts";
import { Desk, sample } from "./support.ts";

const before = `${JSON.stringify({ features: [{ id: "a" }] }, null, 2)}\n`;
const after = `${JSON.stringify({ features: [{ id: "a", status: "completed" }] }, null, 2)}\n`;
const humans = `${JSON.stringify(sample, null, 2)}\n`;

/** A desk as a writer leaves it that was killed once its write was recorded. */
async function cutOff(previous: string | null = before): Promise<{ desk: Desk; staged: string }> {
  const desk = await Desk.make();
  if (previous === null) rmSync(desk.file, { force: true });
  else desk.put(previous);
  const place = { folder: desk.cwd, file: desk.file, stream: desk.stream };
  const journal = new Journal(desk.log, place, (value) => value);
  await journal.keep(Buffer.from(after));
  const [written] =
    (await journal.append(0, [
      journal.fact("feature_file.written", {
        previousSha256: previous === null ? null : sha256(previous),
        sha256: sha256(after),
      }),
      journal.fact("feature.status_changed", {
        featureId: "a",
        from: "pending",
        to: "completed",
        notesChanged: false,
        sessionId: null,
      }),
    ])) ?? [];
  return { desk, staged: stagedName(place, written?.hash ?? "") };
}

/** What was there when the process died: nothing but the fact, half a draft, a whole one, the staged file. */
const steps: readonly [string, (staged: string) => void][] = [
  ["nothing was written yet", () => undefined],
  ["half of it was written", (staged) => writeFileSync(`${staged}-00000001`, after.slice(0, 10))],
  ["all of it was written", (staged) => writeFileSync(`${staged}-00000001`, after)],
  ["it was ready to be renamed", (staged) => writeFileSync(staged, after)],
];

describe.each(steps)("when the process died and %s", (_name, leave) => {
  test.each([["load"], ["progress"], ["updateStatus"]] as const)("%s ends the write", async (call) => {
    const { desk, staged } = await cutOff();
    leave(staged);
    if (call === "updateStatus") await desk.features.updateStatus(desk.cwd, "a", "completed", "later");
    else await desk.features[call](desk.cwd);
    expect(readFileSync(desk.file, "utf8")).toMatch(/"status": "completed"/);
    expect((await desk.types())[2]).toBe("feature_file.write_finished");
    expect(desk.litter).toEqual([]);
  });

  test("a file that was not there is made", async () => {
    const { desk, staged } = await cutOff(null);
    leave(staged);
    expect((await desk.features.load(desk.cwd)).features).toHaveLength(1);
    expect(desk.bytes).toBe(after);
  });

  test("what a person wrote meanwhile stays, and the write is abandoned", async () => {
    const { desk, staged } = await cutOff();
    leave(staged);
    desk.put(humans);
    expect((await desk.features.load(desk.cwd)).projectName).toBe("Shop");
    expect(desk.bytes).toBe(humans);
    expect((await desk.types()).slice(2)).toEqual([
      "feature_file.write_abandoned",
      "feature_file.changed_outside",
    ]);
    expect(desk.litter).toEqual([]);
  });

  test("a file that a person removed stays away", async () => {
    const { desk, staged } = await cutOff();
    leave(staged);
    rmSync(desk.file);
    await expect(desk.features.load(desk.cwd)).rejects.toMatchObject({ reason: "not_found" });
    expect(desk.litter).toEqual([]);
    expect((await desk.types()).at(-1)).toBe("feature_file.write_abandoned");
  });
});

test("when the file was renamed and no more, only the outcome is recorded", async () => {
  const { desk } = await cutOff();
  desk.put(after);
  await desk.features.load(desk.cwd);
  expect(desk.bytes).toBe(after);
  expect((await desk.types()).slice(2)).toEqual(["feature_file.write_finished"]);
});

test("a file that was put back after the write was finished is a person's, and stays", async () => {
  const { desk } = await cutOff();
  await desk.features.load(desk.cwd);
  desk.put(before);
  await desk.features.load(desk.cwd);
  expect(desk.bytes).toBe(before);
  expect((await desk.types()).slice(2)).toEqual([
    "feature_file.write_finished",
    "feature_file.changed_outside",
  ]);
});

test("bytes that the log no longer has can't be written: the write is abandoned", async () => {
  const desk = await Desk.make();
  desk.put(before);
  const place = { folder: desk.cwd, file: desk.file, stream: desk.stream };
  const journal = new Journal(desk.log, place, (value) => value);
  await journal.append(0, [
    journal.fact("feature_file.written", { previousSha256: sha256(before), sha256: "0".repeat(64) }),
  ]);
  await desk.features.load(desk.cwd);
  expect((await desk.types()).at(-1)).toBe("feature_file.write_abandoned");
});

/** The log, with something that happens before the bytes of a write are read from it. */
function beforeBytes(log: EventLog, happen: () => void | Promise<void>): EventLog {
  return new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name !== "getBlob") return member.bind(target) as unknown;
      return async (digest: string) => {
        await happen();
        return target.getBlob(digest);
      };
    },
  });
}

test("what a person writes while the bytes are being staged stays", async () => {
  const { desk } = await cutOff();
  const features = desk.open({ log: beforeBytes(desk.log, () => desk.put(humans)) });
  expect((await features.load(desk.cwd)).projectName).toBe("Shop");
  expect(desk.bytes).toBe(humans);
  expect((await desk.types())[2]).toBe("feature_file.write_abandoned");
  expect(desk.litter).toEqual([]);
});

test("one who slept while another ended the write, and a person took it back, touches nothing", async () => {
  const { desk } = await cutOff();
  const place = { folder: desk.cwd, file: desk.file, stream: desk.stream };
  const journal = new Journal(desk.log, place, (value) => value);
  const log = beforeBytes(desk.log, async () => {
    const { open } = await journal.state();
    if (open !== null) await settle(journal, open, countingIds(0x9000));
    desk.put(before);
  });
  await desk.open({ log }).load(desk.cwd);
  expect(desk.bytes).toBe(before);
  expect((await desk.types()).slice(2)).toEqual([
    "feature_file.write_finished",
    "feature_file.changed_outside",
  ]);
  expect(desk.litter).toEqual([]);
});

test("a person who keeps on writing gets a conflict reported, and keeps the file", async () => {
  const desk = await Desk.make();
  desk.put({ features: [{ id: "a" }] });
  let edits = 0;
  const log = new Proxy(desk.log, {
    get(target, name) {
      if (name !== "append") {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      }
      return async (...args: Parameters<typeof desk.log.append>) => {
        const facts = await target.append(...args);
        if (facts.some(({ type }) => type === "feature_file.written")) {
          edits += 1;
          desk.put({ features: [{ id: "a", notes: `edit ${edits}` }] });
        }
        return facts;
      };
    },
  });
  const features = desk.open({ log });
  await expect(features.complete(desk.cwd, "a")).rejects.toMatchObject({ reason: "conflict" });
  expect(edits).toBe(4);
  expect(desk.json).toEqual({ features: [{ id: "a", notes: "edit 4" }] });
  expect((await desk.types()).filter((type) => type === "feature_file.write_abandoned")).toHaveLength(4);
  expect(desk.litter).toEqual([]);
});
