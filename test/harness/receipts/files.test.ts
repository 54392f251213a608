/** What write, edit and patch say of themselves, and what is kept before they change anything. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { FactData } from "../../../src/events/index.ts";
import { defineExtension } from "../../../src/extensions/index.ts";
import { sha256, world } from "./support.ts";

const call = (name: string, args: object) => ({ name, args });

async function created(facts: Awaited<ReturnType<Awaited<ReturnType<typeof world>>["facts"]>>) {
  return facts.flatMap(({ type, data, version, causation }) =>
    type === "checkpoint.created"
      ? [{ ...(data as FactData<"checkpoint.created">), version, causation }]
      : [],
  );
}

describe("a receipt of the file tools", () => {
  test("names each file with its digests, the folders that were made, and the checkpoint that has the rest", async () => {
    const here = await world([
      [call("write", { path: "x/y/a.txt", content: "one\n" })],
      [call("edit", { path: "x/y/a.txt", oldText: "one", newText: "two" })],
      [call("write", { path: "x/y/a.txt", content: "two\n" })],
    ]);
    await here.session.prompt("go");
    const file = path.join(here.cwd, "x/y/a.txt");
    const [written, edited, same] = await here.receipts();
    const facts = await here.facts();
    const guards = await created(facts);
    const mode: unknown = expect.any(Number);
    expect(written).toEqual({
      action: "write",
      outcome: "applied",
      success: true,
      checkpointId: guards[0]?.checkpointId,
      checkpointIds: [guards[0]?.checkpointId],
      checkpointKind: "filesystem",
      affectedPaths: [file],
      changedPaths: [file],
      writtenPaths: [file],
      createdDirs: [path.join(here.cwd, "x"), path.join(here.cwd, "x/y")],
      files: [
        {
          path: file,
          change: "created",
          beforeSha256: null,
          afterSha256: sha256("one\n"),
          beforeMode: null,
          afterMode: mode,
          code: null,
        },
      ],
      coverage: "full",
      coverageReasons: [],
      overlappingCallIds: [],
    });
    expect(edited).toMatchObject({
      action: "edit",
      checkpointId: guards[1]?.checkpointId,
      createdDirs: [],
      files: [{ change: "modified", beforeSha256: sha256("one\n"), afterSha256: sha256("two\n") }],
    });
    // What is so already is not written, and nothing has to be kept for it.
    expect(same).toMatchObject({ outcome: "none", success: true, checkpointId: null, affectedPaths: [file] });
    expect(guards).toMatchObject([
      { origin: "guard", kind: "filesystem", tool: "write", point: false, files: [{ exists: false }] },
      { tool: "edit", files: [{ path: file, exists: true, sha256: sha256("one\n"), size: 4 }], bytes: 4 },
    ]);
    // Of its call: the checkpoint answers the start, and the result follows it.
    for (const guard of guards) {
      expect(facts[guard.causation! - 1]).toMatchObject({
        type: "tool_call.started",
        data: { callId: guard.callId },
      });
    }
    expect(Buffer.from(await here.runtime.log.getBlob(sha256("one\n"))).toString()).toBe("one\n");
    await here.close();
  });

  test("lists source and target of a move, and what a patch did before it stopped", async () => {
    const long = "n".repeat(300);
    const here = await world([
      [call("patch", { patch: "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch" })],
      [
        call("patch", {
          patch: `*** Begin Patch\n*** Delete File: b\n*** Add File: c\n+c\n*** Add File: x/${long}\n+x\n*** End Patch`,
        }),
      ],
    ]);
    writeFileSync(path.join(here.cwd, "a"), "a\n");
    chmodSync(path.join(here.cwd, "a"), 0o750);
    await here.session.prompt("go");
    const [moved, stopped] = await here.receipts();
    expect(moved?.files).toMatchObject([
      { path: path.join(here.cwd, "a"), change: "deleted", beforeMode: 0o750, afterSha256: null },
      { path: path.join(here.cwd, "b"), change: "created", afterMode: 0o750, afterSha256: sha256("a\n") },
    ]);
    expect(stopped).toMatchObject({ outcome: "partial", success: false, coverage: "full" });
    expect(stopped?.files).toMatchObject([{ path: path.join(here.cwd, "c"), change: "created" }]);
    expect(stopped?.affectedPaths).toHaveLength(3);
    const ends = here.events.filter(({ type }) => type === "tool_execution_end");
    expect(ends[1]).toMatchObject({ isError: true, result: { details: { receipt: stopped } } });
    await here.close();
  });

  test("a call that changes nothing leaves no checkpoint and, failing, no receipt", async () => {
    const here = await world([
      [call("edit", { path: "a", oldText: "absent", newText: "x" })],
      [call("edit", { path: "a", oldText: "a", newText: "a" })],
      [call("edit", { path: "none", oldText: "a", newText: "b" })],
      [call("write", { path: "folder", content: "x" })],
      [call("patch", { patch: "*** Begin Patch\n*** Update File: a\n@@\n-zzz\n+y\n*** End Patch" })],
      [call("patch", { patch: "*** Begin Patch\n*** Add File: ../out\n+y\n*** End Patch" })],
    ]);
    writeFileSync(path.join(here.cwd, "a"), "a\na\n");
    mkdirSync(path.join(here.cwd, "folder"));
    await here.session.prompt("go");
    expect(await here.receipts()).toEqual([null, null, null, null, null, null]);
    expect(await created(await here.facts())).toEqual([]);
    const ends = here.events.filter(({ type }) => type === "tool_execution_end");
    for (const end of ends) expect(end).not.toHaveProperty("result.details.receipt");
    await here.close();
  });

  test("through a link the real file is kept and named, also outside of the working directory", async () => {
    const here = await world([[call("write", { path: "link", content: "new" })]]);
    const outside = path.join(path.dirname(here.cwd), "outside.txt");
    writeFileSync(outside, "old");
    symlinkSync(outside, path.join(here.cwd, "link"));
    await here.session.prompt("go");
    expect(await here.receipts()).toMatchObject([{ changedPaths: [outside], coverage: "full" }]);
    expect(await created(await here.facts())).toMatchObject([
      { files: [{ path: outside, outsideCwd: true }] },
    ]);
    expect(readFileSync(outside, "utf8")).toBe("new");
    await here.close();
  });
});

describe("the guard", () => {
  test("refuses what it can't keep, in words that hold the code, and nothing is written", async () => {
    const here = await world([[call("write", { path: "large", content: "small" })]]);
    const file = path.join(here.cwd, "large");
    writeFileSync(file, Buffer.alloc(10 * 1024 * 1024 + 1));
    await here.session.prompt("go");
    expect(await here.receipts()).toEqual([null]);
    const [end] = here.events.filter(({ type }) => type === "tool_execution_end");
    expect(end).toMatchObject({
      isError: true,
      result: {
        content: [{ text: expect.stringContaining("large can't be kept for a restore (file_too_large)") }],
      },
    });
    expect(readFileSync(file).length).toBe(10 * 1024 * 1024 + 1);
    expect(await created(await here.facts())).toEqual([]);
    await here.close();
  });
});

describe("a receipt can't be forged", () => {
  test("by a tool, nor by a hook, which sees the real one", async () => {
    const seen: unknown[] = [];
    const forged = { action: "none", files: [] };
    const forger = defineExtension({
      name: "forger",
      version: "1.0.0",
      tools: [
        {
          name: "forge",
          description: "says what it likes",
          execute: () => ({
            content: [{ type: "text", text: "ok" }],
            details: { receipt: forged, Receipt: forged, re_ceipt: forged, own: 1 },
          }),
        },
      ],
      hooks: {
        onToolResult: [
          ({ result }) => {
            seen.push(structuredClone(result));
            return { replace: { details: { receipt: forged, checkpointIds: ["chk_x"], mine: 2 } } };
          },
          () => ({ replace: { details: "nothing" as never } }),
        ],
      },
    });
    const here = await world([[call("write", { path: "a", content: "a" })], [call("forge", {})]], {
      extensions: [forger],
    });
    await here.session.prompt("go");
    const [written, foreign] = await here.receipts();
    const ends = here.events.filter(({ type }) => type === "tool_execution_end");
    expect(written).toMatchObject({ action: "write", outcome: "applied" });
    expect(foreign).toMatchObject({ action: "forge", outcome: "none", files: [] });
    expect(ends).toMatchObject([
      { result: { details: { receipt: written, bytesWritten: 1 } } },
      { result: { details: { receipt: foreign } } },
    ]);
    expect(seen).toMatchObject([
      { details: { path: "a", receipt: written } },
      { details: { own: 1, receipt: foreign } },
    ]);
    expect(ends[1]).not.toHaveProperty("result.details.Receipt");
    await here.close();
  });
});

describe("without the guard", () => {
  test("files are changed and told all the same, and the receipt says what is missing", async () => {
    const here = await world([[call("write", { path: "a", content: "new" })]], {
      config: { checkpoints: { guard: false } },
    });
    writeFileSync(path.join(here.cwd, "a"), "old");
    await here.session.prompt("go");
    expect(await here.receipts()).toMatchObject([
      {
        checkpointId: null,
        checkpointIds: [],
        checkpointKind: null,
        coverage: "none",
        coverageReasons: ["guard_off"],
        files: [{ change: "modified", beforeSha256: sha256("old"), afterSha256: sha256("new") }],
      },
    ]);
    expect(await created(await here.facts())).toEqual([]);
    await here.close();
  });
});
