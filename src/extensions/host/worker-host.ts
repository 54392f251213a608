/** An extension whose code runs in a worker thread of its own. */
import { messageOf } from "../../errors.ts";
import { schemaProblem } from "../../tools/index.ts";
import type {
  Bundle,
  Collection,
  Description,
  ExtensionHost,
  ExtensionSettings,
  MemberErrors,
} from "../port.ts";
import type { NoWorker } from "./caller.ts";
import type { Collected } from "./collected.ts";
import { runHookCall } from "./hook-runner.ts";
import type { WorkerInstance } from "./instance.ts";
import { WorkerKeeper } from "./keeper.ts";
import { providerProxy } from "./provider-proxy.ts";
import { collectFrom, type CollectRequest, MemberFailedError } from "./start-instance.ts";
import { toolProxy } from "./tool-proxy.ts";
import type { HostWorld } from "./world.ts";

/** Which extension of which load. */
export interface WorkerHostOptions {
  readonly module: string;
  /** Number of the load. */
  readonly generation: number;
}

/**
 * Starts a worker for a bundled extension and evaluates it there.
 *
 * @throws ExtensionLoadError
 */
export async function workerHost(
  world: HostWorld,
  bundle: Bundle,
  options: WorkerHostOptions,
): Promise<ExtensionHost> {
  const host = new WorkerHost(world, bundle, options);
  await host.start();
  return host;
}

interface Entry extends CollectRequest {
  users: number;
  readonly collection: Promise<Omit<Collection, "release">>;
  /** A worker that is started again collects it too. */
  isInUse: boolean;
}

const nothing: MemberErrors = {};

class WorkerHost implements ExtensionHost {
  readonly sha256: string;
  description: Description = {
    name: null,
    version: null,
    capabilities: [],
    configSchema: {},
    errors: nothing,
    warnings: [],
  };
  readonly #world: HostWorld;
  readonly #keeper: WorkerKeeper;
  readonly #entries = new Map<string, Entry>();
  #keys = 0;
  #leave: () => void = () => undefined;

  constructor(world: HostWorld, bundle: Bundle, options: WorkerHostOptions) {
    this.sha256 = bundle.sha256;
    this.#world = world;
    this.#keeper = new WorkerKeeper({
      world,
      bundle,
      ...options,
      prepare: async (instance) => {
        for (const entry of this.#entries.values())
          if (entry.isInUse) await collectFrom(instance, entry, world.clock);
      },
    });
  }

  async start(): Promise<void> {
    this.#leave = this.#world.enter(this);
    try {
      this.description = await this.#keeper.start();
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  async collect(cwd: string, settings: ExtensionSettings): Promise<Collection> {
    const text = JSON.stringify(sorted(settings));
    const id = JSON.stringify([cwd, text]);
    const entry = this.#entries.get(id) ?? this.#newEntry(id, cwd, text);
    entry.users += 1;
    const members = await entry.collection;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      entry.users -= 1;
      if (entry.users === 0) this.#drop(id, entry);
    };
    return { ...members, release };
  }

  async end(now = false): Promise<void> {
    await this.#keeper.end(now);
    this.#leave();
  }

  #newEntry(id: string, cwd: string, settings: string): Entry {
    this.#keys += 1;
    const key = this.#keys;
    const request = { key, cwd, settings };
    const collection = this.#collected(request).then(
      (collected) => {
        entry.isInUse = Object.keys(collected.errors).length === 0;
        return this.#collection(key, collected);
      },
      (error: unknown) => {
        this.#entries.delete(id); // whoever asks again is given another try
        return this.#collection(key, withoutMembers(error));
      },
    );
    const entry: Entry = { ...request, users: 0, collection, isInUse: false };
    this.#entries.set(id, entry);
    return entry;
  }

  /** By the worker that new calls go to: one that was replaced meanwhile is asked in vain. */
  async #collected(request: CollectRequest): Promise<Collected> {
    for (;;) {
      const instance = await this.#ready();
      const collected = await collectFrom(instance, request, this.#world.clock);
      // One of whose members ran over its time is ended at that: nobody uses what it brought.
      if (this.#keeper.current === instance || instance.ended !== undefined) return collected;
    }
  }

  #ready(): Promise<WorkerInstance> {
    return new Promise((resolve, reject) => {
      this.#keeper.whenReady(resolve, (why) => reject(new Error(refusal(this.#keeper.module, why))));
    });
  }

  async #collection(
    key: number,
    { tools, hooks, providers, errors, warnings, notes }: Collected,
  ): Promise<Omit<Collection, "release">> {
    const keeper = this.#keeper;
    for (const note of notes) this.#world.logger.debug({ module: keeper.module }, note);
    const proxies = numbered(tools, ({ name }) => name).map(([head, nth]) =>
      toolProxy(keeper, key, head, nth),
    );
    const problems = await Promise.all(proxies.map(schemaProblem)); // a worker has no compiler
    return {
      tools: proxies.filter((_, index) => problems[index] === undefined),
      hooks,
      providers: numbered(providers, ({ type, name }) => `${type} ${name}`).map(([head, nth]) =>
        providerProxy(keeper, key, head, nth),
      ),
      errors,
      warnings: [...warnings, ...problems.filter((problem) => problem !== undefined)],
      runHooks: (name, args, options) =>
        runHookCall(keeper, { key, name, count: hooks[name] ?? 0, args, options }),
    };
  }

  #drop(id: string, entry: Entry): void {
    if (this.#entries.get(id) === entry) this.#entries.delete(id);
    this.#keeper.current?.tell(0, { m: "drop", a: { key: entry.key } });
  }
}

/** Each with the number of those before it that have its name. */
function numbered<Member>(
  members: readonly Member[],
  nameOf: (member: Member) => string,
): [Member, number][] {
  const seen = new Map<string, number>();
  return members.map((member) => {
    const name = nameOf(member);
    const nth = seen.get(name) ?? 0;
    seen.set(name, nth + 1);
    return [member, nth];
  });
}

function withoutMembers(error: unknown): Collected {
  const member = error instanceof MemberFailedError ? error.member : "tools";
  return {
    tools: [],
    hooks: {},
    providers: [],
    errors: { [member]: [messageOf(error)] },
    notes: [],
    warnings: [],
  };
}

function refusal(module: string, why: NoWorker): string {
  return why.kind === "quarantined"
    ? `Extension ${module} is quarantined: ${why.reason}`
    : `Extension ${module} has been unloaded`;
}

/** Equal settings have equal texts, in whatever order their members were written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}
