/** A process that changes features is killed again and again, wherever it happens to be. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { rounds } from "../support/soak.ts";
import { Place } from "./support/command.ts";

const FILE = "FEATURE_REQUIREMENTS.json";
const entry = path.resolve(import.meta.dirname, "../../dist/index.js");

/** Completes features one after the other, and says of each that it was acknowledged. */
const worker = `
import { createRuntime } from ${JSON.stringify(entry)};
const [home, cwd, ...ids] = process.argv.slice(1);
const runtime = await createRuntime({ home, cwd });
for (const id of ids) {
  await runtime.features.complete(cwd, id, "by " + process.pid);
  process.stdout.write(id + "\\n");
}
await runtime.close();
`;

test("what was acknowledged before a kill is in the file, and nothing is left half-done", async () => {
  const place = await Place.make();
  const ids = Array.from({ length: 200 }, (_, at) => `f${at}`);
  writeFileSync(path.join(place.cwd, FILE), JSON.stringify({ features: ids.map((id) => ({ id })) }));
  const acknowledged: string[] = [];
  for (let round = 1; round <= rounds(4, 40, 200); round += 1) {
    const left = ids.filter((id) => !acknowledged.includes(id));
    const args = ["--input-type=module", "-e", worker, place.home, place.cwd, ...left];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      seen += 1;
      if (seen >= round % 5) child.kill("SIGKILL");
    }
    await ended;
    const { lines } = await place.json("features");
    const features = lines[0]?.["features"] as { id: string; status: string; notes: string }[];
    const completed = features.filter(({ status, notes }) => status === "completed" && notes !== "");
    expect(features.map(({ id }) => id)).toEqual(ids);
    expect(completed.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
    expect(readdirSync(place.cwd)).toEqual([FILE]);
  }
  expect((await place.lemon("verify")).status).toBe(0);
});
