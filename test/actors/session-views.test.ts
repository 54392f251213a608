import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionViews } from "../../src/actors/session-views.ts";
import type { Fact } from "../../src/events/index.ts";
import { messageCount, messagesOf, PAGE_SIZE } from "../../src/projections/index.ts";

/** One fact of a session's stream that adds a message. */
function message(version: number): Fact {
  return {
    position: version,
    stream: "session-s",
    version,
    type: "message.appended",
    schemaVersion: 1,
    at: 0,
    actor: "sessions/s",
    causation: null,
    correlation: null,
    kind: "decision",
    data: { content: [{ type: "text", text: `message ${version}` }], source: "steer" },
    hash: "0".repeat(64),
  };
}

test("stored views, full pages and all, give the same bytes as folding anew, wherever they were stored", () => {
  const length = fc.integer({ min: 1, max: PAGE_SIZE * 3 + 5 });
  fc.assert(
    fc.property(length, fc.array(fc.nat(), { maxLength: 4 }), (count, places) => {
      const folded = new SessionViews();
      let carried = new SessionViews();
      const stored = new Map<string, { text: string }>();
      const restarts = new Set(places.map((place) => (place % count) + 1));
      for (let version = 1; version <= count; version += 1) {
        folded.fold(message(version));
        carried.fold(message(version));
        if (!restarts.has(version)) continue;
        for (const [name, text] of carried.store()) stored.set(name, { text });
        const restored = SessionViews.restore(stored);
        if (restored === null) throw new Error("a part is missing");
        carried = restored;
      }
      expect(messageCount(carried.transcript)).toBe(count);
      expect(JSON.stringify(messagesOf(carried.transcript))).toBe(
        JSON.stringify(messagesOf(folded.transcript)),
      );
      expect(JSON.stringify(carried.session)).toBe(JSON.stringify(folded.session));
    }),
    { numRuns: 30 },
  );
});

test("views of which a page was not kept are not restored, and give everything the next time", () => {
  const views = new SessionViews();
  for (let version = 1; version <= PAGE_SIZE + 1; version += 1) views.fold(message(version));
  const texts = views.store();
  expect([...texts.keys()].sort()).toEqual(["transcript/0", "views"]);
  expect(SessionViews.restore(new Map([["views", { text: texts.get("views") ?? "" }]]))).toBeNull();
  expect([...views.store().keys()]).toEqual(["views"]);
  views.forgetStored();
  expect([...views.store().keys()].sort()).toEqual(["transcript/0", "views"]);
});
