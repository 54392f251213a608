/**
 * What a tree of supervisors must do, written down without promises, queues or timers: OTP's rules as plain calls.
 * A stubborn child's stop simply takes its grace time.
 */
import type { ExitReason } from "../../../src/supervision/index.ts";
import type { Leaf, Node, Plan } from "./plan.ts";

type Kind = ExitReason["kind"];

interface Slot {
  readonly plan: Plan;
  state: "running" | "stopped";
  instance: number;
  below: ModelSupervisor | undefined;
}

/** What happened, one line each. Lines of one kill come in no particular order and stand in an array. */
export type Told = (string | string[])[];

export class World {
  nowMs = 0;
  told: Told = [];
  readonly starts = new Map<string, number>();
  /** The latest supervisor at each path, alive or not. */
  readonly latest = new Map<string, ModelSupervisor>();
}

class StartFailed {}

export class ModelSupervisor {
  readonly node: Node;
  readonly path: string;
  readonly parent: ModelSupervisor | undefined;
  readonly world: World;
  isAlive = true;
  slots: Slot[] = [];
  #instances = 0;
  #restarts: number[] = [];

  constructor(node: Node, parent: ModelSupervisor | undefined, world: World) {
    this.node = node;
    this.parent = parent;
    this.world = world;
    this.path = parent === undefined ? node.id : `${parent.path}/${node.id}`;
  }

  /** Returns false when a child did not start and those before it were stopped again. */
  boot(): boolean {
    const isDynamic = this.node.strategy === "dynamic";
    for (const plan of isDynamic ? [] : this.node.children) {
      const slot: Slot = { plan, state: "stopped", instance: 0, below: undefined };
      this.slots.push(slot);
      if (this.start(slot, "started") instanceof StartFailed) {
        this.slots.pop();
        this.stopAll();
        return false;
      }
    }
    this.world.latest.set(this.path, this);
    return true;
  }

  slotOf(id: string): Slot | undefined {
    return this.slots.find(({ plan }) => plan.id === id);
  }

