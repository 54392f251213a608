/** The administration of a supervisor: OTP's calls with OTP's results, answered one after the other. */
import type { Child, ExitReason } from "./child.ts";
import { SupervisorCore } from "./core.ts";
import { SupervisorError, type SupervisorErrorReason, toError } from "./errors.ts";
import { startError } from "./launch.ts";
import { checkDynamicSpec, type Setup, type SupervisorEnvironment } from "./options.ts";
import { type ChildCounts, type ChildRow, childTree, type Entry, type SupervisorTree } from "./roster.ts";
import {
  checkChildSpec,
  type ChildSpec,
  type DynamicChildSpec,
  type FullChildSpec,
  idText,
  invalid,
} from "./spec.ts";
import type { StartChildResult, Supervisor } from "./supervisor.ts";

/** @internal */
export class SupervisorProcess implements Supervisor {
  readonly #core: SupervisorCore;
  readonly exited: Promise<ExitReason>;
  #isAsked = false;

  constructor(environment: SupervisorEnvironment) {
    this.#core = new SupervisorCore(environment, this);
    this.exited = this.#core.latch.exited;
  }

  get path(): string {
    return this.#core.path;
  }

  get name(): string | undefined {
    return this.#core.name;
  }

  boot(initialise: () => Promise<Setup | "ignore">): Promise<boolean> {
    return this.#core.serial.run(() => this.#core.boot(initialise));
  }

  startChild<C extends Child>(
    given: ChildSpec<C> | DynamicChildSpec<C> | readonly unknown[],
  ): Promise<StartChildResult<C>> {
    try {
      const start = this.#prepare<C>(given); // in the caller, before it is queued: a bad spec is refused at once
      return this.#call("startChild", start);
    } catch (error) {
      return Promise.reject(toError(error));
    }
  }

