import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { parseLines, Place, type Json } from "./support/command.ts";

let place: Place;
let facts: readonly Json[];

beforeAll(async () => {
  place = await Place.make();
  const script = await place.script([
    { text: "Let me look.", toolCalls: [{ name: "bash", args: { command: "echo hi" } }] },
    { text: "Done." },
  ]);
  expect((await place.lemon("run", "--script", script, "--session", "s", "Go")).status).toBe(0);
  facts = (await place.json("facts", "s")).lines;
});

test("facts prints one whole fact a line, and can begin later or keep to types", async () => {
  expect(facts.map(({ version }) => version as number)).toEqual(facts.map((_, index) => index + 1));
  expect(Object.keys(facts[0] ?? {})).toEqual(
    expect.arrayContaining([
      "position",
      "stream",
      "version",
      "type",
      "schemaVersion",
      "at",
      "kind",
      "data",
      "hash",
    ]),
  );
  const some = (
    await place.json("facts", "s", "--from", "4", "--type", "turn.started", "--type", "turn.ended")
  ).lines;
  const wanted = facts.filter(({ version, type }) => version >= 4 && /^turn\.(started|ended)$/.test(type));
  expect(some).toEqual(wanted);
  const { stdout, stderr } = await place.lemon("facts", "s", "--type", "turn.begun");
  expect({ stdout, stderr }).toEqual({
    stdout: "",
    stderr: "warning: --type: no fact is called turn.begun\n",
  });
  expect((await place.lemon("facts", "s")).stdout).toMatch(/^ {4}1 {2}\S+Z {2}input {5}session\.started /);
});

test("sessions lists them, show tells one of them", async () => {
  const { lines } = await place.json("sessions");
  expect(lines).toHaveLength(1);
  const [summary] = lines[0] as unknown as Json[];
  expect(summary).toMatchObject({
    sessionId: "s",
    cwd: place.cwd,
    model: "scripted/script",
    status: "shut_down",
  });
  expect((await place.lemon("sessions")).stdout).toMatch(
    /^s {2}shut_down {2}\d+ {2}\S+Z {2}scripted\/script {2}\//,
  );
  const shown = (await place.json("show", "s")).lines[0] ?? {};
  expect(Object.keys(shown).toSorted()).toEqual(
    (
      "approvals checkpoints extensions features files forkedFrom messages session sessionId supervision tasks todos tools " +
      "version"
    ).split(" "),
  );
  expect(shown["messages"].map(({ role }: Json) => role as string)).toEqual([
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  expect((await place.lemon("show", "s")).stdout).toMatch(
    /^session {3}s\n[^]*\nassistant \(version \d+\)\nLet me look\.\n→ bash echo hi\n/,
  );
});

test("a session can be shown at each of its versions", async () => {
  const versions = facts.map(({ version }) => version as number);
  const shown = await Promise.all(
    versions.map((version) => place.json("show", "s", "--at", String(version))),
  );
  expect(shown.map(({ status }) => status)).toEqual(versions.map(() => 0));
  expect(shown.map(({ lines }) => lines[0]?.["version"] as number)).toEqual(versions);
  const beyond = await place.lemon("show", "s", "--at", String(versions.length + 1));
  expect(beyond.status).toBe(2);
  expect(beyond.stderr).toContain(`versions 1 to ${versions.length}`);
});

test("replay compares; a decision in the log that nobody takes is a divergence, shown side by side, and status 1", async () => {
  const { status, lines } = await place.json("replay", "s");
  expect(status).toBe(0);
  expect(lines).toEqual([
    {
      sessionId: "s",
      facts: facts.length,
      unavailable: 0,
      divergences: [],
      stateHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
  const log = await openEventLog(place.log);
  const forged = {
    type: "turn.started",
    data: { turn: 9 },
    kind: "decision",
    actor: "sessions/s",
    causation: 1,
  } as const;
  await log.append("session-s", "any", [{ ...forged, correlation: null }]);
  await log.close();
  const diverged = await place.json("replay", "s");
  expect(diverged.status).toBe(1);
  expect(diverged.lines[0]?.["divergences"]).toMatchObject([
    { version: facts.length + 1, kind: "decision_extra", expected: { type: "turn.started" }, actual: null },
  ]);
  const { status: human, stdout } = await place.lemon("replay", "s");
  expect(human).toBe(1);
  expect(stdout).toMatch(
    /1 divergence\n[^]*- as recorded {3}\+ as it is now\n[^]*-.*"turn\.started"[^]*\+ \(nothing\)/,
  );
});

test("verify counts what is wrong, and backup copies to a free name only", async () => {
  const { status, lines } = await place.json("verify");
  expect(status).toBe(0);
  expect(lines).toEqual([
    { location: place.log, facts: expect.any(Number), streams: expect.any(Number), findings: [] },
  ]);
  const copy = path.join(place.folder, "copy.db");
  expect((await place.json("backup", copy)).lines).toEqual([{ file: copy }]);
  const again = await place.lemon("backup", copy);
  expect(again.status).toBe(2);
  expect(again.stderr).toContain(`${copy} exists`);
  expect((await place.lemon("facts", "s", "--log", copy, "--json")).stdout).toContain('"session.started"');
});

test("tree shows what ran under whom, now and at an earlier position", async () => {
  const { lines } = await place.json("tree");
  const ids = (nodes: readonly Json[]): unknown[] => nodes.map(({ id, children }) => [id, ids(children)]);
  expect(lines[0]).toMatchObject({
    runtimeId: expect.stringMatching(/^rt_/),
    path: "runtime",
    gaveUpOn: null,
  });
  expect(ids(lines[0]?.["children"])).toEqual([
    ["log", []],
    [
      "services",
      [
        [
          "extensions",
          [
            ["workers", []],
            ["registry", []],
          ],
        ],
        ["sessions", [["s", [["stream", []]]]]],
        ["side_queries", []],
        ["background", []],
        ["subagents", []],
      ],
    ],
  ]);
  const first = (await place.lemon("tree", "--at", "1")).stdout;
  expect(first).toMatch(/^runtime {2}rt_\w+, position 1\n└─ \w+ {2}\w+, running since/);
  expect((await place.lemon("tree")).stdout).toContain("stream  worker, exited (shutdown)");
});

test("without a log there are no sessions and no approvals, what is asked for by id is not there, and nothing is made", async () => {
  const empty = await Place.make();
  for (const command of ["sessions", "approvals"]) {
    const { status, stdout, stderr } = await empty.lemon(command);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "",
      stderr: `warning: there is no log at ${empty.log} yet\n`,
    });
  }
  expect(parseLines((await empty.lemon("sessions", "--json", "-q")).stdout)).toEqual([[]]);
  const asked = [
    ["show", "s"],
    ["facts", "s"],
    ["replay", "s"],
    ["resume", "s"],
    ["verify"],
    ["backup", "b"],
    ["tree"],
    ["allow", "c"],
  ];
  const ends = await Promise.all(asked.map((args) => empty.lemon(...args)));
  expect(ends.map(({ status }) => status)).toEqual(asked.map(() => 3));
  expect(existsSync(empty.home)).toBe(false);
});
