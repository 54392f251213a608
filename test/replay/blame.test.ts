/** Blame where a history is not a plain row of edits. */
import { createHash } from "node:crypto";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { EventLog } from "../../src/log/index.ts";
import { blame } from "../../src/replay/index.ts";
import { memoryLog } from "../support/log-doubles.ts";

interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** A folder, and a log in which calls tell of changes. */
class Rig {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), "lemon-blame-")));
  readonly log: EventLog;

  constructor(log: EventLog) {
    this.log = log;
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  /** @param keeps - whether the log has the bytes */
  async call(
    callId: string,
    files: readonly FileChange[],
    { keeps = true, overlapping = [] as string[], action = "bash" } = {},
  ): Promise<void> {
    const told = await Promise.all(
      files.map(({ path: name, before, after }) => this.#told(name, before, after, keeps)),
    );
    const paths = told.map(({ path: place }) => place);
    const receipt = {
      action,
      outcome: "applied",
      success: true,
      checkpointId: null,
      checkpointIds: [],
      checkpointKind: null,
      affectedPaths: paths,
      changedPaths: paths,
      writtenPaths: paths,
      createdDirs: [],
      files: told,
      coverage: "full",
      coverageReasons: [],
      overlappingCallIds: overlapping,
    };
    await this.#append("tool_call.receipt_recorded", { callId, receipt });
  }

  async #told(name: string, before: string | null, after: string | null, keeps: boolean) {
    const place = this.path(name);
    for (const text of [before, after]) if (keeps && text !== null) await this.log.putBlob(Buffer.from(text));
    const change = before === null ? "created" : after === null ? "deleted" : "modified";
    const mode = (text: string | null): number | null => (text === null ? null : 0o644);
    return {
      path: place,
      change,
      beforeSha256: digest(before),
      afterSha256: digest(after),
      beforeMode: mode(before),
      afterMode: mode(after),
      code: null,
    };
  }

  async #append(type: string, data: object): Promise<void> {
    const fact = { type, data, kind: "input", actor: "caller", causation: null, correlation: null } as const;
    await this.log.append("session-s", "any", [fact]);
  }

  /** Whose the lines are, once the file holds this. */
  async owners(name: string, text: string): Promise<string[]> {
    writeFileSync(this.path(name), text);
    return (await blame(this.log, this.path(name))).map(({ toolCallId, origin }) => toolCallId ?? origin);
  }
}

const digest = (text: string | null): string | null =>
  text === null ? null : createHash("sha256").update(text).digest("hex");

const rig = async (): Promise<Rig> => new Rig(await memoryLog());

test("a file that is moved keeps whose its lines are; one that only comes as another goes does not", async () => {
  const here = await rig();
  await here.call("make", [{ path: "a", before: null, after: "1\n2\n3\n" }]);
  await here.call("move", [
    { path: "a", before: "1\n2\n3\n", after: null },
    { path: "b", before: null, after: "1\n2\n3\n4\n" },
  ]);
  expect(await here.owners("b", "1\n2\n3\n4\n")).toEqual(["make", "make", "make", "move"]);
  await here.call("other", [
    { path: "b", before: "1\n2\n3\n4\n", after: null },
    { path: "c", before: null, after: "1\nx\ny\n" },
  ]);
  expect(await here.owners("c", "1\nx\ny\n")).toEqual(["other", "other", "other"]);
});

test("what somebody else did between calls, and since, is outside; a file that is made again begins anew", async () => {
  const here = await rig();
  await here.call("first", [{ path: "f", before: "old\n", after: "old\n1\n" }]);
  await here.call("second", [{ path: "f", before: "hand\nold\n1\n", after: "hand\nold\n1\n2\n" }]);
  expect(await here.owners("f", "hand\nold\n1\n2\nlast")).toEqual([
    "outside",
    "before",
    "first",
    "second",
    "outside",
  ]);
  expect(await here.owners("f", "hand\nold\r\n1\n2")).toEqual(["outside", "outside", "first", "second"]);
  await here.call("gone", [{ path: "f", before: "hand\nold\r\n1\n2", after: null }]);
  await here.call("again", [{ path: "f", before: null, after: "old\n" }]);
  expect(await here.owners("f", "old\n")).toEqual(["again"]);
});

test("bytes that are not in the log leave open whose a line is, unless only one can have written it", async () => {
  const here = await rig();
  await here.call("kept", [{ path: "f", before: null, after: "1\n" }]);
  await here.call("lost", [{ path: "f", before: "1\n", after: "1\n2\n" }], { keeps: false });
  expect(await here.owners("f", "1\n2\n")).toEqual(["kept", "lost"]);
  expect(await here.owners("f", "1\n2\n3\n")).toEqual(["kept", "unavailable", "unavailable"]);
});

test("a change that two overlapping calls tell counts once, for the tool that knows", async () => {
  const here = await rig();
  const change = [{ path: "f", before: "1\n", after: "1\n2\n" }];
  await here.call("scan", change, { overlapping: ["exact"] });
  await here.call("exact", change, { overlapping: ["scan"], action: "write" });
  expect(await here.owners("f", "1\n2\n")).toEqual(["before", "exact"]);
});

test("what has no lines, and lines that are not there, are refused", async () => {
  const here = await rig();
  writeFileSync(here.path("binary"), Buffer.from([0, 1, 2]));
  writeFileSync(here.path("empty"), "");
  await expect(blame(here.log, here.path("binary"))).rejects.toMatchObject({ code: "LEMON_NOT_TEXT" });
  await expect(blame(here.log, here.folder)).rejects.toMatchObject({ code: "LEMON_NOT_TEXT" });
  expect(await blame(here.log, here.path("empty"))).toEqual([]);
  for (const line of [0, -1, 1.5, 1])
    await expect(blame(here.log, here.path("empty"), { line })).rejects.toMatchObject({
      code: "LEMON_INVALID_LINE",
    });
  await here.call("gone", [{ path: "f", before: "1\n", after: null }]);
  await expect(blame(here.log, here.path("f"))).rejects.toMatchObject({
    code: "LEMON_NOT_FOUND",
    message: expect.stringContaining("version 1") as string,
  });
});
