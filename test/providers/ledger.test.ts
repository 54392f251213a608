import { describe, expect, it } from "vitest";
import {
  openLedger,
  registerProviders,
  servedBy,
  unregisterProviders,
  type ProviderOffer,
} from "../../src/providers/index.ts";

const offer = (
  type: string,
  name: string,
  module: string,
  sourcePath: string | null = `/${module}.ts`,
): ProviderOffer => ({
  type,
  name,
  module,
  sourcePath,
});
const user = (id: string, generation: number) => ({ id, generation });
const empty = openLedger([{ type: "model", name: "anthropic" }]);

describe("registering", () => {
  it("tells what is registered and who lost, by type and name", () => {
    const { report } = registerProviders(empty, user("one", 1), [
      offer("search", "web", "b"),
      offer("model", " acme ", "b"),
      offer("model", "acme", "a"),
      offer("memory", "acme", "c"),
    ]);
    expect(report).toEqual({
      registered: [
        { type: "memory", name: "acme", module: "c#acme", extension: "c" },
        { type: "model", name: "acme", module: "a#acme", extension: "a" },
        { type: "search", name: "web", module: "b#web", extension: "b" },
      ],
      conflicts: [{ type: "model", name: "acme", winner: "a", shadowed: ["b"] }],
      totalRegistered: 3,
      totalConflicts: 1,
    });
  });

  it("gives core names to nobody", () => {
    const { ledger, report } = registerProviders(empty, user("one", 1), [
      offer("model", "anthropic", "a"),
      offer("memory", "local", "b"),
      offer("memory", "local", "a"),
      offer("search", "anthropic", "a"),
    ]);
    expect(report.registered.map(({ type }) => type)).toEqual(["search"]);
    expect(report.conflicts).toEqual([
      { type: "memory", name: "local", winner: "builtin", shadowed: ["a", "b"] },
      { type: "model", name: "anthropic", winner: "builtin", shadowed: ["a"] },
    ]);
    expect(servedBy(ledger, "model", "anthropic")).toBeNull();
  });

  it("has an extension that lists a provider twice win and lose", () => {
    const { report } = registerProviders(empty, user("one", 1), [
      offer("model", "acme", "a"),
      offer("model", "acme", "a"),
    ]);
    expect([report.totalRegistered, report.conflicts]).toEqual([
      1,
      [{ type: "model", name: "acme", winner: "a", shadowed: ["a"] }],
    ]);
  });

  it("passes over what is of no known type or has no name", () => {
    const offers = [offer("storage", "a", "a"), offer("model", " ", "a"), offer("toString", "a", "a")];
    expect(registerProviders(empty, user("one", 1), offers)).toEqual({
      ledger: empty,
      report: { registered: [], conflicts: [], totalRegistered: 0, totalConflicts: 0 },
    });
  });

  it("shares the same registration, served by the newest load, and gives another one nothing", () => {
    const first = registerProviders(empty, user("one", 1), [offer("model", "acme", "git")]);
    const second = registerProviders(first.ledger, user("two", 2), [offer("model", "acme", "git")]);
    const other = registerProviders(second.ledger, user("three", 3), [
      offer("model", "acme", "git", "/elsewhere/git.ts"),
      offer("model", "acme", "a"),
    ]);
    expect([second.report, other.report]).toEqual([
      first.report,
      {
        registered: [],
        conflicts: [{ type: "model", name: "acme", winner: "git", shadowed: ["a", "git"] }],
        totalRegistered: 0,
        totalConflicts: 1,
      },
    ]);
    expect(servedBy(other.ledger, "model", "acme")).toEqual({
      type: "model",
      name: "acme",
      module: "git",
      sourcePath: "/git.ts",
      user: user("two", 2),
    });
  });
});

describe("unregistering", () => {
  const first = registerProviders(empty, user("one", 1), [offer("model", "acme", "git")]);
  const second = registerProviders(first.ledger, user("two", 2), [offer("model", "acme", "git")]);

  it("takes a registration away with its last user", () => {
    const left = unregisterProviders(second.ledger, "two", second.report);
    expect(servedBy(left.ledger, "model", "acme")?.user).toEqual(user("one", 1));
    expect(left.report.registered).toEqual([]);
    const gone = unregisterProviders(left.ledger, "one", first.report);
    expect(gone.ledger).toEqual(empty);
    expect(gone.report.registered).toEqual(first.report.registered);
  });

  it("a second time changes nothing", () => {
    const left = unregisterProviders(second.ledger, "two", second.report);
    expect(unregisterProviders(left.ledger, "two", second.report).ledger).toEqual(left.ledger);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "report"],
    ["an empty report", { registered: [] }],
    ["a report whose list is none", { registered: { type: "model" } }],
    ["odd items", { registered: [null, 1, {}, { type: "model", name: 1, extension: "git" }] }],
    ["an unknown type", { registered: [{ type: "storage", name: "acme", extension: "git" }] }],
    ["what another extension registered", { registered: [{ type: "model", name: "acme", extension: "a" }] }],
    ["the built-in memory", { registered: [{ type: "memory", name: "local", extension: "builtin" }] }],
  ])("with %s changes nothing", (_case, report) => {
    expect(unregisterProviders(second.ledger, "two", report).ledger).toEqual(second.ledger);
  });

  it("by somebody who does not use it changes nothing", () => {
    expect(unregisterProviders(first.ledger, "two", first.report).ledger).toEqual(first.ledger);
  });
});
