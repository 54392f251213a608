import fc from "fast-check";
import { expect, it } from "vitest";
import { silentLogger } from "../../src/ports.ts";
import {
  createMemory,
  type MemoryDocument,
  type MemoryScope,
  memoryScopes,
} from "../../src/providers/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

const scope: fc.Arbitrary<MemoryScope> = fc.constantFrom(...memoryScopes);
const document: fc.Arbitrary<MemoryDocument> = fc.record({
  id: fc.constantFrom("a", "b", "c", "d", "e"),
  scope,
  content: fc.string(),
  createdAt: fc.nat(5),
  metadata: fc.constant({}),
});
const answered = fc.record({
  documents: fc.array(fc.oneof(document, fc.constantFrom(null, 1, { id: "a" })), { maxLength: 6 }),
  fails: fc.boolean(),
  enabled: fc.boolean(),
  scopes: fc.uniqueArray(scope),
});

it("a search gives, of what the enabled providers of the scope answer, the first of each id, newest first, up to the limit", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(answered, { maxLength: 4 }),
      scope,
      fc.integer({ min: 1, max: 6 }),
      async (all, asked, limit) => {
        const memory = createMemory({
          providers: all.map(({ documents, fails, enabled, scopes }, index) => ({
            id: String(index),
            source: "extension:x",
            config: { enabled, scopes },
            provider: {
              put: () => undefined,
              search: () => (fails ? Promise.reject(new Error("no")) : (documents as MemoryDocument[])),
            },
          })),
          clock: new ManualClock(),
          logger: silentLogger,
          mask: (value) => value,
        });

        const expected: MemoryDocument[] = [];
        for (const { documents, fails, enabled, scopes } of all) {
          if (fails || !enabled || (scopes.length > 0 && !scopes.includes(asked))) continue;
          for (const each of documents)
            if (
              each !== null &&
              typeof each === "object" &&
              "content" in each &&
              !expected.some(({ id }) => id === each.id)
            )
              expected.push(each);
        }
        expected.sort((a, b) => b.createdAt - a.createdAt);
        expect(await memory.search("q", { scope: asked, limit })).toEqual(expected.slice(0, limit));
      },
    ),
  );
});
