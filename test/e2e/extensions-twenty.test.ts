/** Twenty extensions, good and hostile, beside the built command. */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { broken, good, harmful, turns, twenty } from "../runtime/extensions-twenty.ts";
import { parseLines, Place, type Json } from "./support/command.ts";

test("the run ends well, the good ones work, and each fault is told", async () => {
  const place = await Place.make();
  for (const [name, text] of Object.entries(twenty)) {
    const file = path.join(place.cwd, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await mkdir(place.home);
  await writeFile(path.join(place.home, "config.toml"), "[extensions]\nmemory_limit_mb = 150\n");
  const script = await place.script(turns);
  const args = ["run", "--json", "--script", script, "--session", "s", "--extension", "ext", "Go"];
  const { status, stdout, stderr } = await place.lemon(...args);
  expect(status).toBe(0);
  const lines = parseLines(stdout);
  expect(lines.at(-1)).toMatchObject({ type: "result", status: "completed", text: "done" });
  const results = lines.filter(({ type }) => type === "tool_execution_end");
  const texts = results.map(
    (line) => (line as { result: { content: Json[] } }).result.content[0]?.["text"] as string,
  );
  const fine = good.map((name) => `${name} is done`);
  expect(texts.slice(0, good.length)).toEqual(fine);
  expect(texts.slice(-good.length)).toEqual(fine);
  for (const [index, told] of Object.values(harmful).entries())
    expect(texts[good.length + index]).toContain(told);

  const published = lines.find(({ type }) => type === "extension_status_report") as Json;
  const report = published["report"] as Json;
  expect(report).toMatchObject({ totalLoaded: 14, totalErrors: 5, totalValidationErrors: 1 });
  for (const { sourcePath, errorMessage } of report["loadErrors"] as Json[])
    expect(errorMessage).toMatch(broken[path.basename(sourcePath as string)] ?? "");
  expect(stderr).toContain("[flood] ");
  expect((await place.lemon("replay", "s")).status).toBe(0);
});
