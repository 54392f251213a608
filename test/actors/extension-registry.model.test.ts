/** The registry of extensions under random loads, reloads and releases of two runtimes on one log. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Cascade } from "../../src/actors/cascade.ts";
import { registryActors, registryStreamName } from "../../src/actors/extension-registry/actors.ts";
import { factOf, Feed } from "../../src/actors/feed.ts";
import type { Fact, KnownFact } from "../../src/events/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import {
  extensionRegistry,
  loadReport,
  project,
  type ExtensionRegistryView,
  type ExtensionStatusReport,
} from "../../src/projections/index.ts";
import type { Runtime, Session } from "../../src/runtime/index.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";
import { rounds } from "../support/soak.ts";

const names = ["a", "b", "c"];

/** What the extensions are like at the moment, by name. */
type Look = Record<
  string,
  { readonly tools: string[]; readonly provides: string[]; readonly isValid: boolean }
>;

/** One load as the model has it. */
interface ModelLoad {
  users: number;
}

interface Live {
  readonly session: Session;
  load: ModelLoad;
}

class House {
  readonly runtime: Runtime;
  readonly log: EventLog;
  readonly live: Live[] = [];
  readonly newest = new Map<string, ModelLoad>();
  /** What was published, and the version of the registry's stream then. */
  readonly published: { readonly version: number; readonly reports: string[] }[] = [];

  constructor(runtime: Runtime, log: EventLog) {
    this.runtime = runtime;
    this.log = log;
  }

  get loads(): Set<ModelLoad> {
    return new Set(this.live.map(({ load }) => load));
  }

  async start(cwd: string): Promise<void> {
    const session = await this.runtime.sessions.start({ cwd, model: "s/m" });
    const load = this.newest.get(cwd) ?? { users: 0 };
    load.users += 1;
    this.newest.set(cwd, load);
    this.live.push({ session, load });
  }

  async reload(index: number): Promise<void> {
    const one = this.live[index % this.live.length];
    if (one === undefined) return;
    await one.session.reloadExtensions();
    const { cwd } = one.session.state();
    this.#leave(one.load, cwd);
    one.load = { users: 1 };
    this.newest.set(cwd, one.load);
  }

  async end(index: number): Promise<void> {
    const [one] = this.live.splice(index % Math.max(1, this.live.length), 1);
    if (one === undefined) return;
    const { cwd } = one.session.state();
    await one.session.shutdown();
    this.#leave(one.load, cwd);
  }

  #leave(load: ModelLoad, cwd: string): void {
    load.users -= 1;
    if (load.users === 0 && this.newest.get(cwd) === load) this.newest.delete(cwd);
  }

  get stream(): string {
    return registryStreamName(this.runtime.id);
  }

  /** The log adds up to what is live, now. */
  async check(): Promise<void> {
    await expect.poll(async () => Object.keys((await this.folded()).loads).length).toBe(this.loads.size);
    const reports = reportsIn(await this.folded());
    for (const { session } of this.live) expect(reports).toContain(textOf(session.extensionStatusReport()));
    const facts = await factsOf(this.log, this.stream);
    this.published.push({ version: facts.length, reports });
    for (const report of await sessionReports(this.log, this.live)) expect(reports).toContain(report);
    expect(await this.#registered()).toEqual(await this.#held());
  }

  /** Providers by the facts that say who came and who went. */
  async #registered(): Promise<string[]> {
    const registered = new Set<string>();
    for (const { type, data } of await factsOf(this.log, this.stream)) {
      const { name, module } = data as { name: string; module: string };
      if (type === "provider.registered") registered.add(`${name} of ${module}`);
      if (type === "provider.unregistered") registered.delete(`${name} of ${module}`);
    }
    return [...registered].toSorted();
  }

  /** Providers by the loads that are in use: each name has one owner. */
  async #held(): Promise<string[]> {
    const owners = new Map<string, string>();
    for (const { registered } of Object.values((await this.folded()).loads)) {
      for (const { name, module } of registered) {
        expect(owners.get(name) ?? module).toBe(module);
        owners.set(name, module);
      }
    }
    return [...owners].map(([name, module]) => `${name} of ${module}`).toSorted();
  }

  /** Every earlier version adds up to what was there then; replay agrees with all. */
  async checkPast(): Promise<void> {
    for (const { version, reports } of this.published)
      expect(reportsIn(await this.folded(version))).toEqual(reports);
    const feed = new Feed(new Cascade(registryActors()));
    for await (const page of this.log.readStored(this.stream))
      for (const stored of page) expect(feed.take(stored, factOf(stored))).toBeNull();
    expect(feed.end()).toBeNull();
  }

  async folded(to = Infinity): Promise<ExtensionRegistryView> {
    let view = extensionRegistry.initial;
    for (const fact of await factsOf(this.log, this.stream))
      if (fact.version <= to) view = project(extensionRegistry, view, fact as KnownFact);
    return view;
  }
}

