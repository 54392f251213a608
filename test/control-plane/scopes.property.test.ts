import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { Dispatcher } from "../../src/control-plane/dispatcher.ts";
import { methods, parseScopes, reduceScopes, Tokens, type Scope } from "../../src/control-plane/index.ts";
import { rounds } from "../support/soak.ts";
import { Plane } from "./support/plane.ts";

const names: readonly Scope[] = ["read", "write", "approvals", "admin"];
const someScopes = fc.subarray([...names]).map((list) => new Set<Scope>(list));

test("a method runs for who holds its scope, or admin, and for nobody else", async () => {
  const plane = await Plane.make();
  const ran: string[] = [];
  const table = new Map(
    methods.map((method) => [
      method.name,
      { ...method, run: () => Promise.resolve(void ran.push(method.name)), params: z.object({}) },
    ]),
  );
  const { runtime, logger, ids } = plane.parts;
  const dispatcher = new Dispatcher({ methods: table, runtime, logger, ids });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), fc.option(someScopes), async ({ name, scope }, scopes) => {
      ran.length = 0;
      const message = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: name }));
      const answer = await dispatcher.answer(message, {
        scopes,
        subscriber: null,
        answered: Promise.resolve(),
      });
      const code = (JSON.parse(answer ?? "") as { error?: { code: number } }).error?.code;
      const expected =
        scopes === null ? -32001 : scopes.has("admin") || scopes.has(scope) ? undefined : -32002;
      expect([name, code, ran.length]).toEqual([name, expected, expected === undefined ? 1 : 0]);
    }),
    { numRuns: rounds(300, 3_000, 20_000) },
  );
});

test("the scope of each method", () => {
  const of = (scope: Scope): string[] =>
    methods.filter((method) => method.scope === scope).map(({ name }) => name);
  expect(of("approvals")).toEqual(["approvals.resolve"]);
  expect(of("admin")).toEqual(["extensions.reload"]);
  expect(of("write")).toEqual(expect.arrayContaining(["sessions.prompt", "todos.put", "background.start"]));
  expect(of("read")).toEqual(expect.arrayContaining(["agent.progress", "replay.verify", "facts.subscribe"]));
});

test("what is reduced allows what both allow", () => {
  fc.assert(
    fc.property(someScopes, someScopes, fc.constantFrom(...names), (held, limit, needed) => {
      const may = (scopes: ReadonlySet<Scope>): boolean => scopes.has("admin") || scopes.has(needed);
      expect(may(reduceScopes(held, limit))).toBe(may(held) && may(limit));
      expect(reduceScopes(held, null)).toBe(held);
    }),
  );
});

test("a list of scopes", () => {
  expect(parseScopes("read, approvals")).toEqual(new Set(["read", "approvals"]));
  for (const wrong of ["", "read,", "all", "READ"]) expect(parseScopes(wrong)).toBeNull();
});

test("a token is known by all of its characters", () => {
  const text = fc.stringMatching(/^[\w-]{16,40}$/);
  fc.assert(
    fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 5 }), text, (known, other) => {
      const tokens = new Tokens(null);
      known.forEach((token, at) => tokens.add(token, [names[at % 4] ?? "read"]));
      known.forEach((token, at) => {
        expect(tokens.scopesOf(`Bearer ${token}`)).toEqual(new Set([names[at % 4]]));
        expect(tokens.scopesOf(`Bearer ${token.slice(1)}`)).toBeNull();
      });
      expect(tokens.scopesOf(`Bearer ${other}`) !== null).toBe(known.includes(other));
      expect(tokens.scopesOf(undefined)).toBeNull();
    }),
  );
});

test("configured tokens: a variable that is not set, or too short, is told and opens nothing", () => {
  const tokens = new Tokens(null);
  const warnings = tokens.addConfigured(
    {
      a: { tokenEnv: "A", scopes: ["read"] },
      b: { tokenEnv: "B", scopes: ["write"] },
      c: { tokenEnv: "C", scopes: ["admin"] },
    },
    { A: "a-token-of-some-length", B: "short" },
  );
  expect(warnings).toEqual([
    "control_plane.tokens.b can't be used: B has fewer than 16 characters",
    "control_plane.tokens.c can't be used: C is not set",
  ]);
  expect(tokens.scopesOf("Bearer a-token-of-some-length")).toEqual(new Set(["read"]));
  expect(tokens.scopesOf("Bearer short")).toBeNull();
});
