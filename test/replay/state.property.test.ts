/** States at versions, and what differs between them. */
import * as fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEventLog, type EventLog } from "../../src/log/index.ts";
import { stateOf as shownState } from "../../src/runtime/session-types.ts";
import { diffStates, stateAt, stateRef } from "../../src/replay/index.ts";
import { patchBetween } from "../../src/replay/json-patch.ts";
import { rounds } from "../support/soak.ts";
import { asJson, tellStory, type Story } from "./story.ts";

let story: Story;
let log: EventLog;
beforeAll(async () => {
  story = await tellStory();
  log = await openEventLog(story.file, { readOnly: true });
});
afterAll(() => log.close());

const at = (version: number): ReturnType<typeof stateAt> => stateAt(log, "session-s", version);

test("a state is what a live session showed at that moment, whenever that was", async () => {
  expect(story.shown.size).toBeGreaterThan(10);
  for (const [version, shown] of story.shown) {
    const { session } = await at(version);
    expect(asJson({ ...shownState("s", version, session) } as never)).toEqual(asJson(shown as never));
  }
});

test("a state is JSON and nothing else", async () => {
  for (const { version } of story.facts) {
    const state = await at(version);
    expect(state).toStrictEqual(asJson(state));
  }
});

test("the last state knows todos, files, tools, extensions, supervision", async () => {
  const state = await at(story.facts.length);
  const [file] = Object.entries(state.files);
  expect(file?.[0]).toMatch(/a\.txt$/);
  expect(file?.[1]).toMatchObject({
    is: "file",
    by: "edit",
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(state.tools).toEqual({
    write: { calls: 2, errors: 0, blocked: 1, running: 0 },
    read: { calls: 1, errors: 1, blocked: 0, running: 0 },
    todo: { calls: 1, errors: expect.any(Number), blocked: 0, running: 0 },
    edit: { calls: 1, errors: 0, blocked: 0, running: 0 },
  });
  expect(state.extensions?.extensions).toMatchObject([{ module: "guard", version: "1.0.0" }]);
  expect(state.supervision?.tree).toMatchObject({ id: "s", children: [{ id: "stream" }] });
  expect(Object.values(state.checkpoints).every(({ origin }) => origin === "guard")).toBe(true);
});

test("a version that is not there is refused", async () => {
  for (const version of [0, -1, story.facts.length + 1])
    await expect(at(version)).rejects.toMatchObject({ code: "LEMON_INVALID_VERSION" });
});

test("the patch between two states makes the second of the first, exactly", async () => {
  const versions = fc.integer({ min: 1, max: story.facts.length });
  await fc.assert(
    fc.asyncProperty(versions, versions, async (a, b) => {
      const { patch, changes } = await diffStates(log, ref(a), ref(b));
      const made = jsonPatch.applyPatch(asJson(await at(a)), patch as never, true, false).newDocument;
      expect(made).toStrictEqual(asJson(await at(b)));
      expect(changes.length > 0 || a === b || patch.length > 0).toBe(true);
    }),
    { numRuns: rounds(30, 200, 1_000) },
  );
});

const ref = (version: number) => ({ sessionId: "s", version });

test("any two JSON objects, whatever their members are called", () => {
  const name = fc.oneof(
    fc.constantFrom("__proto__", "constructor", "prototype", "a/b", "~", "", "0"),
    fc.string(),
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 0, 1, "x", true),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    ),
  })).value;
  const root = fc.dictionary(fc.constantFrom("a", "b", "c"), value);
  fc.assert(
    fc.property(root, root, (from, to) => {
      const [a, b] = [JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to))] as [object, object];
      const patch = patchBetween(a, b);
      const copy = JSON.parse(JSON.stringify(patch)) as never;
      expect(JSON.stringify(sorted(jsonPatch.applyPatch(a, copy).newDocument))).toBe(
        JSON.stringify(sorted(b)),
      );
    }),
    { numRuns: rounds(300, 2_000, 10_000) },
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

test("files that differ come as a text diff where their bytes are there", async () => {
  const written = story.facts.find(({ type }) => type === "tool_call.returned");
  const { files, changes } = await diffStates(
    log,
    ref((written?.version ?? 1) - 1),
    ref(written?.version ?? 1),
  );
  expect(files).toMatchObject([{ change: "added", diff: expect.stringContaining("+one\n+two\n") }]);
  expect(changes.map(({ part }) => part)).toContain("files");
  // Nothing has kept what the last edit left.
  const last = await diffStates(log, ref(written?.version ?? 1), ref(story.facts.length));
  expect(last.files).toMatchObject([{ change: "changed", diff: null }]);
});

test("a state is named by a version, or by a session and a version", async () => {
  expect(await stateRef("s", 3)).toEqual({ sessionId: "s", version: 3 });
  expect(await stateRef("s", "a@b@4")).toEqual({ sessionId: "a@b", version: 4 });
  for (const wrong of ["", "0", "@3", "x", "x@", "-1", "1.5"])
    await expect(stateRef("s", wrong)).rejects.toMatchObject({ code: "LEMON_INVALID_VERSION" });
});
