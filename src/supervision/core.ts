/**
 * The one mechanism behind static and dynamic supervisors: start, watch, restart, give up, stop. It follows
 * `supervisor.erl` (stdlib) and `dynamic_supervisor.ex` (Elixir); where they differ, the `kind` in the flags decides.
 */
import type { Clock } from "../ports.ts";
import { attributeStrayErrors, currentInstance, raise, runAs } from "./attribution.ts";
import { type Child, type ExitReason, exitLatch, isCleanExit } from "./child.ts";
import { systemClock } from "./clock.ts";
import { SupervisorError } from "./errors.ts";
import { plainReason, type SupervisionEvent } from "./events.ts";
import { type Host, Instance } from "./instance.ts";
import { admitRestart, backoffDelay, noRestarts } from "./intensity.ts";
import { launch, type Launched, startError } from "./launch.ts";
import { type Flags, type Setup, type SupervisorEnvironment, unknownYet } from "./options.ts";
import { type Entry, Roster } from "./roster.ts";
import { Serial } from "./serial.ts";
import { sharedTimers } from "./shared-timers.ts";
import type { FullChildSpec, Shutdown } from "./spec.ts";
import { stopInstance } from "./stop.ts";
import { sharersOf } from "./strategy.ts";

/** @internal */
export class SupervisorCore implements Host {
  readonly path: string;
  readonly name: string | undefined;
  readonly clock: Host["clock"];
  readonly registry: Host["registry"];
  readonly onEvent: Host["onEvent"];
  flags: Flags = unknownYet;
  roster = new Roster(true);
  readonly serial = new Serial();
  readonly latch = exitLatch();
  state: "starting" | "running" | "stopping" | "ended" = "starting";
  readonly #child: Child;
  readonly #history = noRestarts();
  /** Set by a kill: it is the exit reason, whatever else was going on. */
  #verdict: ExitReason | undefined;
  #instances = 0;
  readonly #isAttributing: boolean;
  #stopAttribution: (() => void) | undefined;

  /** @param child - the supervisor as its parent and the registry know it */
  constructor(environment: SupervisorEnvironment, child: Child) {
    const parent = currentInstance();
    const above = parent?.starting === true ? parent : undefined; // code that runs later starts trees of its own
    this.path = above?.path ?? environment.name ?? "supervisor";
    this.name = environment.name;
    this.clock = environment.clock ?? above?.host.clock ?? systemClock;
    this.registry = environment.registry ?? above?.host.registry;
    this.onEvent = environment.onEvent ?? above?.host.onEvent;
    this.#child = child;
    this.#isAttributing = environment.attributeErrors === true;
  }

  /** Tells an event. Runs as nobody's code, so that a listener's own errors are charged to no child. */
  report(event: SupervisionEvent): void {
    const { onEvent } = this;
    if (onEvent === undefined) return;
    try {
      runAs(undefined, () => onEvent(event));
    } catch (error) {
      raise(error);
    }
  }

