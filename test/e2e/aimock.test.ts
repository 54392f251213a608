/**
 * The command against a model server of another's making, over real sockets, with its chaos on: 50 turns in a real
 * folder in the long form (npm run test:long), 10 otherwise.
 */
import { LLMock } from "@copilotkit/aimock";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Fact, FactData } from "../../src/events/index.ts";
import { Lemon, type Line } from "../crash/lemon.ts";
import { privateBuild } from "../crash/victim.ts";
import { temporaryFolder } from "../support/runtimes.ts";
import { rounds } from "../support/soak.ts";

const turns = rounds(10, 50, 50);
const timeout = 300_000;
const build = privateBuild("aimock");
const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(async () => {
  await mock.stop();
  build.remove();
});

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What its result must hold. */
  readonly shows: string;
}

/** What the model asks for in a turn: round after round of the same seven tools, each round on a file of its own. */
function callsOf(turn: number): Call[] {
  const round = Math.floor(turn / 6);
  const file = `src/part-${round}.txt`;
  const lines = `first of ${round}\nsecond of ${round} – ünïcode 🍋\n`;
  const rounds: Call[][] = [
    [{ name: "write", args: { path: file, content: lines }, shows: file }],
    [
      { name: "read", args: { path: file }, shows: "🍋" },
      { name: "ls", args: { path: "src" }, shows: `part-${round}.txt` },
    ],
    [{ name: "edit", args: { path: file, oldText: "second", newText: "last" }, shows: file }],
    [
      {
        name: "bash",
        args: { command: `cat ${file} && echo round ${round} >> rounds.log` },
        shows: `last of ${round}`,
      },
    ],
    [{ name: "grep", args: { pattern: `last of ${round}` }, shows: `part-${round}.txt` }],
    [{ name: "find", args: { pattern: "*.txt" }, shows: `part-${round}.txt` }],
  ];
  return rounds[turn % 6] ?? [];
}

/** Requests of a turn: those with so many answers before them. Some answers break off when they are first given. */
function script(): void {
  for (let turn = 0; turn <= turns; turn += 1) {
    const match = {
      predicate: ({ messages }: { messages: readonly { role: string }[] }) =>
        messages.filter(({ role }) => role === "assistant").length === turn,
    };
    const text = turn === turns ? "All done." : `Turn ${turn}: I go on with the work as it was asked for.`;
    const toolCalls = callsOf(turn).map(({ name, args }) => ({ name, arguments: JSON.stringify(args) }));
    const response = turn === turns ? { content: text } : { content: text, toolCalls };
    if (turn % 9 === 4) {
      const broken = { chunkSize: 4, latency: 1, truncateAfterChunks: 5 };
      mock.addFixture({ match: { ...match, sequenceIndex: 0 }, response, ...broken });
    }
    mock.addFixture({ match, response, chunkSize: 16 });
  }
}

/** The mock server's chaos draws from `Math.random`: with this, the same faults come in every run. */
function seededRandom(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

const protocols = [
  {
    name: "OpenAI",
    model: "openai/mock-1",
    env: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "key-of-a-test" }),
  },
  {
    name: "Anthropic",
    model: "anthropic/mock-1",
    env: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "key-of-a-test" }),
  },
];

