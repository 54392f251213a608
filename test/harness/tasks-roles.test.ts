import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtInRoles, mergeRoles, rolesIn, type Role } from "../../src/harness/tasks/roles.ts";
import { loadRoles, roleNamed } from "../../src/harness/index.ts";
import { rounds } from "../support/soak.ts";
import { temporaryFolder } from "../support/runtimes.ts";

function folders(home: unknown, project: unknown): { readonly home: string; readonly cwd: string } {
  const places = { home: temporaryFolder(), cwd: temporaryFolder() };
  const files: [string, string, unknown][] = [
    [places.home, "agent", home],
    [places.cwd, ".lemon", project],
  ];
  for (const [folder, name, content] of files) {
    if (content === undefined) continue;
    mkdirSync(path.join(folder, name));
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(path.join(folder, name, "subagents.json"), text);
  }
  return places;
}

describe("roles", () => {
  test("a project's stand over a user's, and those over the built-in ones, by id", async () => {
    const places = folders(
      [
        { id: "review", prompt: "mine" },
        { id: "own", prompt: "own", model: "a/b" },
      ],
      { subagents: [{ id: "review", prompt: "the project's" }] },
    );
    const { roles, warnings } = await loadRoles({ ...places, isTrusted: true });
    expect(warnings).toEqual([]);
    expect([...roles.keys()].toSorted()).toEqual(["implement", "own", "research", "review", "test"]);
    expect(roles.get("review")?.prompt).toBe("the project's");
    expect(roles.get("own")).toEqual({ id: "own", prompt: "own", model: "a/b", delegate: false });
  });

  test("entries without an id or a prompt are left out, with a warning that holds no content", async () => {
    const places = folders(
      [
        { prompt: "hush" },
        { id: "x" },
        { id: " ", prompt: "hush" },
        { id: "y", prompt: "  " },
        7,
        null,
        { id: "ok", prompt: "fine" },
      ],
      undefined,
    );
    const { roles, warnings } = await loadRoles({ ...places, isTrusted: true });
    expect(roles.has("ok")).toBe(true);
    expect(roles.size).toBe(builtInRoles.length + 1);
    expect(warnings).toHaveLength(6);
    expect(warnings.join()).not.toContain("hush");
  });

  test.each([
    ["{", "it is no JSON"],
    ['"text"', "expected a list"],
    ['{"subagents":{}}', "expected a list"],
  ])("a file that holds %j is left out", async (text, why) => {
    const { roles, warnings } = await loadRoles({ ...folders(text, undefined), isTrusted: true });
    expect(roles.size).toBe(builtInRoles.length);
    expect(warnings).toEqual([expect.stringContaining(why)]);
  });

  test("a project that is not trusted gives prompts, and lets nobody delegate", async () => {
    const places = folders(undefined, [{ id: "lead", prompt: "lead", delegate: true }]);
    const untrusted = await loadRoles({ ...places, isTrusted: false });
    expect(untrusted.roles.get("lead")).toMatchObject({ prompt: "lead", delegate: false });
    expect(untrusted.warnings).toEqual([expect.stringContaining("not trusted")]);
    const trusted = await loadRoles({ ...places, isTrusted: true });
    expect(trusted.roles.get("lead")).toMatchObject({ delegate: true });
  });

  test("one that nobody knows is refused with the names of all", async () => {
    const { roles } = await loadRoles({ ...folders(undefined, undefined), isTrusted: true });
    expect(() => roleNamed(roles, "toString")).toThrow("implement, research, review, test");
  });

  test("any JSON is read without a throw, and the last of an id wins", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const { roles } = rolesIn("f", json);
        expect(roles.every(({ id, prompt }) => id.trim() !== "" && prompt.trim() !== "")).toBe(true);
      }),
      { numRuns: rounds(200, 1_000, 10_000) },
    );
    const role = fc.record<Role>({
      id: fc.constantFrom("a", "b", "c"),
      prompt: fc.string({ minLength: 1 }),
      model: fc.constant(null),
      delegate: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.array(role)), (lists) => {
        const merged = mergeRoles(...lists);
        for (const [id, found] of merged) expect(found).toBe(lists.flat().findLast((each) => each.id === id));
      }),
      { numRuns: rounds(100, 1_000, 10_000) },
    );
  });
});