  /**
   * Takes the name, asks for the flags, starts the initial children in order. Whatever fails, the children that had
   * started are stopped in reverse and the name is given back before this rejects.
   *
   * @returns false when the flags say `ignore`
   */
  async boot(initialise: () => Promise<Setup | "ignore">): Promise<boolean> {
    if (this.name !== undefined) this.registry?.register(this.name, this.#child);
    if (this.#isAttributing) this.#stopAttribution = attributeStrayErrors();
    try {
      const setup = await initialise();
      if (setup === "ignore") {
        await this.end({ kind: "normal" });
        return false;
      }
      this.flags = setup.flags;
      this.roster = new Roster(setup.flags.kind === "static");
      for (const spec of setup.children) await this.#startInitial(spec);
    } catch (error) {
      await this.end({ kind: "shutdown", detail: error });
      throw error;
    }
    if (this.state === "starting") this.state = "running";
    return true;
  }

  async #startInitial(spec: FullChildSpec): Promise<void> {
    const entry = this.roster.add(spec, []);
    const launched = await this.start(entry, "first");
    if (launched.status === "ignored") this.settleIgnored(entry);
    if (launched.status !== "failed") return;
    this.roster.drop(entry);
    throw startError(entry.label, launched.error);
  }

  /** Starts one life of a child. What a failure means is the caller's to decide. */
  start(entry: Entry, how: "first" | "restart"): Launched | Promise<Launched> {
    const instance = new Instance(this, entry.label, (this.#instances += 1));
    entry.state = "starting";
    const launched = launch(entry.spec, entry.args, instance);
    if (!(launched instanceof Promise)) return this.#adopt(entry, instance, how, launched);
    return launched.then((outcome) => this.#adopt(entry, instance, how, outcome));
  }

  #adopt(
    entry: Entry,
    instance: Instance,
    how: "first" | "restart",
    launched: Launched,
  ): Launched | Promise<Launched> {
    if (launched.status !== "started") {
      instance.discard();
      entry.state = "stopped";
      if (launched.status === "failed") {
        const reason = plainReason({ kind: "crash", detail: launched.error });
        this.report({ type: "child.start_failed", ...instance.identity, reason });
      }
      return launched;
    }
    const isLate = this.#verdict !== undefined; // we were killed meanwhile: this child came too late
    instance.attach(launched.child, (ended, reason) => this.#onExit(entry, ended, reason));
    entry.lastInstance = instance.number;
    entry.startedAtMs = this.clock.monotonic();
    this.roster.setCurrent(entry, instance);
    // A temporary child is never started again, so what it was started with is not kept (OTP, "temporary").
    if (entry.spec.restart === "temporary") {
      entry.spec = { ...entry.spec, start: undefined };
      entry.args = [];
    }
    const told = { ...instance.identity, childType: entry.spec.type };
    if (how === "first") this.report({ type: "child.started", ...told });
    else this.report({ type: "child.restarted", ...told, restarts: (entry.restarts += 1) });
    if (!isLate) return launched;
    const error = new SupervisorError("noproc", `${this.path} was killed while ${entry.label} started`);
    return this.halt(entry, "brutal_kill").then(() => ({ status: "failed", error }));
  }

  /** A start said `ignore`: kept as stopped by a static supervisor unless temporary, else forgotten. */
  settleIgnored(entry: Entry): void {
    if (this.flags.kind !== "static" || entry.spec.restart === "temporary") this.roster.drop(entry);
  }

  /** Stops a child, if it runs, by its shutdown protocol. */
  halt(entry: Entry, shutdown = entry.spec.shutdown): Promise<void> {
    return new Promise((done) => this.#halt(entry, shutdown, this.clock, done));
  }

  #halt(entry: Entry, shutdown: Shutdown, clock: Clock, done: () => void): void {
    entry.cancelBackoff?.();
    entry.cancelBackoff = undefined;
    const stopped = (): void => {
      this.roster.clearCurrent(entry);
      done();
    };
    if (entry.current === undefined) stopped();
    else stopInstance(entry.current, shutdown, clock, stopped);
  }

  /** Stops all children at the same time; `done` is called once. */
  #haltAll(shutdownOf: (entry: Entry) => Shutdown, done: () => void): void {
    const entries = this.roster.newestFirst();
    if (entries.length === 0) return done();
    const clock = sharedTimers(this.clock);
    let left = entries.length;
    const stopped = (): void => {
      left -= 1;
      if (left === 0) done();
    };
    for (const entry of entries) this.#halt(entry, shutdownOf(entry), clock, stopped);
  }

  /** OTP's `del_child`: a temporary or dynamic child is forgotten with its process, another's spec stays. */
  retire(entry: Entry): void {
    const isKept = this.flags.kind === "static" && entry.spec.restart !== "temporary";
    if (!isKept) this.roster.drop(entry);
  }

  #onExit(entry: Entry, instance: Instance, reason: ExitReason): void {
    this.report({ type: "child.exited", ...instance.identity, reason: plainReason(reason) });
    if (instance.isStopping) return; // whoever stops it goes on from here
    this.#later(() => this.#afterExit(entry, instance, reason));
  }

  async #afterExit(entry: Entry, instance: Instance, reason: ExitReason): Promise<void> {
    if (entry.current !== instance) return; // stopped or replaced since: this end is of an earlier life
    this.roster.clearCurrent(entry);
    const { restart, significant } = entry.spec;
    const isClean = isCleanExit(reason);
    if (restart === "permanent" || (restart === "transient" && !isClean)) return this.#restart(entry, reason);
    this.retire(entry);
    if (this.flags.sweepStopped && restart === "transient") this.roster.drop(entry);
    if (significant && this.#isTimeToEnd()) return this.end({ kind: "shutdown" });
  }

  /** OTP's `auto_shutdown`; asked when a significant child has ended by itself and stays down. */
  #isTimeToEnd(): boolean {
    if (this.flags.autoShutdown !== "all_significant") return this.flags.autoShutdown === "any_significant";
    for (const { spec, state } of this.roster.all())
      if (spec.significant && state !== "stopped") return false;
    return true;
  }

  async #restart(failed: Entry, reason: ExitReason): Promise<void> {
    const { flags, clock } = this;
    if (!admitRestart(this.#history, clock.monotonic(), flags.intensity, flags.periodSeconds)) {
      const { intensity, periodSeconds } = flags;
      const of = { supervisor: this.path, childId: failed.label, instance: failed.lastInstance };
      const why = { reason: plainReason(reason), intensity, periodSeconds };
      this.report({ type: "supervisor.gave_up", ...of, ...why });
      failed.state = "stopped";
      this.retire(failed);
      return this.end({ kind: "shutdown" });
    }
    for (const member of sharersOf(flags.strategy, this.roster.all(), failed).toReversed()) {
      if (member === failed) continue;
      await this.halt(member);
      if (member.spec.restart === "temporary") this.roster.drop(member); // ends with the group and does not come back
    }
    if (this.#verdict !== undefined) return;
    failed.state = "stopped";
    const delayMs = this.#backoff(failed);
    if (delayMs === 0) return this.#startSharers(failed);
    failed.state = "restarting";
    failed.cancelBackoff = clock.setTimer(delayMs, () => {
      failed.cancelBackoff = undefined;
      this.#later(async () => {
        if (failed.state === "restarting" && this.roster.has(failed)) await this.#startSharers(failed);
      });
    });
  }

