import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Fact } from "../../../src/events/index.ts";
import { Desk, FILE, folder, sample } from "./support.ts";

const now = "2026-11-30T12:00:00.000Z";

describe("loading", () => {
  test("gives the members as a program has them, defaults filled in, unknown ones kept", async () => {
    const desk = await Desk.make();
    desk.put(sample);
    const document = await desk.features.load(desk.cwd);
    expect(document).toMatchObject({
      projectName: "Shop",
      originalPrompt: "",
      createdAt: "",
      version: "1.0",
    });
    expect(document.features[0]).toEqual({
      "x-size": 3,
      id: "cart",
      description: "A cart",
      status: "completed",
      dependencies: [],
      priority: "medium",
      acceptanceCriteria: [],
      notes: "",
      createdAt: "",
      updatedAt: null,
    });
    expect(document).toHaveProperty("x-owner", "me");
  });

  test("a byte order mark and Windows line ends are no fault", async () => {
    const desk = await Desk.make();
    desk.put(`\u{feff}{\r\n"features": [{"id": "a"}]\r\n}`);
    expect((await desk.features.load(desk.cwd)).projectName).toBe("Untitled Project");
  });

  test("relative folders are those of the runtime, and links to a folder lead to its stream", async () => {
    const desk = await Desk.make();
    mkdirSync(path.join(desk.cwd, "inner"));
    writeFileSync(path.join(desk.cwd, "inner", FILE), `{"features": []}`);
    symlinkSync("inner", path.join(desk.cwd, "link"));
    await desk.features.load("inner");
    await desk.features.load("link");
    expect(await desk.log.streams("features-")).toEqual([
      { stream: expect.any(String) as string, version: 1 },
    ]);
  });

  test.each([
    ["not_found", null],
    ["json_decode", `{"features": [}`],
    ["json_decode", Buffer.from([0x7b, 0xff, 0x7d])],
    ["invalid_requirements", "[]"],
    ["invalid_requirements", "{}"],
    ["invalid_requirements", `{"features": {}}`],
    ["invalid_requirements", `${'{"a":'.repeat(600)}1${"}".repeat(600)}`],
    ["file_too_large", " ".repeat(4 * 1024 * 1024 + 1)],
  ])("rejects with %s", async (reason, content) => {
    const desk = await Desk.make();
    if (content !== null) desk.put(content);
    await expect(desk.features.load(desk.cwd)).rejects.toMatchObject({ reason });
  });

  test("names line and column of what is no JSON, and quotes nothing of it", async () => {
    const desk = await Desk.make();
    desk.put(`{\n  "features": [\n    secret\n  ]\n}`);
    await expect(desk.features.load(desk.cwd)).rejects.toMatchObject({
      code: "LEMON_JSON_DECODE",
      line: 3,
      column: 5,
      message: expect.not.stringContaining("secret") as string,
    });
  });

  test.each([
    ["/features/1", [{ id: "a" }, "b"]],
    ["/features/0/id", [{}]],
    ["/features/0/id", [{ id: " " }]],
    ["/features/0/status", [{ id: "a", status: "done" }]],
    ["/features/0/priority", [{ id: "a", priority: null }]],
    ["/features/0/dependencies", [{ id: "a", dependencies: ["b", 1] }]],
    ["/features/0/acceptance_criteria", [{ id: "a", acceptance_criteria: "x" }]],
    ["/features/0/updated_at", [{ id: "a", updated_at: 5 }]],
    ["/features/0/notes", [{ id: "a", notes: null }]],
    ["/features", Array.from({ length: 10_001 }, (_, at) => ({ id: `f${at}` }))],
  ])("names the place of a fault: %s", async (field, features) => {
    const desk = await Desk.make();
    desk.put({ features });
    await expect(desk.features.load(desk.cwd)).rejects.toMatchObject({
      reason: "invalid_requirements",
      field,
    });
  });

  test("a link or a folder in its place is refused, also one that leads nowhere", async () => {
    for (const make of [
      (file: string) => symlinkSync("/nowhere", file),
      (file: string) => symlinkSync("other.json", file),
      (file: string) => mkdirSync(file),
    ]) {
      const desk = await Desk.make();
      writeFileSync(path.join(desk.cwd, "other.json"), `{"features": []}`);
      make(desk.file);
      await expect(desk.features.load(desk.cwd)).rejects.toMatchObject({ reason: "unsafe_path" });
      await expect(desk.features.save(desk.cwd, { features: [] })).rejects.toMatchObject({
        reason: "unsafe_path",
      });
      expect(await desk.types()).toEqual([]);
    }
  });

  test("a folder that is not there, and what is no folder", async () => {
    const desk = await Desk.make();
    await expect(desk.features.load("missing")).rejects.toMatchObject({ reason: "not_found" });
    await expect(desk.features.load(5 as never)).rejects.toMatchObject({ reason: "invalid_cwd" });
    await expect(desk.features.progress(5 as never)).rejects.toMatchObject({
      reason: "invalid_requirements",
    });
    await expect(desk.features.save("a\0b", { features: [] })).rejects.toMatchObject({
      reason: "invalid_cwd",
    });
  });
});

