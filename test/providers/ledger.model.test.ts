import fc from "fast-check";
import { expect, it } from "vitest";
import {
  openLedger,
  registerProviders,
  servedBy,
  unregisterProviders,
  type ProviderLedger,
  type ProviderOffer,
  type ProviderReport,
  type ProviderType,
} from "../../src/providers/index.ts";

const types = ["model", "memory", "search"] as const;
const names = ["local", "openai", "acme", "__proto__"];
const loads = ["l1", "l2", "l3"];

const offers: fc.Arbitrary<ProviderOffer[]> = fc.array(
  fc.record({
    type: fc.constantFrom<string>(...types, "storage"),
    name: fc.constantFrom(...names, " acme ", " "),
    module: fc.constantFrom("a", "B", "c"),
    sourcePath: fc.constantFrom("/p", "/q", null),
  }),
  { maxLength: 6 },
);

/** For each name that is taken: whose it is, and which loads use it. */
interface Model {
  readonly taken: Map<string, { readonly owner: string; readonly users: Map<string, number> }>;
  readonly reports: Map<string, ProviderReport>;
  generation: number;
}
interface Real {
  ledger: ProviderLedger;
}
type Command = fc.Command<Model, Real>;

const core = new Set(["memory local", "model openai"]);
const ownerOf = (offer: ProviderOffer): string => JSON.stringify([offer.module, offer.sourcePath]);
const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

class Register implements Command {
  readonly load: string;
  readonly offers: readonly ProviderOffer[];
  constructor(load: string, offered: readonly ProviderOffer[]) {
    this.load = load;
    this.offers = offered;
  }
  check = (model: Readonly<Model>): boolean => !model.reports.has(this.load);
  run(model: Model, real: Real): void {
    model.generation += 1;
    const { ledger, report } = registerProviders(
      real.ledger,
      { id: this.load, generation: model.generation },
      this.offers,
    );
    real.ledger = ledger;
    model.reports.set(this.load, report);

    const won: string[] = [];
    const lost: string[] = [];
    const known = this.offers
      .map((offer) => ({ ...offer, name: offer.name.trim() }))
      .filter(({ type, name }) => types.some((each) => each === type) && name !== "");
    for (const offer of known.toSorted(
      (a, b) => bytes(a.module, b.module) || bytes(a.sourcePath ?? "", b.sourcePath ?? ""),
    )) {
      const key = `${offer.type} ${offer.name}`;
      const held = model.taken.get(key);
      if (core.has(key) || won.includes(key) || (held !== undefined && held.owner !== ownerOf(offer))) {
        lost.push(`${key} ${offer.module}`);
        continue;
      }
      won.push(key);
      const users = held?.users ?? new Map<string, number>();
      model.taken.set(key, { owner: ownerOf(offer), users: users.set(this.load, model.generation) });
    }
    expect(report.registered.map(({ type, name }) => `${type} ${name}`)).toEqual(won.toSorted(bytes));
    expect(
      report.conflicts
        .flatMap(({ type, name, shadowed }) => shadowed.map((module) => `${type} ${name} ${module}`))
        .toSorted(bytes),
    ).toEqual(lost.toSorted(bytes));
    expect([report.totalRegistered, report.totalConflicts]).toEqual([
      report.registered.length,
      report.conflicts.length,
    ]);
    assertSame(model, real);
  }
  toString = (): string => `register(${this.load}, ${JSON.stringify(this.offers)})`;
}

class Unregister implements Command {
  readonly load: string;
  constructor(load: string) {
    this.load = load;
  }
  check = (model: Readonly<Model>): boolean => model.reports.has(this.load);
  run(model: Model, real: Real): void {
    real.ledger = unregisterProviders(real.ledger, this.load, model.reports.get(this.load)).ledger;
    model.reports.delete(this.load);
    for (const [key, { users }] of model.taken) {
      users.delete(this.load);
      if (users.size === 0) model.taken.delete(key);
    }
    assertSame(model, real);
  }
  toString = (): string => `unregister(${this.load})`;
}

function assertSame(model: Model, { ledger }: Real): void {
  expect(JSON.parse(JSON.stringify(ledger))).toEqual(ledger);
  for (const type of types) {
    for (const name of names) {
      const served = servedBy(ledger, type satisfies ProviderType, name);
      const held = model.taken.get(`${type} ${name}`);
      expect(served === null ? null : ownerOf(served)).toBe(held?.owner ?? null);
      expect(served?.user.generation).toBe(held && Math.max(...held.users.values()));
    }
  }
  expect(ledger.entries.length).toBe(model.taken.size);
}

it("the ledger does what a map from names to owners and their users does", () => {
  const load = fc.constantFrom(...loads);
  fc.assert(
    fc.property(
      fc.commands([
        fc.tuple(load, offers).map(([id, offered]) => new Register(id, offered)),
        load.map((id) => new Unregister(id)),
      ]),
      (commands) => {
        fc.modelRun(
          () => ({
            model: { taken: new Map(), reports: new Map(), generation: 0 },
            real: { ledger: openLedger([{ type: "model", name: "openai" }]) },
          }),
          commands,
        );
      },
    ),
  );
});

it("the order in which extensions were loaded changes nothing", () => {
  fc.assert(
    fc.property(
      fc
        .uniqueArray(
          fc.record({
            type: fc.constantFrom<string>(...types),
            name: fc.constantFrom(...names),
            module: fc.constantFrom("a", "B", "c", "z"),
            sourcePath: fc.constant(null),
          }),
          { selector: (offer) => JSON.stringify(offer) },
        )
        .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      ([once, otherwise]) => {
        const registered = (list: readonly ProviderOffer[]) =>
          registerProviders(openLedger([]), { id: "l", generation: 1 }, list);
        expect(registered(otherwise)).toEqual(registered(once));
      },
    ),
  );
});
