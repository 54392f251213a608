/**
 * Which worker an extension has: started, restarted under its supervisor's intensity, retired when a call of it does
 * not end, given up when it ends too often. docs/reference/extensions.md, "Deadlines, restarts and quarantine"
 */
import { messageOf } from "../../errors.ts";
import type { Clock, Logger } from "../../ports.ts";
import { startSupervisor, type Supervisor } from "../../supervision/index.ts";
import { ToolDeadlineError } from "../../tools/index.ts";
import type { Bundle, Description } from "../port.ts";
import type { Caller, NoWorker } from "./caller.ts";
import { computedImports } from "./computed-imports.ts";
import { WorkerInstance } from "./instance.ts";
import { LineLimit } from "./output-lines.ts";
import { WorkerSlot } from "./slot.ts";
import { evaluate } from "./start-instance.ts";
import type { WorkerEnd } from "./worker-end.ts";
import { workerOutput } from "./worker-output.ts";
import type { HostWorld } from "./world.ts";

/** Restarts that an extension may have, within how long. */
const restartLimits = { intensity: 3, periodSeconds: 60 } as const;
/** How long a call may go on after its signal, and a retired worker may take to answer. */
const graceMs = 1000;
const pingMs = 100;

/** Of which extension. */
export interface KeeperOptions {
  readonly world: HostWorld;
  readonly bundle: Bundle;
  readonly module: string;
  readonly generation: number;
  /** Makes a worker that is started again what the one before was. */
  readonly prepare: (instance: WorkerInstance) => Promise<void>;
}

interface Waiting {
  readonly use: (instance: WorkerInstance) => void;
  readonly refused: (why: NoWorker) => void;
}

/** Keeps one worker ready. */
export class WorkerKeeper implements Caller {
  readonly module: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly #options: KeeperOptions;
  readonly #lines: LineLimit;
  readonly #maps: ((text: string) => string)[];
  readonly #waiting = new Set<Waiting>();
  readonly #retired = new Set<WorkerInstance>();
  #supervisor: Supervisor | undefined;
  #slot: WorkerSlot | undefined;
  #current: WorkerInstance | undefined;
  #starting: WorkerInstance | undefined;
  #none: NoWorker | undefined;
  #lastEnd: WorkerEnd | undefined;
  #restarts = 0;
  #onIdle: (() => void) | undefined;

  constructor(options: KeeperOptions) {
    const { world, module, bundle } = options;
    this.#options = options;
    this.module = module;
    this.clock = world.clock;
    this.logger = world.logger;
    this.#lines = new LineLimit(world.clock, (line) => world.events.output(module, line));
    this.#maps = [bundle.mapPositions.bind(bundle)];
  }

  /** The worker that new calls go to, if one is ready. */
  get current(): WorkerInstance | undefined {
    return this.#current;
  }

  readonly mapPositions = (text: string): string =>
    this.#maps.reduce((mapped, mapPositions) => mapPositions(mapped), text);

