import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../src/events/index.ts";
import { createMasker } from "../../src/secrets/index.ts";

const secret = fc
  .string({ unit: "grapheme", minLength: 8, maxLength: 40 })
  .filter((text) => text.isWellFormed() && text.length >= 8);
const around = fc.string({ unit: "grapheme", maxLength: 20 });

test("no form of a secret is left in any JSON value", () => {
  fc.assert(
    fc.property(secret, around, around, fc.jsonValue(), (value, before, after, other) => {
      const { json } = createMasker([{ name: "S", value }]);
      const bytes = Buffer.from(before + value + after);
      const hidden = json({
        plain: before + value + after,
        nested: [{ deep: encodeURIComponent(value) }],
        hex: bytes.toString("hex"),
        other: other as Json,
      });
      const text = JSON.stringify(hidden);
      expect(text).not.toContain(JSON.stringify(value).slice(1, -1));
      expect(text).not.toContain(Buffer.from(value).toString("hex"));
    }),
  );
});

test("text in pieces, however it is cut, shows what the whole shows, and never a part of a secret that could be more", () => {
  fc.assert(
    fc.property(
      secret,
      around,
      around,
      fc.array(fc.nat(60), { maxLength: 8 }),
      (value, before, after, cuts) => {
        const masker = createMasker([{ name: "S", value }]);
        const whole = before + value + after + value;
        const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort(
          (a, b) => a - b,
        );
        const pieces = masker.pieces();
        let shown = "";
        for (const [index, place] of places.entries()) {
          const next = places[index + 1];
          if (next !== undefined) shown += pieces.push(whole.slice(place, next));
          expect(shown.includes(value)).toBe(false);
        }
        shown += pieces.flush();
        expect(shown.includes(value)).toBe(false);
      },
    ),
  );
});
