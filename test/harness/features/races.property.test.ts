/**
 * Several processes and a person at one file. Each writer has a log of its own whose every call the scheduler lets through
 * in some order, and may be killed at any of them; the queue that serialises writers within one process is left out.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../../src/harness/features/file.ts";
import { Journal } from "../../../src/harness/features/journal.ts";
import { readText, withStatus } from "../../../src/harness/features/text.ts";
import { FeatureWriter, type Content } from "../../../src/harness/features/writer.ts";
import { openEventLog, type EventLog } from "../../../src/log/index.ts";
import { countingIds } from "../../support/ids.ts";
import { rounds } from "../../support/soak.ts";
import { Desk } from "./support.ts";

const id = (writer: number, turn: number): string => `w${writer}-${turn}`;
const TURNS = 2;

interface Life {
  killed: boolean;
  calls: number;
}

/** The log as a process sees it that is let on call by call, and that dies at one of them. */
function lived(log: EventLog, life: Life, killAt: number, pass: () => Promise<void>): EventLog {
  const step = async (): Promise<void> => {
    life.calls += 1;
    if (life.calls === killAt) life.killed = true;
    await (life.killed ? never : pass());
    if (life.killed) await never;
  };
  return {
    ...(Object.fromEntries(
      (["append", "putBlob", "getBlob"] as const).map((name) => [
        name,
        async (...args: readonly unknown[]) => {
          await step();
          const result: unknown = await Reflect.apply(log[name] as never, log, args);
          await step();
          return result;
        },
      ]),
    ) as unknown as EventLog),
    async *read(...args: Parameters<EventLog["read"]>) {
      await step();
      yield* log.read(...args);
    },
  };
}
const never = new Promise<void>(() => undefined);

async function update(desk: Desk, log: EventLog, seed: number, featureId: string): Promise<void> {
  const place = { folder: desk.cwd, file: desk.file, stream: desk.stream };
  const journal = new Journal(log, place, (value) => value);
  await new FeatureWriter(journal, countingIds(seed)).write(async (content: Content | null) => {
    const read = await readText(content?.bytes ?? new Uint8Array());
    const change = { id: featureId, status: "completed", notes: undefined, updatedAt: featureId } as const;
    return { bytes: await withStatus(read, change), facts: [] };
  });
}

test(
  "no change that was acknowledged is lost, and nothing that a person wrote",
  { timeout: 120_000 },
  async () => {
    const anyRace = fc.record({
      writers: fc.array(fc.option(fc.integer({ min: 1, max: 24 }), { nil: 0 }), {
        minLength: 2,
        maxLength: 3,
      }),
      edits: fc.nat({ max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyRace, async (scheduler, { writers, edits }) => {
        const log = await openEventLog(":memory:");
        const desk = new Desk(log);
        const ids = writers.flatMap((_, writer) =>
          Array.from({ length: TURNS }, (__, turn) => id(writer, turn)),
        );
        desk.put({ features: ids.map((each) => ({ id: each })) });
        const done: string[] = [];
        let people = 0;
        const turn = (label: string): Promise<void> => scheduler.schedule(Promise.resolve(), label);
        const lives = writers.map((): Life => ({ killed: false, calls: 0 }));
        const work = writers.map(async (killAt, writer) => {
          const life = lives[writer] ?? { killed: false, calls: 0 };
          const own = lived(log, life, killAt, () => turn(`writer ${writer}`));
          for (let each = 0; each < TURNS; each += 1) {
            try {
              await update(desk, own, (writer + 1) * 0x1000 + each * 0x100, id(writer, each));
              done.push(id(writer, each));
            } catch (error) {
              expect(error).toMatchObject({ reason: "conflict" });
            }
          }
        });
        const person = (async () => {
          for (let each = 0; each < edits; each += 1) {
            await turn("a person");
            people += 1;
            desk.put({ ...desk.json, [`person-${people}`]: true });
          }
        })();
        const dead = lives.map((life) => untilKilled(life));
        await scheduler.waitFor(
          Promise.all([person, ...work.map((each, at) => Promise.race([each, dead[at]]))]),
        );

        await desk.features.load(desk.cwd);
        await assertStory(desk);
        const { features, ...rest } = desk.json as { features: { id: string; status?: string }[] };
        const completed = features
          .filter(({ status }) => status === "completed")
          .map((feature) => feature.id);
        await desk.log.close();
        expect(completed).toEqual(expect.arrayContaining(done));
        expect(Object.keys(rest)).toHaveLength(people);
        expect(desk.litter).toEqual([]);
      }),
      { numRuns: rounds(25, 1_000, 5_000) },
    );
  },
);

async function untilKilled(life: Life): Promise<void> {
  while (!life.killed) await new Promise((resolve) => setImmediate(resolve));
}

/** Each write has one outcome before the next begins, and begins at what was last known of the file. */
async function assertStory(desk: Desk): Promise<void> {
  let known: string | null = null;
  let open: { version: number; previousSha256: string | null; sha256: string } | null = null;
  for (const { version, type, causation, data } of await desk.facts()) {
    const { sha256: digest, previousSha256 } = data as { sha256: string; previousSha256: string | null };
    if (type === "feature_file.changed_outside" || type === "feature_file.written") expect(open).toBe(null);
    if (type === "feature_file.changed_outside") known = digest;
    if (type === "feature_file.written") {
      expect(previousSha256).toBe(known);
      open = { version, previousSha256, sha256: digest };
    }
    if (type.startsWith("feature_file.write_")) {
      expect(causation).toBe(open?.version);
      if (type === "feature_file.write_finished") known = digest;
      open = null;
    }
  }
  expect(open).toBe(null);
  expect(known).toBe(sha256(desk.bytes));
}
