import { createHash } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../support/soak.ts";
import { later, Place } from "./place.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const isRoot = process.getuid?.() === 0;

describe("beyond a bound", () => {
  it("a file that is too large is compared by what the system says of it, and its content is unknown", async () => {
    const place = new Place({ limits: { fileBytes: 10 } });
    place.write({ "ten.txt": "0123456789", "eleven.txt": "01234567890", "still.txt": "a larger file" });
    const outcome = await place.around(() => place.write({ "ten.txt": "x", "eleven.txt": "12345678901" }));
    expect(place.short(outcome)).toEqual([
      "modified eleven.txt (file_too_large)",
      "modified ten.txt",
      "file_too_large",
    ]);
    expect(outcome).toMatchObject({
      coverage: "partial",
      files: [{ beforeSha256: null, afterSha256: null }, {}],
    });
    const shrunk = await place.around(() => place.write({ "eleven.txt": "small" }));
    expect(shrunk.files).toMatchObject([
      { beforeSha256: null, afterSha256: sha("small"), code: "file_too_large" },
    ]);
    const grown = await place.around(() => place.write({ "eleven.txt": "not so small" }));
    expect(grown.files).toMatchObject([
      { beforeSha256: sha("small"), afterSha256: null, code: "file_too_large" },
    ]);
    const chmod = await place.around(() => chmodSync(join(place.root, "still.txt"), 0o600));
    expect(place.short(chmod)).toEqual(["mode still.txt (file_too_large)", "file_too_large"]);
  });

  it("of too many files the smallest are known", async () => {
    const place = new Place({ limits: { files: 2 } });
    place.write({ "a/large.txt": "large", "b/mid.txt": "mid", "c.txt": "s" });
    const outcome = await place.around(() =>
      place.write({ "a/large.txt": "LARGE", "b/mid.txt": "MID", "c.txt": "S" }),
    );
    expect(place.short(outcome)).toEqual([
      "modified a/large.txt (file_limit)",
      "modified b/mid.txt",
      "modified c.txt",
      "file_limit",
    ]);
  });

  it("of too many bytes the smallest files are read, and the rest by the next scan", async () => {
    const place = new Place({ limits: { readBytes: 10 }, inProcess: later });
    place.write({ "four.txt": "1234", "five.txt": "12345", "six.txt": "123456" });
    const first = await place.open();
    expect((await first.close()).coverageReasons).toEqual(["byte_limit"]);
    const second = await place.around(() => place.write({ "six.txt": "654321" }));
    expect(second).toMatchObject({ coverage: "full", files: [{ beforeSha256: sha("123456") }] });
  });

  it("what the time did not suffice for is neither new nor gone", async () => {
    let left = Infinity;
    const monotonic = (): number => ((left -= 1) < 0 ? 10_000 : 0);
    const place = new Place({ inProcess: { now: Date.now, monotonic } });
    place.write({ "a/1.txt": "1", "a/2.txt": "2", "b/3.txt": "3" });
    left = 4;
    const late = await place.around(() => place.write({ "a/1.txt": "changed" }));
    expect(late.coverageReasons).toEqual(["time_limit"]);
    expect(late.files.filter(({ change }) => change !== "modified")).toEqual([]);
    left = Infinity;
    const window = await place.open();
    left = 2;
    expect(await window.close()).toMatchObject({ files: [], coverageReasons: ["time_limit"] });
  });

  it.skipIf(isRoot)(
    "what can't be read is a reason, and compared by what the system says of it",
    async () => {
      const place = new Place();
      place.write({ "closed.txt": "c", "shut/in.txt": "i", "a.txt": "a" });
      chmodSync(join(place.root, "closed.txt"), 0);
      chmodSync(join(place.root, "shut"), 0);
      const outcome = await place.around(() => place.write({ "a.txt": "b" }));
      chmodSync(join(place.root, "shut"), 0o700);
      expect(place.short(outcome)).toEqual(["modified a.txt", "unreadable"]);
    },
  );

  it("whatever the bounds are, nothing false is said", async () => {
    const sizes = fc.array(fc.nat(30), { minLength: 1, maxLength: 8 });
    const limits = fc.record({ files: fc.nat(6), fileBytes: fc.nat(30), readBytes: fc.nat(60) });
    await fc.assert(
      fc.asyncProperty(
        sizes,
        limits,
        fc.array(fc.nat(7), { maxLength: 4 }),
        fc.nat(40),
        async (all, bounds, changed, ticks) => {
          let left = Infinity;
          const monotonic = (): number => ((left -= 1) < 0 ? 10_000 : 0);
          const place = new Place({ limits: bounds, inProcess: { now: later.now, monotonic } });
          const text = new Map(all.map((size, index) => [`d${index % 3}/${index}.txt`, "a".repeat(size)]));
          place.write(Object.fromEntries(text));
          const changes = [...text.keys()].filter((_, index) => changed.includes(index));
          if (ticks % 2 === 0) left = ticks;
          const outcome = await place.around(() => {
            left = ticks % 3 === 0 ? ticks : Infinity;
            for (const name of changes) writeFileSync(join(place.root, name), `${text.get(name)}b`);
          });
          const listed = outcome.files.map(({ path }) => path.slice(place.root.length + 1));
          expect(changes).toEqual(expect.arrayContaining(listed));
          if (outcome.coverage === "full") expect(listed.toSorted()).toEqual(changes.toSorted());
          for (const { path, beforeSha256, afterSha256, change, code } of outcome.files) {
            const old = text.get(path.slice(place.root.length + 1)) ?? "";
            expect(change).toBe("modified");
            expect([sha(old), null]).toContain(beforeSha256);
            expect([sha(`${old}b`), null]).toContain(afterSha256);
            expect(code === null).toBe(beforeSha256 !== null && afterSha256 !== null);
            if (code !== null) expect(outcome.coverageReasons).toContain(code);
          }
          await place.end();
        },
      ),
      { numRuns: rounds(40, 400, 3_000) },
    );
  });
});