describe.each(protocols)("lemon run over the $name protocol", { timeout }, ({ model, env }) => {
  test(`goes through ${turns} turns with tool calls, whatever the server does`, async () => {
    const folder = temporaryFolder();
    const cwd = path.join(folder, "work");
    mkdirSync(cwd);
    mock.clearFixtures();
    mock.clearRequests();
    script();
    mock.setChaos({ rateLimitRate: 0.07, dropRate: 0.07, malformedRate: 0.05, disconnectRate: 0.05 });
    const chance = vi.spyOn(Math, "random").mockImplementation(seededRandom());
    const lemon = new Lemon(build.dist, path.join(folder, "home"), { cwd, env: env(mock.url) });
    const run = await lemon.run(
      "--json",
      "run",
      "Do the work",
      "--model",
      model,
      "--approve",
      "auto",
      "--session",
      "e2e",
    );
    chance.mockRestore();
    mock.clearChaos();

    expect(run.stderr).toBe("");
    expect(run.status).toBe(0);
    expect(run.lines[0]).toEqual({ type: "header", schemaVersion: 1, sessionId: "e2e" });
    expect(run.lines.at(-1)).toMatchObject({
      type: "result",
      status: "completed",
      stopReason: "end_turn",
      text: "All done.",
    });

    const facts = (await lemon.run("--json", "facts", "e2e")).lines as unknown as readonly Fact[];
    checkTranscript(facts);
    checkFiles(cwd);
    checkFailures(facts);
    const [report] = (await lemon.run("--json", "replay", "e2e")).lines;
    expect(report).toMatchObject({ sessionId: "e2e", facts: facts.length, divergences: [] });
    const verify = await lemon.run("--json", "verify");
    expect(verify).toMatchObject({ status: 0, lines: [{ findings: [] }] });
    checkShown((await lemon.run("--json", "show", "e2e")).lines);
  });
});

function dataOf<Type extends "model.responded" | "model.failed" | "tool_call.returned">(
  facts: readonly Fact[],
  type: Type,
): FactData<Type>[] {
  return facts.filter((fact) => fact.type === type).map(({ data }) => data as FactData<Type>);
}

/** Every answer is there once, in order, with its calls; every call has its result. */
function checkTranscript(facts: readonly Fact[]): void {
  const answers = dataOf(facts, "model.responded");
  expect(answers).toHaveLength(turns + 1);
  const results = new Map(dataOf(facts, "tool_call.returned").map((data) => [data.callId, data]));
  for (const [turn, { content, calls }] of answers.entries()) {
    const said = content.map(({ text }) => text).join("");
    expect(said).toBe(
      turn === turns ? "All done." : `Turn ${turn}: I go on with the work as it was asked for.`,
    );
    const expected = turn === turns ? [] : callsOf(turn);
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual(
      expected.map(({ name, args }) => ({ name, args })),
    );
    for (const [index, { callId }] of calls.entries()) {
      const result = results.get(callId);
      expect(result).toMatchObject({ isError: false });
      expect(JSON.stringify(result?.content)).toContain(expected[index]?.shows);
    }
  }
}

function checkFiles(cwd: string): void {
  const written = Array.from({ length: Math.floor((turns - 1) / 6) + 1 }, (_, round) => round);
  const edited = (round: number): boolean => round * 6 + 2 < turns;
  expect(readdirSync(path.join(cwd, "src")).sort()).toEqual(
    written.map((round) => `part-${round}.txt`).sort(),
  );
  for (const round of written) {
    const second = edited(round) ? "last" : "second";
    expect(readFileSync(path.join(cwd, `src/part-${round}.txt`), "utf8")).toBe(
      `first of ${round}\n${second} of ${round} – ünïcode 🍋\n`,
    );
  }
  const ran = written.filter((round) => round * 6 + 3 < turns);
  expect(readFileSync(path.join(cwd, "rounds.log"), "utf8")).toBe(
    ran.map((round) => `round ${round}\n`).join(""),
  );
}

/** The chaos was there: attempts failed, each was worth another try, and each kind of failure was among them. */
function checkFailures(facts: readonly Fact[]): void {
  const failures = dataOf(facts, "model.failed");
  expect(failures.every(({ retryable, delayMs }) => retryable && delayMs !== null)).toBe(true);
  const classes = new Set(failures.map((failure) => failure.class));
  expect(classes.size).toBeGreaterThanOrEqual(turns > 10 ? 4 : 2);
  expect(failures.length).toBeGreaterThanOrEqual(turns / 10);
}

/** What a person is shown is the same conversation: nothing of a broken answer is in it. */
function checkShown(lines: readonly Line[]): void {
  const shown = JSON.stringify(lines);
  expect(shown.match(/Turn \d+: I go on/g)).toHaveLength(turns);
  expect(shown).toContain("All done.");
}
