import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openEventLog } from "../../src/log/index.ts";
import { Place, type Json } from "./support/command.ts";

const FILE = "FEATURE_REQUIREMENTS.json";

async function shop(): Promise<{ place: Place; file: string }> {
  const place = await Place.make();
  const file = path.join(place.cwd, FILE);
  const features = [
    { id: "cart", description: "A cart", status: "completed", "x-size": 3 },
    { id: "mail", description: "Mails", dependencies: ["cart", "gone"] },
    { id: "pay", description: "Paying", dependencies: ["cart"], priority: "high" },
    { id: "login", description: "Signing in", status: "failed", priority: "low" },
  ];
  writeFileSync(file, JSON.stringify({ project_name: "Shop", features }));
  return { place, file };
}

test("features are listed, for people and for programs, and no log is made", async () => {
  const { place } = await shop();
  const listed = await place.lemon("features");
  expect(listed).toMatchObject({ status: 0, stderr: "warning: mail depends on gone, which is not there\n" });
  expect(listed.stdout).toBe(
    [
      "[x]  cart   completed  medium  A cart",
      "[ ]  mail   pending    medium  Mails  ← cart, gone",
      "[ ]  pay    pending    high    Paying  ← cart",
      "[!]  login  failed     low     Signing in",
      "Shop: 1 of 4 completed (25 %), 1 failed",
      "",
    ].join("\n"),
  );
  const { lines } = await place.json("features", "list");
  expect(lines[0]).toMatchObject({
    projectName: "Shop",
    features: [{ id: "cart", "x-size": 3 }, { id: "mail" }, { id: "pay" }, { id: "login" }],
    progress: { total: 4, completed: 1, percentage: 25 },
    dependencyProblems: [{ id: "mail", kind: "missing", dependency: "gone" }],
  });
  expect((await place.lemon("features", "next")).stdout).toBe("[ ]  pay  pending  high  Paying  ← cart\n");
  const [next] = (await place.json("features", "next")).lines;
  expect(next?.["features"].map(({ id }: Json) => id as string)).toEqual(["pay"]);
  expect(existsSync(place.home)).toBe(false);
});

test("a status is set, recorded, and seen with what a person wrote since", async () => {
  const { place, file } = await shop();
  const set = await place.json("features", "set", "pay", "completed", "--notes", "by card");
  expect(set.status).toBe(0);
  expect(set.lines).toEqual([expect.objectContaining({ id: "pay", status: "completed", notes: "by card" })]);
  const written = JSON.parse(readFileSync(file, "utf8")) as { features: Json[] };
  expect(written.features[0]).toHaveProperty("x-size", 3);
  writeFileSync(file, JSON.stringify({ ...written, project_name: "Store" }));
  expect((await place.lemon("features")).stdout).toContain("Store: 2 of 4 completed (50 %)");
  expect((await place.lemon("features")).status).toBe(0);
  const log = await openEventLog(place.log, { readOnly: true });
  try {
    const [features] = await log.streams("features-");
    const types: string[] = [];
    for await (const { type } of log.read(features?.stream ?? "")) types.push(type);
    expect(types).toEqual([
      "feature_file.changed_outside",
      "feature_file.written",
      "feature.status_changed",
      "feature_file.write_finished",
      "feature_file.changed_outside",
    ]);
  } finally {
    await log.close();
  }
});

test("what can't be done has its status, and makes and changes nothing", async () => {
  const { place, file } = await shop();
  const before = readFileSync(file, "utf8");
  const refused = async (...args: string[]): Promise<unknown> => {
    const { status, lines } = await place.json("features", ...args);
    const { error } = lines[0] as { error: Json };
    return [status, error["reason"]];
  };
  expect(await refused("set", "nope", "completed")).toEqual([3, "feature_not_found"]);
  expect(await refused("set", "pay", "done")).toEqual([2, "invalid_status"]);
  expect(await refused("set", "pay")).toEqual([2, "invalid_usage"]);
  expect(readFileSync(file, "utf8")).toBe(before);
  const typo = await place.lemon("features", "nxt");
  expect(typo).toMatchObject({ status: 2, stdout: "" });
  expect(typo.stderr).toContain("unknown command 'nxt'");
  writeFileSync(file, "{");
  expect(await refused("next")).toEqual([2, "json_decode"]);
  writeFileSync(file, "[]");
  expect(await refused("list")).toEqual([2, "invalid_requirements"]);
  const empty = await Place.make();
  for (const args of [["list"], ["next"], ["set", "pay", "completed"]])
    expect((await empty.json("features", ...args)).status).toBe(3);
  expect([existsSync(place.home), existsSync(empty.home), readdirSync(empty.cwd)]).toEqual([
    false,
    false,
    [],
  ]);
});

test("commands that set at once lose nothing", async () => {
  const { place, file } = await shop();
  const ids = Array.from({ length: 4 }, (_, at) => `f${at}`);
  writeFileSync(file, JSON.stringify({ features: ids.map((id) => ({ id })) }));
  await place.lemon("features", "set", "f0", "in_progress");
  const ended = await Promise.all(ids.map((id) => place.lemon("features", "set", id, "completed")));
  expect(ended.map(({ status }) => status)).toEqual(ids.map(() => 0));
  const { features } = JSON.parse(readFileSync(file, "utf8")) as { features: Json[] };
  expect(features.map(({ status }) => status as string)).toEqual(ids.map(() => "completed"));
  expect(readdirSync(place.cwd)).toEqual([FILE]);
});
