/** One life of an extension's worker thread: from its start until it is told to end. Nothing of it arrives after that. */
import { type MessagePort, MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { builtFile } from "../built-file.ts";
import { maxFrameLength, type ToWorker } from "../worker/frames.ts";
import { messageText } from "../worker/json-walk.ts";
import { heapKib, newSharedMemory, slotAt, slotCount } from "../worker/shared-memory.ts";
import { ChildProcesses } from "./child-processes.ts";
import { type CallListener, CallListeners } from "./listeners.ts";
import type { Watched } from "./memory-watch.ts";
import type { InstanceWorld } from "./instance-world.ts";
import type { WorkerEnd } from "./worker-end.ts";

/** A worker may have no limit that V8 would enforce: it does so by ending the whole process. */
const heapLimitMib = 8192;
/** How long a closed port may wait for the end of its thread before it counts as a fault of its own. */
const closedPortMs = 100;

/** Sends one frame. */
type Frame = { readonly m: ToWorker["m"]; readonly a: unknown };

/** A worker thread with its port, its calls and its child processes. */
export class WorkerInstance implements Watched {
  readonly calls = new CallListeners(slotCount);
  readonly memory: Int32Array = newSharedMemory();
  /** Resolves when the thread is really gone; a native call holds it. */
  readonly gone: Promise<void>;
  readonly #world: InstanceWorld;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #children: ChildProcesses;
  #end: WorkerEnd | undefined;
  #isClosed = false;
  #error: string | undefined;
  #warned = false;
  heapBytes?: () => Promise<number>;

  constructor(world: InstanceWorld) {
    this.#world = world;
    this.#children = new ChildProcesses(world.clock);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(builtFile("worker/bootstrap.js"), {
      workerData: { port: port2, memory: this.memory },
      transferList: [port2],
      argv: [],
      execArgv: [],
      env: definedOnly(world.env),
      stdin: false,
      stdout: true,
      stderr: true,
      name: `extension ${world.module}`,
      resourceLimits: { maxOldGenerationSizeMb: heapLimitMib },
    });
    const worker = this.#worker;
    if ("getHeapStatistics" in worker) {
      // Not in the types of Node 20.
      const read = worker as unknown as { getHeapStatistics(): Promise<Record<string, number>> };
      this.heapBytes = async () => {
        const { used_heap_size: used = 0, external_memory: external = 0 } = await read.getHeapStatistics();
        return used + external;
      };
    }
    port1.on("message", (text: unknown) => this.#receive(text));
    port1.once("close", () => this.#portClosed());
    worker.on("error", (error: unknown) => (this.#error ??= messageText(error)));
    worker.on("messageerror", () => undefined); // its own port is used for nothing
    this.gone = new Promise((resolve) => worker.once("exit", (code) => (this.#exited(code), resolve())));
    // What comes before or past the bootstrap's own functions.
    worker.stdout.on("data", (chunk: unknown) => world.output.write(1, String(chunk)));
    worker.stderr.on("data", (chunk: unknown) => world.output.write(2, String(chunk)));
    world.watch.add(this);
  }

  get ended(): WorkerEnd | undefined {
    return this.#end;
  }

  get isBusy(): boolean {
    return this.calls.running > 0;
  }

  get reportedKib(): number {
    return Atomics.load(this.memory, heapKib);
  }

  /** A number for a call, and a place for it in shared memory. @throws Error when too many calls are under way */
  newCall(): { readonly id: number; readonly slot: number } {
    const slot = this.calls.takeSlot();
    if (slot === undefined) throw new Error(`more than ${slotCount} calls at once`);
    Atomics.store(this.memory, slotAt(slot), 0);
    return { id: this.calls.nextId(), slot };
  }

  /** @param payload - JSON, parsed where it is used */
  call(id: number, frame: Frame, payload: string | undefined, listener: CallListener, slot?: number): void {
    if (this.#end !== undefined) {
      if (slot !== undefined) this.calls.returnSlot(slot);
      return listener.ended(this.#end);
    }
    this.calls.add(id, listener, slot);
    this.#world.watch.busy();
    this.tell(id, frame, payload);
  }

  /** A frame that is not answered. */
  tell(id: number, frame: Frame, payload?: string): void {
    if (this.#end !== undefined) return;
    const head = JSON.stringify({ id, m: frame.m, a: frame.a });
    this.#port.postMessage(payload === undefined ? head : `${head}\n${payload}`);
  }

  /** Whether its loop turns: a worker inside a loop or a native call doesn't answer. */
  ping(limitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const id = this.calls.nextId();
      const cancel = this.#world.clock.setTimer(limitMs, () => {
        this.calls.abandon(id);
        resolve(false);
      });
      const answered = (isThere: boolean) => (): void => {
        cancel();
        resolve(isThere);
      };
      this.call(id, { m: "ping", a: null }, undefined, {
        ok: answered(true),
        failed: answered(true),
        ended: answered(true), // there is nothing to wait for
      });
    });
  }

  endForMemory(grownMib: number): void {
    this.end({ cause: "memory", detail: `the process grew by ${grownMib} MiB` });
  }

  /** Ends it now. What it had posted is still taken; calls that are left end with it. */
  end(end: WorkerEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    for (let waiting = receiveMessageOnPort(this.#port); waiting; waiting = receiveMessageOnPort(this.#port))
      this.#receive(waiting.message);
    this.#isClosed = true;
    this.#port.close();
    void this.#worker.terminate(); // its end is told by `exit`; the promise never rejects
    this.#world.watch.remove(this);
    this.#children.endAll();
    this.#world.output.flush();
    for (const listener of this.calls.closeAll()) listener.ended(end);
    this.#world.onEnd(end);
  }

  #exited(code: number): void {
    const error = this.#error;
    if (error !== undefined) this.end({ cause: "error", detail: `uncaught error: ${error}` });
    else this.end({ cause: "exit", detail: `exit code ${code}` });
  }

  /** A thread that ends closes its port first; only one that goes on has been tampered with. */
  #portClosed(): void {
    if (this.#end !== undefined) return;
    this.#world.clock.setTimer(closedPortMs, () => {
      this.end({ cause: "error", detail: "it closed its own channel" });
    });
  }

  #receive(text: unknown): void {
    if (this.#isClosed) return;
    if (typeof text !== "string") return this.#garbage("not text");
    if (text.length > maxFrameLength) return this.#garbage("too long");
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      return this.#garbage("not JSON");
    }
    if (typeof frame !== "object" || frame === null) return this.#garbage("no frame");
    const { id, t, v, e } = frame as Readonly<Record<string, unknown>>;
    if (typeof id !== "number") return this.#garbage("no frame");
    switch (t) {
      case "out":
        return this.#world.output.take(v, this.memory);
      case "ask":
        return this.#asked(id, v);
      case "part":
        if (id === 0 && isChildPart(v)) return this.#child(v.child, v.alive);
        if (!this.calls.has(id)) return this.#garbage("unknown call");
        return this.calls.find(id)?.part?.(v);
      case "ok":
      case "err":
        if (!this.calls.has(id)) return this.#garbage("unknown call");
        return t === "ok" ? this.calls.close(id)?.ok(v) : this.calls.close(id)?.failed(e);
      default:
        return this.#garbage("no frame");
    }
  }

  #child(pid: number, isAlive: boolean): void {
    if (isAlive) this.#children.started(pid);
    else this.#children.ended(pid);
  }

  #asked(id: number, asked: unknown): void {
    const cut = typeof asked === "string" ? asked.indexOf("\n") : -1;
    if (typeof asked !== "string" || cut < 0) return this.#garbage("no frame");
    const [importer, specifier] = [asked.slice(0, cut), asked.slice(cut + 1)];
    const answer = (a: object): void => this.tell(id, { m: "answer", a });
    this.#world.importUrl(specifier, importer).then(
      (url) => answer({ url }),
      (error: unknown) => {
        const { name, message } = error instanceof Error ? error : new Error(String(error));
        answer({ name, message });
      },
    );
  }

  /** Only an extension that has got hold of the port can send such; it harms nobody but itself. */
  #garbage(what: string): void {
    if (this.#warned) return;
    this.#warned = true;
    const { logger, module } = this.#world;
    logger.warn(
      { module, what },
      "an extension writes to its host's channel; what it writes there is ignored",
    );
  }
}

function isChildPart(value: unknown): value is { child: number; alive: boolean } {
  if (typeof value !== "object" || value === null || !("child" in value) || !("alive" in value)) return false;
  return Number.isSafeInteger(value.child) && typeof value.alive === "boolean";
}

/** A worker would get the text "undefined" for what is not set. */
function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