  #prepare<C extends Child>(given: unknown): () => Promise<StartChildResult<C>> {
    const { flags } = this.#core;
    if (flags.kind === "static") {
      const spec = checkChildSpec(given, flags);
      return () => this.#startStatic(spec);
    }
    if (flags.template === undefined) {
      const spec = checkDynamicSpec(given);
      return () => this.#startDynamic(spec, []);
    }
    if (!Array.isArray(given))
      throw invalid("extraArgs", given, "an array: the template's spec is given already");
    const { template } = flags;
    const args: readonly unknown[] = given;
    return () => this.#startDynamic(template, args);
  }

  #startStatic<C extends Child>(spec: FullChildSpec): Promise<StartChildResult<C>> {
    const present = this.#core.roster.find(spec.id);
    if (present !== undefined) {
      if (present.state === "stopped")
        throw refusal("already_present", present, "its spec is there, stopped; restart or delete it");
      throw refusal("already_started", present, "it runs already");
    }
    const entry = this.#core.roster.add(spec, []);
    return this.#startNew(entry);
  }

  #startDynamic<C extends Child>(
    spec: FullChildSpec,
    args: readonly unknown[],
  ): Promise<StartChildResult<C>> {
    const { flags, roster, path } = this.#core;
    if (roster.size >= flags.maxChildren) {
      throw new SupervisorError(
        "max_children",
        `${path} has ${roster.size} children, as many as maxChildren allows`,
      );
    }
    const label = flags.kind === "simple" ? `${idText(spec.id)}#${roster.nextNumber}` : undefined;
    return this.#startNew(roster.add(spec, args, label));
  }

  async #startNew<C extends Child>(entry: Entry): Promise<StartChildResult<C>> {
    const launched = await this.#core.start(entry, "first");
    if (launched.status === "ignored") {
      this.#core.settleIgnored(entry);
      return { status: "ignored" };
    }
    if (launched.status === "started") return launched as StartChildResult<C>; // C is what the spec's start gives
    this.#core.roster.drop(entry);
    throw startError(entry.label, launched.error);
  }

  terminateChild(child: unknown): Promise<void> {
    return this.#call("terminateChild", async () => {
      const entry = this.#find(child);
      await this.#core.halt(entry);
      this.#core.retire(entry);
    });
  }

  restartChild<C extends Child>(id: unknown): Promise<StartChildResult<C>> {
    return this.#call("restartChild", async () => {
      const entry = this.#findStopped(id);
      const launched = await this.#core.start(entry, "first");
      if (launched.status === "failed") throw startError(entry.label, launched.error);
      if (launched.status === "ignored") this.#core.settleIgnored(entry);
      return launched as StartChildResult<C>; // C is what the spec's start gives
    });
  }

  deleteChild(id: unknown): Promise<void> {
    return this.#call("deleteChild", async () => this.#core.roster.drop(this.#findStopped(id)));
  }

  whichChildren(): Promise<ChildRow[]> {
    return this.#call("whichChildren", async () => this.#core.roster.which());
  }

  whichChild(child: unknown): Promise<ChildRow> {
    return this.#call("whichChild", async () => this.#core.roster.row(this.#find(child)));
  }

  countChildren(): Promise<ChildCounts> {
    return this.#call("countChildren", async () => {
      const counts = this.#core.roster.count();
      // Erlang's simple kind counts its one template, Elixir's dynamic kind its children.
      return this.#core.flags.kind === "simple" ? { ...counts, specs: 1 } : counts;
    });
  }

  childSpec(child: unknown): Promise<FullChildSpec> {
    return this.#call("childSpec", async () => this.#find(child).spec);
  }

  sweepStopped(): Promise<number> {
    return this.#call("sweepStopped", async () => {
      const stopped = this.#core.roster.newestFirst().filter(({ state }) => state === "stopped");
      for (const entry of stopped) this.#core.roster.drop(entry);
      return stopped.length;
    });
  }

  tree(): SupervisorTree {
    const { path, name, state, roster, flags } = this.#core;
    const children = Array.from(roster.all(), childTree);
    return {
      path,
      ...(name === undefined ? {} : { name }),
      strategy: flags.kind === "dynamic" ? "dynamic" : flags.strategy,
      state,
      intensity: flags.intensity,
      periodSeconds: flags.periodSeconds,
      stopped: children.filter((child) => child.state === "stopped").length,
      children,
    };
  }

  shutdown(reason: ExitReason = { kind: "shutdown" }): Promise<ExitReason> {
    if (!this.#isAsked && this.#core.state !== "ended") {
      this.#isAsked = true;
      const told: ExitReason =
        reason.detail === undefined ? { kind: "shutdown" } : { kind: "shutdown", detail: reason.detail };
      void this.#core.serial.run(() => this.#core.end(told)); // `end` never rejects
    }
    return this.exited;
  }

  kill(): void {
    this.#core.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #call<T>(call: string, answer: () => Promise<T>): Promise<T> {
    const isGone = (): boolean => this.#core.state === "stopping" || this.#core.state === "ended";
    const gone = (): SupervisorError =>
      new SupervisorError("noproc", `${call}: the supervisor ${this.path} has ended`);
    if (isGone()) return Promise.reject(gone());
    return this.#core.serial.run(() => (isGone() ? Promise.reject(gone()) : answer()));
  }

  #find(child: unknown): Entry {
    const entry = this.#core.roster.find(child);
    if (entry !== undefined) return entry;
    const what =
      this.#core.flags.kind === "static"
        ? `no child with id ${idText(child)}`
        : "no such child; a dynamic supervisor finds one by the child itself";
    throw new SupervisorError("not_found", `${this.path} has ${what}`);
  }

  #findStopped(id: unknown): Entry {
    if (this.#core.flags.kind !== "static")
      throw new SupervisorError("not_found", `${this.path} is dynamic: it keeps no spec by id`);
    const entry = this.#find(id);
    if (entry.state === "restarting") throw refusal("restarting", entry, "it is about to be restarted");
    if (entry.state !== "stopped") throw refusal("running", entry, "it runs; terminate it first");
    return entry;
  }
}

function refusal(reason: SupervisorErrorReason, entry: Entry, why: string): SupervisorError {
  const child = entry.current?.child;
  return new SupervisorError(reason, `child ${entry.label}: ${why}`, {
    childId: entry.label,
    ...(child === undefined ? {} : { child }),
  });
}
