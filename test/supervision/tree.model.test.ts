/** Random trees of supervisors against the model in support/model.ts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Child,
  type ChildSpec,
  startDynamicSupervisor,
  startSupervisor,
  type Supervisor,
  SupervisorError,
  type SupervisionEvent,
  type SupervisorTree,
} from "../../src/supervision/index.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type FakeChild, fakeChild, settled } from "./support/fake-child.ts";
import { ModelSupervisor, type Told, World } from "./support/model.ts";
import {
  draw,
  drawStep,
  everyOne,
  type Leaf,
  type Node,
  type Plan,
  plans,
  type Step,
  stepLists,
} from "./support/plan.ts";
import { rounds } from "../support/soak.ts";

test("random trees under random crashes, exits, stops and waits do what the model does, in the same order", async () => {
  await fc.assert(
    fc.asyncProperty(plans, stepLists, async (plan, steps) => {
      const done: string[] = [];
      try {
        await compare(plan, steps, done);
      } catch (error) {
        const sequence = done.map((line, index) => `  ${index + 1}. ${line}`).join("\n");
        throw new Error(
          `${(error as Error).message}\n\nthe tree\n${draw(plan)}\nwhat was done\n${sequence}`,
          { cause: error },
        );
      }
    }),
    { numRuns: rounds(250, 1_000, 5_000) },
  );
}, 600_000);

async function compare(plan: Node, steps: readonly Step[], done: string[]): Promise<void> {
  const real = new RealTree(plan);
  const world = new World();
  const model = new ModelSupervisor(plan, undefined, world);
  const root = await real.settle(real.boot());
  const isUp = model.boot();
  done.push("start the tree");
  expect(root.error === undefined, "the tree starts").toBe(isUp);
  agree(real, world);
  if (!isUp) return;
  for (const step of steps) {
    done.push(drawStep(step, plan));
    const expected = applyToModel(step, plan, world);
    const answer = await real.settle(real.apply(step));
    expect(answer.error ?? answer.value, "the answer").toEqual(expected);
    agree(real, world);
    expect(shape(real.root?.tree())).toEqual(modelShape(world.latest.get("root")));
  }
  await real.settle(real.root?.shutdown());
  const top = world.latest.get("root");
  if (top?.isAlive === true) top.end("shutdown");
  done.push("shut down");
  agree(real, world);
  expect(real.clock.pending, "armed timers").toBe(0);
  expect(real.alive(), "living children").toEqual([]);
}

/** What was reported since the last look is what the model reported. */
function agree(real: RealTree, world: World): void {
  const expected = world.told.splice(0);
  const told = real.told.splice(0);
  const grouped: Told = [];
  for (const line of expected)
    grouped.push(Array.isArray(line) ? told.splice(0, line.length).toSorted() : (told.shift() ?? "nothing"));
  expect([...grouped, ...told], "what was reported").toEqual(
    expected.map((line) => (Array.isArray(line) ? line.toSorted() : line)),
  );
  expect(real.clock.monotonic(), "the time").toBe(world.nowMs);
}

function applyToModel(step: Step, plan: Node, world: World): string {
  if (step.do === "wait") {
    world.nowMs += step.ms;
    return "done";
  }
  const { leaves, supervisors } = everyOne(plan);
  if (step.do === "kill supervisor" || step.do === "stop supervisor") {
    const target = world.latest.get(supervisors[step.at % supervisors.length]?.path ?? "");
    if (target?.isAlive !== true) return "done";
    if (step.do === "kill supervisor") target.killed();
    else target.end("shutdown");
    return "done";
  }
  const chosen = leaves[step.at % leaves.length];
  if (chosen === undefined) return "done";
  const { leaf, under } = chosen;
  const supervisor = world.latest.get(under);
  const isDynamic = supervisor?.node.strategy === "dynamic";
  // Under a dynamic supervisor several children come from one plan; the newest one is meant.
  const slot = isDynamic
    ? supervisor?.slots.findLast(({ plan: { id } }) => id === leaf.id)
    : supervisor?.slotOf(leaf.id);
  switch (step.do) {
    case "crash":
    case "normal":
    case "shutdown":
    case "kill":
      if (slot?.state === "running" && supervisor?.isAlive === true)
        supervisor.ended(slot, step.do === "kill" ? "killed" : step.do);
      return "done";
    case "start": {
      if (supervisor === undefined) return "done";
      if (!supervisor.isAlive) return "noproc";
      if (slot !== undefined && !isDynamic)
        return slot.state === "running" ? "already_started" : "already_present";
      const fresh = { plan: leaf, state: "stopped" as const, instance: 0, below: undefined };
      supervisor.slots.push(fresh);
      const result = supervisor.start(fresh, "started");
      if (typeof result === "string") return result;
      supervisor.slots = supervisor.slots.filter((other) => other !== fresh);
      return "start_failed";
    }
    case "terminate":
      if (supervisor === undefined) return "done";
      if (!supervisor.isAlive) return "noproc";
      if (slot === undefined) return "not_found";
      supervisor.terminate(slot);
      return "done";
    case "delete":
    case "restart": {
      if (supervisor === undefined) return "done";
      if (!supervisor.isAlive) return "noproc";
      if (slot === undefined || isDynamic) return "not_found";
      if (slot.state === "running") return "running";
      if (step.do === "delete") {
        supervisor.slots = supervisor.slots.filter((other) => other !== slot);
        return "done";
      }
      const result = supervisor.start(slot, "started");
      return typeof result === "string" ? result : "start_failed";
    }
  }
}