function reportsIn(view: ExtensionRegistryView): string[] {
  return Object.values(view.loads).map((load) => textOf(loadReport(load, [])));
}

function textOf(report: ExtensionStatusReport): string {
  return JSON.stringify({ ...report, zombies: [] });
}

/** The newest report that each session has in its own stream. */
async function sessionReports(log: EventLog, live: readonly Live[]): Promise<string[]> {
  const reports: string[] = [];
  for (const { session } of live) {
    const facts = await factsOf(log, `session-${session.id}`);
    const last = facts.findLast(({ type }) => type === "extension_status_report.published");
    reports.push(textOf((last as Fact<string, { report: ExtensionStatusReport }>).data.report));
  }
  return reports;
}

function objectsOf(look: Look): unknown[] {
  return names.map((name) => ({
    name,
    version: "1.0.0",
    tools: () => {
      if (look[name]?.isValid === false) throw new Error("not now");
      return look[name]?.tools.map((tool) => ({
        name: tool,
        description: "",
        parameters: { type: "object" },
        execute: () => ({ content: [] }),
      }));
    },
    providers: () =>
      look[name]?.provides.map((provider) => ({
        type: "model",
        name: provider,
        provider: { stream: () => [] },
      })),
  }));
}

type Step =
  | { readonly does: "start"; readonly house: number; readonly place: number }
  | { readonly does: "reload" | "end"; readonly house: number; readonly which: number }
  | { readonly does: "change"; readonly name: string; readonly to: Look[string] };

const house = fc.integer({ min: 0, max: 1 });
const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("start" as const), house, place: fc.nat({ max: 1 }) }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("reload" as const), house, which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("end" as const), house, which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("change" as const),
      name: fc.constantFrom(...names),
      to: fc.record({
        tools: fc.array(fc.constantFrom("read", "one", "two"), { maxLength: 2 }),
        provides: fc.array(fc.constantFrom("x", "y", "openai", "s"), { maxLength: 2 }),
        isValid: fc.boolean(),
      }),
    }),
  },
);

test("the log adds up to what is loaded, at every version, and replay agrees", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      const look: Look = {};
      for (const name of names) look[name] = { tools: [name], provides: [], isValid: true };
      const log = await memoryLog();
      const places = [temporaryFolder(), temporaryFolder()];
      const options = { extensions: objectsOf(look) };
      const houses = await Promise.all(
        [0, 1].map(async () => new House(await scriptedRuntime(log, [], options), log)),
      );
      for (const each of steps) {
        if (each.does === "change") {
          look[each.name] = each.to;
          continue;
        }
        const at = houses[each.house];
        if (each.does === "start") await at?.start(places[each.place] ?? "");
        else if (each.does === "reload") await at?.reload(each.which);
        else await at?.end(each.which);
        await at?.check();
      }
      for (const each of houses) {
        await each.checkPast();
        await each.runtime.close();
        each.live.length = 0;
        await each.check();
        await each.checkPast();
      }
      await log.close();
    }),
    { numRuns: rounds(30, 200, 2_000) },
  );
});

test("a reload without changes changes the generation and the time, and nothing else", async () => {
  const look: Look = {
    a: { tools: ["read", "one"], provides: ["x"], isValid: true },
    b: { tools: ["one"], provides: ["x", "openai"], isValid: true },
    c: { tools: [], provides: [], isValid: false },
  };
  const log = await memoryLog();
  const at = new House(await scriptedRuntime(log, [], { extensions: objectsOf(look) }), log);
  await at.start(temporaryFolder());
  const [before] = Object.values((await at.folded()).loads);
  await at.reload(0);
  await at.check();
  const [after] = Object.values((await at.folded()).loads);
  expect(after?.generation).toBe((before?.generation ?? 0) + 1);
  const rest = { load: "", generation: 0, loadedAt: 0, isReload: false };
  expect({ ...after, ...rest }).toEqual({ ...before, ...rest });
  await at.runtime.close();
  await log.close();
});