  #backoff(failed: Entry): number {
    const { backoff, periodSeconds } = this.flags;
    if (backoff === undefined) return 0;
    const lasted = this.clock.monotonic() - failed.startedAtMs >= periodSeconds * 1000;
    failed.streak = lasted ? 1 : failed.streak + 1;
    return backoffDelay(backoff, failed.streak);
  }

  async #startSharers(failed: Entry): Promise<void> {
    for (const member of sharersOf(this.flags.strategy, this.roster.all(), failed)) {
      if (member.current !== undefined) continue;
      const launched = await this.start(member, "restart");
      if (this.#verdict !== undefined) return;
      if (launched.status === "ignored") this.settleIgnored(member);
      if (launched.status !== "failed") continue;
      // As OTP's `try_again_restart`: other calls get their turn, then it is tried, and counted, again.
      member.state = "restarting";
      const { error } = launched;
      return this.#later(async () => {
        if (member.state !== "restarting" || !this.roster.has(member)) return; // terminated or restarted meanwhile
        await this.#restart(member, { kind: "crash", detail: error });
      });
    }
  }

  /** Queues what is nobody's call. A failure here is a fault of ours, and ends the supervisor as a crash. */
  #later(operation: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      if (this.state === "running") await operation();
    };
    void this.serial.run(run).catch((error: unknown) => this.kill({ kind: "crash", detail: error }));
  }

  /** Stops all children and ends: static ones from the newest to the oldest, dynamic ones all at once. */
  async end(reason: ExitReason): Promise<void> {
    if (this.state === "stopping" || this.state === "ended") return;
    this.state = "stopping";
    if (this.flags.kind === "static") for (const entry of this.roster.newestFirst()) await this.halt(entry);
    else await new Promise<void>((done) => this.#haltAll(({ spec }) => spec.shutdown, done));
    this.#finish(reason);
  }

  /** Ends at once: every child is killed, whatever was going on, and the names are free when the exit is told. */
  kill(verdict: ExitReason = { kind: "killed" }): void {
    if (this.#verdict !== undefined || this.state === "ended") return;
    this.#verdict = verdict;
    this.state = "ended";
    this.#haltAll(
      () => "brutal_kill",
      () => this.#finish(verdict),
    );
  }

  /** Nothing is left: gives the name back, then tells the exit. */
  #finish(reason: ExitReason): void {
    if (this.#verdict !== undefined && reason !== this.#verdict) return; // the kill finishes, once its children are gone
    this.state = "ended";
    for (const entry of this.roster.newestFirst()) this.retire(entry);
    if (this.name !== undefined) this.registry?.release(this.name, this.#child);
    this.#stopAttribution?.();
    this.latch.settle(reason);
  }
}