  /** Evaluates the extension for the first time. @throws ExtensionLoadError */
  async start(): Promise<Description> {
    const { world, bundle } = this.#options;
    const first = await world.evaluations.run(async () => {
      const instance = this.#newInstance();
      return { instance, description: await evaluate(instance, bundle, world.clock) };
    });
    let prepared: WorkerInstance | undefined = first.instance;
    const startWorker = (): WorkerSlot | "ignore" | Promise<WorkerSlot | "ignore"> => {
      const instance = prepared;
      prepared = undefined;
      return instance === undefined ? this.#startAgain() : this.#place(instance);
    };
    const started = await world.supervisor.startChild<Supervisor>({
      id: this.module,
      type: "supervisor",
      restart: "temporary",
      start: () =>
        startSupervisor({
          ...restartLimits,
          children: [{ id: "worker", restart: "transient", isolation: "thread", start: startWorker }],
        }),
    });
    this.#supervisor = started.child;
    void started.child?.exited.then(() => this.#gaveUp()); // never rejects
    return first.description;
  }

  whenReady(use: Waiting["use"], refused: Waiting["refused"]): () => void {
    if (this.#none !== undefined) refused(this.#none);
    else if (this.#current !== undefined) use(this.#current);
    else {
      const waiting = { use, refused };
      this.#waiting.add(waiting);
      return () => {
        this.#waiting.delete(waiting);
        this.#tellIdle();
      };
    }
    return () => undefined;
  }

  abandon(instance: WorkerInstance, id: number, reason: unknown): void {
    if (instance.ended !== undefined || !instance.calls.has(id)) return;
    const name = reason instanceof Error ? reason.name : "AbortError";
    instance.tell(id, { m: "abort", a: { name, message: messageOf(reason) } });
    const cancel = this.clock.setTimer(graceMs, () =>
      this.#retire(instance, reason instanceof ToolDeadlineError),
    );
    instance.calls.abandon(id, cancel);
  }

  /** Ends every worker: when no call is under way any more, or now. */
  async end(now: boolean): Promise<void> {
    if (!now && this.#none === undefined)
      await new Promise<void>((resolve) => {
        const earlier = this.#onIdle; // it may be told twice, the second time to end now
        this.#onIdle = () => {
          earlier?.();
          resolve();
        };
        this.#tellIdle();
      });
    this.#refuse({ kind: "ended" });
    const end: WorkerEnd = { cause: "stopped", detail: "its extension has been unloaded" };
    for (const instance of [this.#starting, this.#current, ...this.#retired]) instance?.end(end);
    await this.#supervisor?.shutdown();
  }

  #newInstance(): WorkerInstance {
    const { world, module } = this.#options;
    const { clock, logger, env, watch } = world;
    const output = workerOutput(module, this.#lines, logger, this.mapPositions);
    const onEnd = (end: WorkerEnd): void => {
      world.leaving(module, instance.gone);
      this.#ended(instance, end);
    };
    const importUrl = computedImports(world.cacheDir, (map) => this.#maps.push(map));
    const instance: WorkerInstance = new WorkerInstance({
      module,
      clock,
      logger,
      env,
      watch,
      output,
      importUrl,
      onEnd,
    });
    instance.calls.onIdle = () => {
      if (this.#retired.has(instance)) instance.end({ cause: "stopped", detail: "it was replaced" });
      this.#tellIdle();
    };
    return instance;
  }

  async #startAgain(): Promise<WorkerSlot | "ignore"> {
    const { world, bundle, module, generation, prepare } = this.#options;
    if (this.#none !== undefined) return "ignore";
    const instance = await world.evaluations.run(async () => {
      const fresh = this.#newInstance();
      this.#starting = fresh;
      try {
        await evaluate(fresh, bundle, world.clock);
        await prepare(fresh);
        return fresh;
      } catch (error) {
        this.#lastEnd = { cause: "start_failed", detail: messageOf(error) };
        fresh.end({ cause: "stopped", detail: "it could not be started" });
        throw error;
      } finally {
        this.#starting = undefined;
      }
    });
    const { cause } = this.#lastEnd ?? { cause: "stopped" };
    this.#lastEnd = undefined;
    const slot = this.#place(instance);
    if (cause !== "stopped") world.events.restarted(module, generation, cause, (this.#restarts += 1));
    return slot;
  }

  #place(instance: WorkerInstance): WorkerSlot {
    const slot = new WorkerSlot(instance);
    this.#slot = slot;
    if (instance.ended !== undefined) {
      this.#lastEnd = instance.ended;
      return slot;
    }
    this.#current = instance;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { use } of waiting) use(instance);
    return slot;
  }

  #ended(instance: WorkerInstance, end: WorkerEnd): void {
    this.#retired.delete(instance);
    if (this.#current === instance) {
      this.#current = undefined;
      if (end.cause !== "stopped") {
        this.#lastEnd = end;
        this.#slot?.crashed(end);
      }
    }
    this.#tellIdle();
  }

  /** A call of it goes on after its end: new calls go elsewhere, and it ends when the others are over. */
  #retire(instance: WorkerInstance, counts: boolean): void {
    const slot = this.#slot;
    if (this.#current !== instance || slot?.instance !== instance) return; // it is on its way out
    this.#current = undefined;
    this.#retired.add(instance);
    const late: WorkerEnd = { cause: "deadline", detail: "a call went on after its deadline" };
    if (counts) this.#replace(slot, late);
    if (instance.calls.live === 0) {
      if (!counts) this.#replace(slot, undefined);
      return instance.end({ cause: "stopped", detail: "it was replaced" });
    }
    void instance.ping(pingMs).then((isAnswered) => {
      const silent: WorkerEnd = { cause: "unresponsive", detail: "it did not answer" };
      if (!counts) this.#replace(slot, isAnswered ? undefined : silent);
      if (!isAnswered) instance.end(silent);
    }); // never rejects
  }

  /** @param counted - why, when it counts toward the intensity */
  #replace(slot: WorkerSlot, counted: WorkerEnd | undefined): void {
    if (this.#none !== undefined) return;
    if (counted !== undefined) {
      this.#lastEnd = counted;
      return slot.crashed(counted);
    }
    slot.isRetiring = true;
    this.#startInstead().catch((error: unknown) => {
      if (this.#none === undefined) this.#quarantine(`it could not be started again: ${messageOf(error)}`);
    });
  }

  async #startInstead(): Promise<void> {
    await this.#supervisor?.terminateChild("worker");
    await this.#supervisor?.restartChild("worker");
  }

  /** The supervisor has ended: it was told to, or this was one time too many. */
  #gaveUp(): void {
    if (this.#none !== undefined) return;
    if (this.#lastEnd === undefined) return this.#refuse({ kind: "ended" }); // the tree above it was stopped
    const { periodSeconds, intensity } = restartLimits;
    const { detail } = this.#lastEnd;
    this.#quarantine(`its worker ended ${intensity + 1} times within ${periodSeconds} s, at last: ${detail}`);
  }

  #quarantine(reason: string): void {
    const { world, module, generation, bundle } = this.#options;
    this.#refuse({ kind: "quarantined", reason });
    for (const instance of [this.#starting, this.#current])
      instance?.end({ cause: "stopped", detail: "its extension is quarantined" });
    const { sourcePath } = bundle;
    world.events.quarantined(module, generation, reason, world.clock.now(), this.#restarts, sourcePath);
  }

  #refuse(why: NoWorker): void {
    this.#none = why;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { refused } of waiting) refused(why);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#onIdle === undefined || this.#waiting.size > 0) return;
    for (const instance of [this.#current, ...this.#retired])
      if (instance !== undefined && instance.calls.live > 0) return;
    this.#onIdle();
  }
}