/** The tree that is tested, and what happened to it. */
class RealTree {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  root: Supervisor | undefined;
  readonly #plan: Node;
  readonly #starts = new Map<string, number>();
  readonly #supervisors = new Map<string, Supervisor>();
  readonly #made: { leaf: Leaf; child: FakeChild; isOver: boolean }[] = [];

  constructor(plan: Node) {
    this.#plan = plan;
  }

  async boot(): Promise<string> {
    this.root = await this.#start(this.#plan, "root");
    return "done";
  }

  alive(): string[] {
    return this.#made.filter(({ isOver }) => !isOver).map(({ leaf }) => leaf.id);
  }

  async #start(node: Node, path: string): Promise<Supervisor> {
    const { strategy, intensity, periodSeconds, autoShutdown } = node;
    const environment =
      path === "root"
        ? {
            name: "root",
            clock: this.clock,
            onEvent: (event: SupervisionEvent) => void this.told.push(line(event)),
          }
        : {};
    const supervisor =
      strategy === "dynamic"
        ? await startDynamicSupervisor({ intensity, periodSeconds }, environment)
        : await startSupervisor(
            {
              strategy,
              intensity,
              periodSeconds,
              autoShutdown,
              children: node.children.map((child) => this.#spec(child, path)),
            },
            environment,
          );
    this.#supervisors.set(path, supervisor);
    return supervisor;
  }

  #spec(plan: Plan, path: string): ChildSpec {
    const { id, restart, significant } = plan;
    if (plan.kind === "supervisor") {
      return {
        id,
        restart,
        significant,
        type: "supervisor",
        start: () => this.#start(plan, `${path}/${id}`),
      };
    }
    const shutdown =
      plan.stop === "polite" ? 5000 : plan.stop === "brutal" ? "brutal_kill" : plan.stop.stubbornMs;
    return { id, restart, significant, shutdown, start: () => this.#startLeaf(plan) };
  }

  #startLeaf(leaf: Leaf): Child | "ignore" {
    const start = (this.#starts.get(leaf.id) ?? 0) + 1;
    this.#starts.set(leaf.id, start);
    if (leaf.failing.includes(start)) throw new Error(`start ${start} of ${leaf.id}`);
    if (leaf.ignoring.includes(start)) return "ignore";
    const made = {
      leaf,
      child: fakeChild(typeof leaf.stop === "string" ? "polite" : "stubborn"),
      isOver: false,
    };
    void made.child.exited.then(() => (made.isOver = true));
    this.#made.push(made);
    return made.child;
  }

  async apply(step: Step): Promise<string> {
    if (step.do === "wait") {
      this.clock.advance(step.ms);
      return "done";
    }
    const { leaves, supervisors } = everyOne(this.#plan);
    if (step.do === "kill supervisor" || step.do === "stop supervisor") {
      const target = this.#supervisors.get(supervisors[step.at % supervisors.length]?.path ?? "");
      if (step.do === "kill supervisor") target?.kill();
      else await target?.shutdown();
      return "done";
    }
    const chosen = leaves[step.at % leaves.length];
    if (chosen === undefined) return "done";
    const { leaf, under } = chosen;
    const child = this.#made.findLast((made) => made.leaf === leaf && !made.isOver)?.child;
    const supervisor = this.#supervisors.get(under);
    const isDynamic = supervisor?.tree().strategy === "dynamic";
    switch (step.do) {
      case "crash":
        child?.crash();
        return "done";
      case "normal":
      case "shutdown":
        child?.exit({ kind: step.do });
        return "done";
      case "kill":
        child?.kill();
        return "done";
      case "start":
        return (await supervisor?.startChild(this.#spec(leaf, under)))?.status ?? "done";
      case "terminate":
        await supervisor?.terminateChild(isDynamic ? (child ?? leaf.id) : leaf.id);
        return "done";
      case "delete":
        await supervisor?.deleteChild(leaf.id);
        return "done";
      case "restart":
        return (await supervisor?.restartChild(leaf.id))?.status ?? "done";
    }
  }

  /** Lets everything happen, moving the clock only to the deadlines of those who do not answer. */
  async settle<T>(work: Promise<T> | undefined): Promise<{ value?: T; error?: string }> {
    let result: { value?: T; error?: string } | undefined;
    void Promise.resolve(work).then(
      (value) => (result = value === undefined ? {} : { value }),
      (error: unknown) =>
        (result = { error: error instanceof SupervisorError ? error.reason : String(error) }),
    );
    for (;;) {
      await settled();
      const nextMs = this.clock.nextInMs;
      if (nextMs === undefined) break;
      this.clock.advance(nextMs);
    }
    return result ?? { error: "no answer" };
  }
}

function line(event: SupervisionEvent): string {
  const what = event.type.split(".")[1] ?? "";
  const kind = event.type === "child.exited" ? [event.reason.kind] : [];
  return [`${event.supervisor}:`, what, `${event.childId}#${event.instance}`, ...kind].join(" ");
}

type Shape = { id: string; state: string; below?: Shape }[];

function shape(tree: SupervisorTree | undefined): Shape {
  if (tree === undefined || tree.state === "ended") return [];
  return tree.children.map(({ id, state, supervisor }) => ({
    id,
    state,
    ...(supervisor === undefined ? {} : { below: shape(supervisor) }),
  }));
}

function modelShape(supervisor: ModelSupervisor | undefined): Shape {
  if (supervisor?.isAlive !== true) return [];
  return supervisor.slots.map(({ plan, state, below }) => ({
    id: plan.id,
    state,
    ...(below === undefined ? {} : { below: modelShape(below) }),
  }));
}