  start(slot: Slot, word: "started" | "restarted"): "started" | "ignored" | StartFailed {
    const { plan } = slot;
    const instance = (this.#instances += 1);
    const fail = (): StartFailed => {
      this.#tell("start_failed", plan.id, instance);
      return new StartFailed();
    };
    if (plan.kind === "leaf") {
      const start = (this.world.starts.get(plan.id) ?? 0) + 1;
      this.world.starts.set(plan.id, start);
      if (plan.failing.includes(start)) return fail();
      if (plan.ignoring.includes(start)) {
        if (plan.restart === "temporary" || this.node.strategy === "dynamic") this.#forget(slot);
        return "ignored";
      }
    } else {
      const below = new ModelSupervisor(plan, this, this.world);
      if (!below.boot()) return fail();
      slot.below = below;
    }
    slot.state = "running";
    slot.instance = instance;
    this.#tell(word, plan.id, instance);
    return "started";
  }

  /** A child ended by itself (or was killed from outside). */
  ended(slot: Slot, kind: Kind): void {
    this.#tell("exited", slot.plan.id, slot.instance, kind);
    this.#down(slot);
    const { restart, significant } = slot.plan;
    if (restart === "permanent" || (restart === "transient" && (kind === "crash" || kind === "killed")))
      return this.#restart(slot);
    this.#retire(slot);
    const { autoShutdown } = this.node;
    if (!significant || autoShutdown === "never") return;
    const othersRun = this.slots.some((other) => other.plan.significant && other.state === "running");
    if (autoShutdown === "any_significant" || !othersRun) this.end("shutdown");
  }

  #restart(failed: Slot): void {
    const second = Math.floor(this.world.nowMs / 1000);
    this.#restarts = [
      ...this.#restarts.filter((earlier) => earlier >= second - this.node.periodSeconds),
      second,
    ];
    if (this.#restarts.length > this.node.intensity) {
      this.#tell("gave_up", failed.plan.id, failed.instance);
      this.#retire(failed);
      return this.end("shutdown");
    }
    for (const slot of this.#sharers(failed).reverse()) {
      if (slot === failed) continue;
      this.stop(slot);
      if (slot.plan.restart === "temporary") this.#forget(slot);
    }
    for (const slot of this.#sharers(failed)) {
      if (slot.state === "running") continue;
      if (this.start(slot, "restarted") instanceof StartFailed) return this.#restart(slot);
    }
  }

  #sharers(failed: Slot): Slot[] {
    if (this.node.strategy === "one_for_all") return [...this.slots];
    if (this.node.strategy === "rest_for_one") return this.slots.slice(this.slots.indexOf(failed));
    return [failed];
  }

  /** The orderly end: children first, then this one, then its parent hears of it. */
  end(kind: "shutdown"): void {
    this.stopAll();
    this.isAlive = false;
    this.#tellParent(kind);
  }

  /** Everything below dies at once. */
  killed(): void {
    const lines = this.fall();
    if (lines.length > 0) this.world.told.push(lines);
    this.#tellParent("killed");
  }

  /** Dies with everything below; the lines come in no particular order. */
  fall(): string[] {
    this.isAlive = false;
    return this.slots.flatMap((slot) => {
      if (slot.state !== "running") return [];
      const deeper = slot.below?.fall() ?? [];
      this.#down(slot);
      return [...deeper, this.#line("exited", slot.plan.id, slot.instance, "killed")];
    });
  }

  #tellParent(kind: Kind): void {
    const slot = this.parent?.slots.find(({ below }) => below === this);
    if (slot !== undefined) this.parent?.ended(slot, kind);
  }

  stop(slot: Slot): void {
    if (slot.state !== "running") return;
    if (slot.plan.kind === "leaf") {
      this.world.nowMs += graceMs(slot.plan);
      this.#tell("exited", slot.plan.id, slot.instance, stopKind(slot.plan));
    } else {
      slot.below?.stopAll();
      if (slot.below !== undefined) slot.below.isAlive = false;
      this.#tell("exited", slot.plan.id, slot.instance, "shutdown");
    }
    this.#down(slot);
  }

  /** As the administrator asks. */
  terminate(slot: Slot): void {
    this.stop(slot);
    this.#retire(slot);
  }

  /** In OTP's order, and in time. */
  stopAll(): void {
    const newestFirst = [...this.slots].reverse();
    this.isAlive = false;
    if (this.node.strategy !== "dynamic") {
      for (const slot of newestFirst) this.stop(slot);
      return;
    }
    // All at once: each ends when its own grace is over, the quick ones first.
    const startMs = this.world.nowMs;
    const grace = ({ plan }: Slot): number => (plan.kind === "leaf" ? graceMs(plan) : 0);
    for (const slot of newestFirst.sort((a, b) => grace(a) - grace(b))) {
      this.world.nowMs = startMs;
      this.stop(slot);
    }
  }

  #retire(slot: Slot): void {
    if (slot.plan.restart === "temporary" || this.node.strategy === "dynamic") this.#forget(slot);
  }

  #forget(slot: Slot): void {
    this.slots = this.slots.filter((other) => other !== slot);
  }

  #down(slot: Slot): void {
    slot.state = "stopped";
    slot.below = undefined;
  }

  #line(what: string, id: string, instance: number, kind?: Kind): string {
    return [`${this.path}:`, what, `${id}#${instance}`, ...(kind === undefined ? [] : [kind])].join(" ");
  }

  #tell(what: string, id: string, instance: number, kind?: Kind): void {
    this.world.told.push(this.#line(what, id, instance, kind));
  }
}

function graceMs({ stop }: Leaf): number {
  return typeof stop === "string" ? 0 : stop.stubbornMs;
}

function stopKind({ stop }: Leaf): Kind {
  return stop === "polite" ? "shutdown" : "killed";
}
