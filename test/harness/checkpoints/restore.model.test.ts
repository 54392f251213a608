/** Files that tools, people and restores change at random, against a model of who wrote what last. */
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../support/soak.ts";
import { CheckpointRig, type Image } from "./rig.ts";

const names = ["a", "b", "d/c", "d/e/f"] as const;
type Name = (typeof names)[number];

type Step =
  | { readonly do: "write" | "hand"; readonly name: Name; readonly bytes: string }
  | { readonly do: "delete" | "handDelete"; readonly name: Name }
  | { readonly do: "mode" | "handMode"; readonly name: Name; readonly mode: number }
  | { readonly do: "move"; readonly name: Name; readonly to: Name }
  | { readonly do: "checkpoint" }
  | {
      readonly do: "restore";
      readonly which: number;
      readonly some: readonly Name[] | null;
      readonly force: boolean;
    };

const name = fc.constantFrom(...names);
const bytes = fc.constantFrom("one\n", "two\n", "", "\u0000\u00FF\n", "no end");
const mode = fc.constantFrom(0o644, 0o755, 0o600);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("write" as const, "hand" as const), name, bytes }),
  },
  fc.record({ do: fc.constantFrom("delete" as const, "handDelete" as const), name }),
  fc.record({ do: fc.constantFrom("mode" as const, "handMode" as const), name, mode }),
  fc.record({ do: fc.constant("move" as const), name, to: name }),
  { weight: 2, arbitrary: fc.constant({ do: "checkpoint" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("restore" as const),
      which: fc.nat(5),
      some: fc.option(fc.uniqueArray(name, { minLength: 1 })),
      force: fc.boolean(),
    }),
  },
);

/** The files, and what a call or a restore left at each path, by the count of writes so far. */
interface Model {
  files: Map<Name, Image>;
  writes: { readonly name: Name; readonly before: Image; readonly after: Image }[];
}

test("a restore loses nothing of others without force, brings the rest back, tells the truth, and can be undone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
      const rig = await CheckpointRig.start();
      try {
        await run(rig, steps);
      } finally {
        await rig.stop();
      }
    }),
    { numRuns: rounds(25, 300, 2_000) },
  );
});

async function run(rig: CheckpointRig, steps: readonly Step[]): Promise<void> {
  const model: Model = { files: new Map(names.map((each) => [each, null])), writes: [] };
  const points: { readonly id: string; readonly at: number }[] = [];
  const look = async (): Promise<void> => {
    for (const each of names) model.files.set(each, await rig.image(each));
  };
  const byCall = async (changed: readonly Name[], change: () => Promise<void>): Promise<void> => {
    const before = new Map(changed.map((each) => [each, model.files.get(each) ?? null]));
    await rig.call(changed, change, { guard: true });
    await look();
    for (const each of changed) {
      const [old, now] = [before.get(each) ?? null, model.files.get(each) ?? null];
      if (!isSame(old, now)) model.writes.push({ name: each, before: old, after: now });
    }
  };
  for (const each of steps) {
    const there = "name" in each ? (model.files.get(each.name) ?? null) : null;
    switch (each.do) {
      case "write":
        await byCall([each.name], () => rig.write(each.name, Buffer.from(each.bytes, "latin1")));
        break;
      case "hand":
        await rig.write(each.name, Buffer.from(each.bytes, "latin1"));
        break;
      case "delete":
        if (there !== null) await byCall([each.name], () => rm(rig.at(each.name)));
        break;
      case "handDelete":
        await rm(rig.at(each.name), { force: true });
        break;
      case "mode":
        if (there !== null) await byCall([each.name], () => chmod(rig.at(each.name), each.mode));
        break;
      case "handMode":
        if (there !== null) await chmod(rig.at(each.name), each.mode);
        break;
      case "move":
        if (there !== null && each.to !== each.name)
          await byCall([each.name, each.to], async () => {
            await mkdir(path.dirname(rig.at(each.to)), { recursive: true });
            await rename(rig.at(each.name), rig.at(each.to));
          });
        break;
      case "checkpoint": {
        const { id } = await rig.service.createFilesystem("s", undefined, { cwd: rig.cwd });
        points.push({ id, at: model.writes.length });
        break;
      }
      case "restore":
        await restore(rig, model, points[each.which % Math.max(1, points.length)], each);
        break;
    }
    await look();
  }
}

async function restore(
  rig: CheckpointRig,
  model: Model,
  point: { readonly id: string; readonly at: number } | undefined,
  { some, force }: Extract<Step, { do: "restore" }>,
): Promise<void> {
  if (point === undefined) return;
  const since = model.writes.slice(point.at);
  const covered = [...new Set(since.map((write) => write.name))];
  const chosen = some === null ? covered : covered.filter((each) => some.includes(each));
  if (some !== null && chosen.length === 0) return;
  const before = new Map(model.files);
  const foreseen = chosen.map((each) => {
    const target = since.find((write) => write.name === each)?.before ?? null;
    const last = since.findLast((write) => write.name === each)?.after ?? null;
    const now = before.get(each) ?? null;
    const outcome = isSame(now, target)
      ? "unchanged"
      : !force && !isSame(now, last)
        ? "conflict"
        : "restored";
    return { name: each, target, outcome };
  });
  const options = some === null ? { force } : { force, paths: chosen };
  const told = await rig.service.restoreFilesystem(point.id, { ...options, dryRun: true });
  const result = await rig.service.restoreFilesystem(point.id, options);
  const expected = foreseen.map(({ name: each, outcome }) => [rig.at(each), outcome]);
  expect(result.results.map(({ path: file, outcome }) => [file, outcome])).toEqual(expected);
  expect(told.results).toEqual(result.results);
  for (const each of names) {
    const found = foreseen.find((file) => file.name === each && file.outcome === "restored");
    expect(await rig.image(each)).toEqual(found === undefined ? (before.get(each) ?? null) : found.target);
  }
  expect((await rig.names()).filter((file) => file.includes(".lemon-"))).toEqual([]);
  const note = (files: typeof foreseen, undone: boolean): void => {
    for (const { name: each, target, outcome } of files) {
      const was = before.get(each) ?? null;
      if (outcome === "restored")
        model.writes.push({ name: each, before: undone ? target : was, after: undone ? was : target });
    }
  };
  note(foreseen, false);
  if (result.preRestoreCheckpointId === null) return;
  const undone = await rig.service.restoreFilesystem(result.preRestoreCheckpointId);
  expect(undone).toMatchObject({ status: "restored", conflicts: [], failed: [] });
  for (const each of names) expect(await rig.image(each)).toEqual(before.get(each) ?? null);
  note(foreseen, true);
}

function isSame(a: Image, b: Image): boolean {
  return a === null || b === null ? a === b : a.bytes === b.bytes && a.mode === b.mode;
}
