/** The host against a small model: whatever happens in whatever order, each call ends once, and rightly. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Collection, ExtensionHost } from "../../src/extensions/port.ts";
import { ToolDeadlineError, ToolFailure } from "../../src/tools/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { callTool, type TestWorld, testWorld, textOf, threadCount, withTools } from "./worker-support.ts";

const source = withTools(
  {
    life: "return text(born)",
    hold: "onUpdate({ content: [] }); await new Promise((go) => { holds.push(go) }); return text(born)",
    letGo: "for (const go of holds.splice(0)) go(); return text(born)",
    obey: "onUpdate({ content: [] }); await new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason)))",
    exit: "process.exit(3)",
  },
  "",
  "const holds = []; const born = String(Math.random());",
);

/** A call that was begun and not ended by the commands so far. */
interface Open {
  readonly name: "hold" | "obey";
  readonly controller: AbortController;
  readonly outcome: Promise<string>;
  readonly life: string;
  isAborted: boolean;
}

interface Model {
  /** The worker that new calls go to; deaths and retirements change it. */
  life: string;
  open: Open[];
  deaths: number;
}

interface Real {
  readonly t: TestWorld;
  readonly clock: ManualClock;
  readonly host: ExtensionHost;
  readonly collections: Collection[];
  settled: number;
  begun: number;
  readonly threadsBefore: number;
}

/** How a call ended, in a word. Counts it: each ends once. */
function outcomeOf(real: Real, call: Promise<unknown>): Promise<string> {
  real.begun += 1;
  return call.then(
    (result) => {
      real.settled += 1;
      return `answered ${(result as { content: { text: string }[] }).content[0]?.text ?? ""}`;
    },
    (error: unknown) => {
      real.settled += 1;
      if (error instanceof ToolFailure) return String(error.result.details?.["errorType"]);
      return `aborted ${(error as Error).message}`;
    },
  );
}

function membersOf(real: Real): Collection {
  return real.collections.at(-1) as Collection; // the first is never released
}

type Command = fc.AsyncCommand<Model, Real>;

function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check?: (model: Model) => boolean,
): Command {
  return {
    check: (model) => check?.(model) ?? true,
    run: async (model, real) => {
      await run(model, real);
      await onlyNeededThreads(model, real);
    },
    toString: () => name,
  };
}

/** One thread for new calls, and one for each worker that was replaced and has calls under way. */
async function onlyNeededThreads(model: Model, real: Real): Promise<void> {
  const lives = new Set(model.open.filter(({ isAborted }) => !isAborted).map((open) => open.life));
  lives.add(model.life);
  await real.t.until(() => threadCount() <= real.threadsBefore + lives.size);
}

/** Asks which worker it is. Below the limit of deaths the answer is a living one's. */
async function life(real: Real): Promise<string> {
  return textOf(callTool(membersOf(real), "life"));
}

async function begin(model: Model, real: Real, name: Open["name"]): Promise<void> {
  const controller = new AbortController();
  let taken: () => void = () => undefined;
  const begun = new Promise<void>((go) => (taken = go));
  const call = callTool(membersOf(real), name, { signal: controller.signal, onUpdate: () => taken() });
  const outcome = outcomeOf(real, call);
  await begun;
  model.open.push({ name, controller, outcome, life: model.life, isAborted: false });
}

/** All that were open on the worker that died are told so; those that were aborted had been told. */
async function died(model: Model, which: string): Promise<void> {
  for (const open of model.open)
    if (open.life === which && !open.isAborted) expect(await open.outcome).toBe("tool_task_crashed");
  model.open = model.open.filter((open) => open.life !== which);
}

/** Who is aborted is answered at once; whether its worker is lost shows a second later. */
async function abort(model: Model, real: Real, index: number, reason: Error): Promise<void> {
  const open = model.open.filter(({ isAborted }) => !isAborted)[index % model.open.length];
  if (open === undefined) return;
  open.isAborted = true;
  open.controller.abort(reason);
  expect(await open.outcome).toBe(`aborted ${reason.message}`);
  if (open.name === "obey") {
    await life(real); // by then its worker has ended it
    model.open = model.open.filter((one) => one !== open);
    return;
  }
  const counts = reason instanceof ToolDeadlineError;
  real.clock.advance(1000);
  if (open.life === model.life) {
    model.life = await life(real);
    expect(model.life).not.toBe(open.life);
    if (counts) model.deaths += 1;
  }
  model.open = model.open.filter((one) => one !== open);
  expect(await life(real)).toBe(model.life);
}

const commands = [
  fc.constant(command("life", async (model, real) => expect(await life(real)).toBe(model.life))),
  fc
    .constantFrom("hold" as const, "obey" as const)
    .map((name) => command(`begin ${name}`, (model, real) => begin(model, real, name))),
  fc.constant(
    command("letGo", async (model, real) => {
      expect(await outcomeOf(real, callTool(membersOf(real), "letGo"))).toBe(`answered ${model.life}`);
      const held = model.open.filter((open) => open.name === "hold" && open.life === model.life);
      for (const open of held) expect(await open.outcome).toBe(`answered ${model.life}`);
      model.open = model.open.filter((open) => !held.includes(open));
    }),
  ),
  fc.constant(
    command(
      "exit",
      async (model, real) => {
        const before = model.life;
        expect(await outcomeOf(real, callTool(membersOf(real), "exit"))).toBe("tool_task_crashed");
        await died(model, before);
        model.deaths += 1;
        model.life = await life(real);
        expect(model.life).not.toBe(before);
      },
      (model) => model.deaths < 3,
    ),
  ),
  fc.tuple(fc.nat(5), fc.boolean()).map(([index, counts]) =>
    command(
      `abort ${index} ${counts ? "deadline" : "user"}`,
      (model, real) => abort(model, real, index, counts ? new ToolDeadlineError(1) : new Error("stop")),
      (model) => model.deaths < 3 && model.open.some(({ isAborted }) => !isAborted),
    ),
  ),
  fc.constantFrom("/a", "/b").map((cwd) =>
    command(`collect ${cwd}`, async (_model, real) => {
      real.collections.push(await real.host.collect(cwd, {}));
    }),
  ),
  fc.constant(
    command("release", async (_model, real) => {
      if (real.collections.length > 1) real.collections.shift()?.release();
    }),
  ),
];

it("each call ends once, no result of a dead worker arrives, and no thread is left", async () => {
  await using t = await testWorld();
  await (await t.load(source)).end(); // threads that Node itself starts at first use are there by now
  await t.until(() => t.world.zombies().length === 0);
  const before = threadCount();
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 12 }), async (sequence) => {
      const clock = new ManualClock();
      await using inner = await testWorld({ clock });
      const threadsBefore = threadCount();
      const { host, members } = await inner.open(source);
      const collections = [members];
      const real: Real = { t: inner, clock, host, collections, settled: 0, begun: 0, threadsBefore };
      const model: Model = { life: await life(real), open: [], deaths: 0 };
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      expect(inner.seen.restarted).toHaveLength(model.deaths);
      const left = model.open.filter(({ isAborted }) => !isAborted);
      await host.end(true);
      for (const open of left) expect(await open.outcome).toBe("tool_task_crashed");
      expect(real.settled).toBe(real.begun);
    }),
    { numRuns: process.env["LEMON_SOAK"] === undefined ? 12 : 300 },
  );
  await t.until(() => threadCount() <= before);
});