describe("saving", () => {
  test("writes a new file with all members, two blanks, a line end, and mode 0644", async () => {
    const desk = await Desk.make();
    const saved = await desk.features.save(desk.cwd, { projectName: "Shop", features: [{ id: "a" }] });
    expect(desk.bytes).toBe(
      `${JSON.stringify(
        {
          project_name: "Shop",
          original_prompt: "",
          features: [
            {
              id: "a",
              description: "",
              status: "pending",
              dependencies: [],
              priority: "medium",
              acceptance_criteria: [],
              notes: "",
              created_at: "",
              updated_at: null,
            },
          ],
          created_at: "",
          version: "1.0",
        },
        null,
        2,
      )}\n`,
    );
    expect(statSync(desk.file).mode & 0o7777).toBe(0o644);
    expect(await desk.features.load(desk.cwd)).toEqual(saved);
    expect(await desk.types()).toEqual(["feature_file.written", "feature_file.write_finished"]);
    expect(desk.litter).toEqual([]);
  });

  test("keeps of the old file its mode, the order of its members and what it does not know", async () => {
    const desk = await Desk.make();
    desk.put(
      `{"version": "1.0", "x": 12345678901234567890, "features": [{"y": 1.0, "id": "a"}, {"id": "b"}], "2": 2, "1": 1}`,
    );
    chmodSync(desk.file, 0o640);
    const document = await desk.features.load(desk.cwd);
    await desk.features.save(desk.cwd, {
      ...document,
      projectName: "New",
      features: document.features.toReversed(),
    });
    expect(Object.keys(desk.json)).toEqual(
      expect.arrayContaining(["version", "x", "1", "2", "project_name"]),
    );
    expect(desk.bytes).toMatch(
      /^\{\n {2}"version": "1.0",\n {2}"x": 12345678901234567890,\n {2}"features": \[\n {4}\{\n {6}"id": "b",/,
    );
    expect(desk.bytes).toMatch(/\{\n {6}"y": 1.0,\n {6}"id": "a",/);
    expect(desk.bytes).toMatch(/"2": 2,\n {2}"1": 1,\n {2}"project_name": "New"/);
    expect(statSync(desk.file).mode & 0o7777).toBe(0o640);
  });

  test("what can't be a document changes nothing", async () => {
    const desk = await Desk.make();
    const circle: Record<string, unknown> = { features: [] };
    circle["self"] = circle;
    for (const document of [
      null,
      undefined,
      [],
      {},
      { features: [{}] },
      circle,
      { features: [{ id: "a", status: "odd" }] },
    ])
      await expect(desk.features.save(desk.cwd, document as never)).rejects.toMatchObject({
        reason: "invalid_requirements",
      });
    await expect(
      desk.features.save(desk.cwd, { features: [{ id: "a", description: "x".repeat(5_000_000) }] }),
    ).rejects.toMatchObject({ reason: "file_too_large" });
    expect(desk.litter).toEqual([]);
    expect(await desk.types()).toEqual([]);
  });

  test("a file that is no JSON is replaced, and its bytes stay in the log", async () => {
    const desk = await Desk.make();
    desk.put("{ my notes");
    await desk.features.save(desk.cwd, { features: [] });
    const written = (await desk.facts()).find(({ type }) => type === "feature_file.written");
    const { previousSha256 } = (written as Fact).data as { previousSha256: string };
    expect(Buffer.from(await desk.log.getBlob(previousSha256)).toString()).toBe("{ my notes");
  });

  test("the same again writes nothing", async () => {
    const desk = await Desk.make();
    await desk.features.save(desk.cwd, { features: [] });
    await desk.features.save(desk.cwd, { features: [] });
    expect(await desk.types()).toHaveLength(2);
  });
});

describe("changing a status", () => {
  test("sets status and time, keeps all else, and says so in the log", async () => {
    const desk = await Desk.make();
    desk.put(sample);
    const document = await desk.features.updateStatus(desk.cwd, "pay", "in_progress");
    expect(document).toEqual(await desk.features.load(desk.cwd));
    const [cart, pay, mail] = sample.features;
    expect(desk.bytes).toBe(
      `${JSON.stringify({ ...sample, features: [cart, { ...pay, status: "in_progress", updated_at: now }, mail] }, null, 2)}\n`,
    );
    expect(await desk.types()).toEqual([
      "feature_file.changed_outside",
      "feature_file.written",
      "feature.status_changed",
      "feature_file.write_finished",
    ]);
    const [outside, written, changed, finished] = await desk.facts();
    expect(changed?.data).toEqual({
      cwd: desk.cwd,
      featureId: "pay",
      from: "pending",
      to: "in_progress",
      notesChanged: false,
      sessionId: null,
    });
    const seen = outside?.data as { readonly sha256: string } | undefined;
    expect(written?.data).toMatchObject({ cwd: desk.cwd, previousSha256: seen?.sha256 });
    expect(finished?.causation).toBe(written?.version);
  });

  test("notes are kept, replaced or cleared", async () => {
    const desk = await Desk.make();
    desk.put(sample);
    const notes = async (...args: [string?]): Promise<string | undefined> =>
      (await desk.features.updateStatus(desk.cwd, "pay", "failed", ...args)).features[1]?.notes;
    expect([await notes(), await notes("soft"), await notes(), await notes("")]).toEqual([
      "hard",
      "soft",
      "soft",
      "",
    ]);
    expect(await desk.features.complete(desk.cwd, "mail", "sent")).toMatchObject({
      features: [{}, {}, { status: "completed", notes: "sent" }],
    });
  });

  test("all features that share the id are changed, and the session is recorded", async () => {
    const desk = await Desk.make();
    desk.put({ features: [{ id: "a" }, { id: "b" }, { id: "a", status: "failed" }] });
    await desk.features.updateStatus(desk.cwd, "a", "completed", undefined, { sessionId: "s" });
    expect((await desk.features.load(desk.cwd)).features.map(({ status }) => status)).toEqual([
      "completed",
      "pending",
      "completed",
    ]);
    expect(
      (await desk.facts()).filter(({ type }) => type === "feature.status_changed").map(({ data }) => data),
    ).toEqual([expect.objectContaining({ featureId: "a", from: "pending", sessionId: "s" })]);
  });

  test("of double members the one that counts is changed", async () => {
    const desk = await Desk.make();
    desk.put(`{"features": [{"id": "a", "status": "failed", "status": "pending"}]}`);
    await desk.features.updateStatus(desk.cwd, "a", "completed");
    expect(desk.bytes).toMatch(/"status": "failed",\n {6}"status": "completed"/);
  });

  test.each([
    ["feature_not_found", "nope", "completed", undefined],
    ["feature_not_found", 5, "completed", undefined],
    ["invalid_status", "pay", "done", undefined],
    ["invalid_status", "pay", "constructor", undefined],
    ["invalid_notes", "pay", "completed", 5],
  ])("%s leaves the file as it was", async (reason, id, status, notes) => {
    const desk = await Desk.make();
    desk.put(sample);
    const before = desk.bytes;
    const update = desk.features.updateStatus(desk.cwd, id as string, status as never, notes as never);
    await expect(update).rejects.toMatchObject({ reason });
    expect(desk.bytes).toBe(before);
    expect(await desk.types()).toEqual([]);
  });

  test("without a file it is not found, and none is made", async () => {
    const desk = await Desk.make();
    await expect(desk.features.updateStatus(desk.cwd, "a", "completed")).rejects.toMatchObject({
      reason: "not_found",
    });
    expect(desk.litter).toEqual([]);
  });
});

describe("looking", () => {
  test("progress, what is next and problems, of a folder and of a document", async () => {
    const desk = await Desk.make();
    desk.put({
      ...sample,
      features: [...sample.features, { id: "cart", status: "failed", dependencies: ["gone"] }],
    });
    const document = await desk.features.load(desk.cwd);
    for (const source of [desk.cwd, document]) {
      expect(await desk.features.progress(source)).toEqual({
        total: 4,
        completed: 1,
        failed: 1,
        inProgress: 0,
        pending: 2,
        percentage: 25,
        projectName: "Shop",
      });
      expect((await desk.features.next(source)).map(({ id }) => id)).toEqual(["pay"]);
      expect(await desk.features.problems(source)).toEqual([
        { id: "cart", kind: "duplicate", dependency: null },
        { id: "cart", kind: "missing", dependency: "gone" },
      ]);
    }
    expect(await desk.features.progress({ features: [] })).toMatchObject({ total: 0, percentage: 0 });
  });

  test("a change by somebody else is recorded once", async () => {
    const desk = await Desk.make();
    await desk.features.save(desk.cwd, { features: [{ id: "a" }] });
    await desk.features.load(desk.cwd);
    desk.put(sample);
    await desk.features.load(desk.cwd);
    await desk.features.next(desk.cwd);
    desk.put("no JSON");
    await expect(desk.features.load(desk.cwd)).rejects.toThrow();
    expect((await desk.types()).slice(2)).toEqual([
      "feature_file.changed_outside",
      "feature_file.changed_outside",
    ]);
  });

  test("a log that can't be read or written keeps nobody from loading, and changes nothing else", async () => {
    const desk = await Desk.make();
    desk.put(sample);
    await desk.log.close();
    expect((await desk.features.load(desk.cwd)).projectName).toBe("Shop");
    expect(desk.warnings).toEqual([{ code: "LEMON_LOG_CLOSED" }]);
    await expect(desk.features.complete(desk.cwd, "pay")).rejects.toMatchObject({ reason: "log_closed" });
    expect(desk.json).toEqual(sample);
  });

  test("a folder that can't be written refuses the change, which is then abandoned", async () => {
    if (process.getuid?.() === 0) return; // Root may write everywhere.
    const desk = await Desk.make();
    desk.put(sample);
    chmodSync(desk.cwd, 0o555);
    await expect(desk.features.complete(desk.cwd, "pay")).rejects.toMatchObject({
      reason: "permission_denied",
    });
    chmodSync(desk.cwd, 0o755);
    expect((await desk.types()).at(-1)).toBe("feature_file.write_abandoned");
  });
});

test("secrets stay out of the facts, and in the file", async () => {
  const desk = await Desk.make({
    mask: (value) => JSON.parse(JSON.stringify(value).replaceAll("hunter2hunter2", "***")) as typeof value,
  });
  desk.put({ features: [{ id: "use hunter2hunter2" }] });
  await desk.features.complete(desk.cwd, "use hunter2hunter2");
  expect(JSON.stringify(await desk.facts())).not.toContain("hunter2");
  expect(desk.bytes).toContain(`"id": "use hunter2hunter2"`);
});

test("two folders have nothing to do with each other", async () => {
  const desk = await Desk.make();
  const other = folder();
  await desk.features.save(desk.cwd, { features: [{ id: "a" }] });
  await expect(desk.features.load(other)).rejects.toMatchObject({ reason: "not_found" });
});
