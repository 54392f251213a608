import { afterEach, beforeEach, expect, test } from "vitest";
import { CheckpointRig } from "./rig.ts";

let rig: CheckpointRig;
beforeEach(async () => {
  rig = await CheckpointRig.start();
});
afterEach(() => rig.stop());

const started = (callId: string, name: string): Promise<void> =>
  rig.append("tool_call.started", { callId, name, idempotent: false, args: null, mode: "normal" });

test("a point is neither restored nor compared while a call has no end, unless it is forced", async () => {
  await rig.write("a.txt", "one");
  const { id } = await rig.service.createFilesystem("s");
  const { id: named } = await rig.service.createFilesystem("s", ["a.txt"]);
  await started("cut", "bash");
  await rig.write("a.txt", "two");
  const conflict = { code: "LEMON_CONFLICT" };
  await expect(rig.service.restoreFilesystem(id)).rejects.toMatchObject(conflict);
  await expect(rig.service.restoreFilesystem(id, { dryRun: true })).rejects.toMatchObject(conflict);
  await expect(rig.service.restoreFilesystem({ sessionId: "s", at: 1 })).rejects.toMatchObject(conflict);
  await expect(rig.service.diffFilesystem(id)).rejects.toMatchObject(conflict);
  expect(await rig.service.diffFilesystem(id, { force: true })).toMatchObject({ changed: [] });
  expect(await rig.service.restoreFilesystem(id, { force: true })).toMatchObject({ status: "nothing_to_do" });
  expect(await rig.service.restoreFilesystem(named)).toMatchObject({ status: "restored" });
});

test.each([
  ["it ended", "bash", "tool_call.returned"],
  ["its tool changes no file", "grep", null],
])("a call does not stand in the way when %s", async (_why, name, end) => {
  const { id } = await rig.service.createFilesystem("s");
  await started("call", name);
  if (end !== null) await rig.receipt("call", { files: [], createdDirs: [] });
  expect(await rig.service.restoreFilesystem(id)).toMatchObject({ status: "nothing_to_do" });
});
