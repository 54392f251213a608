import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const bash = (command: string): object => ({ toolCalls: [{ name: "bash", args: { command } }] });
const long = { text: "word ".repeat(2_000), ...bash("true") };

async function small(): Promise<Place> {
  const place = await Place.make();
  await mkdir(place.home, { recursive: true });
  await writeFile(path.join(place.home, "config.toml"), "[models.scripted]\ncontext_window = 2000\n");
  return place;
}

test("a run that gets too long says that it was compacted, and show has the summary where it was made", async () => {
  const place = await small();
  const script = await place.script([long, { text: "We said word." }, { text: "Done." }]);
  const run = await place.lemon("run", "--script", script, "--session", "s", "Go");
  expect(run.status).toBe(0);
  expect(run.stdout).toMatch(/^word [^]*\nDone\.\n$/);
  expect(run.stdout).not.toContain("We said word.");
  expect(run.stderr).toMatch(/\ncompacted the conversation to about \d+ tokens\n/);
  const { stdout } = await place.lemon("show", "s");
  expect(stdout).toMatch(
    /\nsummary \(version \d+\)\n\(in place of the first 3 messages\)\nWe said word\.\n\nassistant \(version \d+\)\nDone\.\n/,
  );
  expect(stdout).toContain("word word");
  expect(await place.lemon("replay", "s")).toMatchObject({ status: 0 });
});

test("--json tells of a compaction, and a failed one is no failed run", async () => {
  const place = await small();
  const script = await place.script([long, { error: { status: 500 } }, { text: "Done." }]);
  const { status, lines } = await place.json("run", "--script", script, "Go");
  expect(status).toBe(0);
  const told = lines.filter(({ type }) => String(type).startsWith("compaction_"));
  expect(told).toMatchObject([
    { type: "compaction_start", reason: "due" },
    { type: "compaction_end", status: "failed", class: "server_error", summary: null, tokens: null },
  ]);
  expect(lines.at(-1)).toMatchObject({ type: "result", status: "completed", text: "Done." });
});

test("a window that is no number of tokens refuses the start, by its place", async () => {
  const place = await Place.make();
  await mkdir(place.home, { recursive: true });
  await writeFile(path.join(place.home, "config.toml"), "[compaction]\nkeep_tokens = -1\n");
  const { status, stderr } = await place.lemon("run", "--model", "a/b", "Go");
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/config\.toml:2:\d+: compaction\.keep_tokens: expected a whole number of 1 or more/);
});
