import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { createMasker } from "../../src/secrets/index.ts";

const value = 'k"ey/+ ü-0123456789';
const masker = createMasker([{ name: "API_KEY", value }]);

describe("a masker", () => {
  test("hides a value raw, JSON-escaped, URL-encoded, in hexadecimal and in base64", () => {
    const bytes = Buffer.from(value);
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
    ]) {
      expect(masker.json({ text: `before ${form} after` })).toEqual({
        text: "before {{secret:API_KEY}} after",
      });
    }
    for (const before of ["", "a", "ab"]) {
      for (const encoding of ["base64", "base64url"] as const) {
        const text = Buffer.from(`${before}${value}tail`).toString(encoding);
        expect(masker.json(text)).toContain("{{secret:API_KEY}}");
      }
    }
  });

  test("gives the same object back when there is nothing to hide", () => {
    const clean = { a: ["x", { b: 1 }], c: null };
    expect(masker.json(clean)).toBe(clean);
  });

  test("hides the longer of two secrets of which one is part of the other", () => {
    const two = createMasker([
      { name: "SHORT", value: "12345678" },
      { name: "LONG", value: "1234567890" },
    ]);
    expect(two.json("1234567890 12345678")).toBe("{{secret:LONG}} {{secret:SHORT}}");
  });

  test("leaves identifiers and values below eight characters alone", () => {
    const short = createMasker([{ name: "PIN", value: "1234567" }]);
    expect(short.json({ text: "1234567" })).toEqual({ text: "1234567" });
    const id = "call_0123456789abcdef";
    const named = createMasker([
      { name: "ID", value: id },
      { name: "WORD", value: "completed" },
    ]);
    expect(named.json({ callId: id, status: "completed" })).toEqual({ callId: id, status: "completed" });
    expect(named.json({ text: id, note: "completed" })).toEqual({
      text: "{{secret:ID}}",
      note: "{{secret:WORD}}",
    });
  });

  test("hides a value under the name of an identifier or of an enumerated word, where tools may put one", () => {
    const hidden = { callId: "{{secret:API_KEY}}", type: "{{secret:API_KEY}}", status: "{{secret:API_KEY}}" };
    expect(masker.json({ callId: value, type: value, status: value })).toEqual(hidden);
  });

  test("hides names of members and bytes", () => {
    expect(masker.json({ [value]: 1 })).toEqual({ "{{secret:API_KEY}}": 1 });
    const bytes = Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from(value), Buffer.from([0xfe])]);
    expect(Buffer.from(masker.bytes(bytes))).toEqual(
      Buffer.concat([Buffer.from([0xff, 0x00]), Buffer.from("{{secret:API_KEY}}"), Buffer.from([0xfe])]),
    );
  });
});
