import fc from "fast-check";
import { isAbsolute, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { displayPath, homeOf, resolvePath } from "../../src/workspace/paths.ts";

const base = { cwd: "/srv/project", home: "/home/ada" };

describe("a path", () => {
  it.each([
    ["a.txt", "/srv/project/a.txt"],
    ["./a/../b", "/srv/project/b"],
    ["../x", "/srv/x"],
    ["/etc//hosts", "/etc/hosts"],
    ["~", "/home/ada"],
    ["~/t/notes.txt", "/home/ada/t/notes.txt"],
    ["~/../x", "/home/x"],
    ["~ada/x", "/srv/project/~ada/x"],
    ["a/~/x", "/srv/project/a/~/x"],
    ["./~/x", "/srv/project/~/x"],
    ["app/[id]/page *.tsx", "/srv/project/app/[id]/page *.tsx"],
    [" lead", "/srv/project/ lead"],
    ["caf\u{65}\u{301}", "/srv/project/caf\u{65}\u{301}"],
  ])("%j means %j", (path, wanted) => {
    expect(resolvePath(path, base)).toBe(wanted);
  });

  it.each(["", "  ", "\n", "a\0b"])("%j means nothing", (path) => {
    expect(() => resolvePath(path, base)).toThrow(expect.objectContaining({ code: "LEMON_INVALID_PATH" }));
  });

  it("is absolute and normalised, whatever was written, and shown so that it means the same again", () => {
    const segment = fc.oneof(
      fc.constantFrom("..", ".", "~", "[id]", "a b", "ü"),
      fc.stringMatching(/^[a-z]{1,5}$/),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), fc.boolean(), (segments, fromRoot) => {
        const path = resolvePath((fromRoot ? "/" : "") + segments.join("/"), base);
        expect(isAbsolute(path) && normalize(path) === path).toBe(true);
        const shown = displayPath(path, base.cwd);
        // A name that begins with a tilde is the one thing that reads otherwise.
        if (!shown.startsWith("~")) expect(resolvePath(shown, base)).toBe(path);
      }),
    );
  });
});

describe("the home directory", () => {
  it("is that of the environment where there is one", () => {
    expect(homeOf({ HOME: "/h" })).toBe("/h");
    expect(homeOf({ HOME: "" })).not.toBe("");
    expect(homeOf({})).not.toBe("");
  });
});
