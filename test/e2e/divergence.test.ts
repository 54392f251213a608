/** A build whose machines decide otherwise: replay says where, and a session is not led by it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { Lemon } from "../crash/lemon.ts";
import { privateBuild } from "../crash/victim.ts";
import { temporaryFolder } from "../support/runtimes.ts";

const timeout = 120_000;
const ours = privateBuild("ours");
const other = privateBuild("other");
afterAll(() => {
  ours.remove();
  other.remove();
});

/** In the other build, a turn ends without counting its calls. */
function changeOneDecision(): void {
  const file = path.join(other.dist, "actors/session/run.js");
  const text = readFileSync(file, "utf8");
  const changed = text.replace("toolCalls: run.calls.length", "toolCalls: 0");
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
}

test(
  "a changed decision is the first divergence, and such a build opens the session read-only",
  { timeout },
  async () => {
    const folder = temporaryFolder();
    const cwd = path.join(folder, "work");
    mkdirSync(cwd);
    const script = path.join(folder, "script.json");
    const turns = [
      { toolCalls: [{ name: "bash", args: { command: "echo once >> counter.txt" } }] },
      { text: "Done." },
    ];
    writeFileSync(script, JSON.stringify({ turns }));
    const home = path.join(folder, "home");
    const lemon = new Lemon(ours.dist, home, { cwd });
    const changed = new Lemon(other.dist, home, { cwd });
    expect(
      await lemon.run("run", "Go", "--script", script, "--session", "s", "--approve", "auto"),
    ).toMatchObject({ status: 0 });
    changeOneDecision();

    const facts = (await lemon.run("--json", "facts", "s")).lines;
    const ended = facts.find(({ type }) => type === "turn.ended");
    const replay = await changed.run("--json", "replay", "s");
    expect(replay.status).toBe(1);
    expect(replay.lines).toHaveLength(1);
    expect(replay.lines[0]?.["divergences"]).toMatchObject([
      {
        position: ended?.["position"],
        version: ended?.["version"],
        kind: "decision_changed",
        expected: { type: "turn.ended", data: { turn: 1, toolCalls: 1 } },
        actual: { type: "turn.ended", data: { turn: 1, toolCalls: 0 } },
      },
    ]);
    const told = await changed.run("replay", "s");
    expect(told.status).toBe(1);
    expect(told.stdout).toContain(
      `version ${String(ended?.["version"])}, position ${String(ended?.["position"])}`,
    );
    expect(told.stdout).toMatch(/^-.*"toolCalls": 1/m);
    expect(told.stdout).toMatch(/^\+.*"toolCalls": 0/m);

    const led = await changed.run("--json", "run", "And now?", "--session", "s");
    expect(led.status).toBe(1);
    expect(led.lines.at(-1)).toMatchObject({ error: { code: "LEMON_REPLAY_DIVERGED" } });
    expect(led.stderr).toContain(`version ${String(ended?.["version"])}`);
    expect((await lemon.run("--json", "facts", "s")).lines).toEqual(facts);
    expect(await changed.run("--json", "show", "s")).toMatchObject({ status: 0 });

    expect(await lemon.run("--json", "replay", "s")).toMatchObject({
      status: 0,
      lines: [{ divergences: [] }],
    });
    expect(readFileSync(path.join(cwd, "counter.txt"), "utf8")).toBe("once\n");
  },
);
