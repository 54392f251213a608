import { expect, test } from "vitest";
import { hash16 } from "../../src/tools/index.ts";

test("a hash for show is the beginning of SHA-256 over UTF-8, and nothing stays nothing", () => {
  expect(hash16("")).toBe("e3b0c44298fc1c14");
  expect(hash16("abc")).toBe("ba7816bf8f01cfea");
  expect(hash16("ä")).toBe("33e6d73fee82904c");
  expect(hash16(null)).toBeNull();
});
