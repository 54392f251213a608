/**
 * Who is registered as a provider, and who uses it. Pure: the state is plain JSON, and a machine can replay it.
 * docs/reference/providers.md, "Who is registered"
 */
import { byCodePoint } from "../../events/index.ts";
import {
  isProviderType,
  keyOf,
  type ProviderConflict,
  type ProviderKey,
  type ProviderReport,
  type ProviderType,
  type RegisteredProvider,
} from "./report.ts";

/** A provider that an extension brings. */
export interface ProviderOffer {
  /** Anything but model, memory and search is passed over. */
  readonly type: string;
  /** Blanks around it don't count; a blank one is passed over. */
  readonly name: string;
  /** Of its extension. */
  readonly module: string;
  /** `null` for an object of the program. */
  readonly sourcePath: string | null;
}

/** Somebody who uses a registration: one load of extensions. */
export interface ProviderUser {
  readonly id: string;
  /** Grows with each load of the runtime: the newest one serves. */
  readonly generation: number;
}

/** One registration and its users, of which there is at least one. */
export interface LedgerEntry extends ProviderKey {
  readonly module: string;
  readonly sourcePath: string | null;
  readonly users: readonly ProviderUser[];
}

/** All registrations, by type and name. */
export interface ProviderLedger {
  /** Names that were there before any extension. */
  readonly core: readonly ProviderKey[];
  readonly entries: readonly LedgerEntry[];
}

/** The ledger afterwards, and what came of it. */
export interface LedgerOutcome {
  readonly ledger: ProviderLedger;
  readonly report: ProviderReport;
}

/** A ledger in which only these are registered, and the memory `local`, which nobody can take. */
export function openLedger(core: readonly ProviderKey[]): ProviderLedger {
  return { core: [{ type: "memory", name: "local" }, ...core], entries: [] };
}

/**
 * Registers what a user brings. Core names win; a name that is taken stays with who has it, unless it is the same
 * registration, which is then shared; of those who ask at once the first module wins.
 *
 * The same user and the same offers again change nothing but the generation.
 */
export function register(
  ledger: ProviderLedger,
  user: ProviderUser,
  offers: readonly ProviderOffer[],
): LedgerOutcome {
  const isCore = new Set(ledger.core.map(keyOf));
  const entries = new Map(ledger.entries.map((entry) => [keyOf(entry), entry]));
  const registered = new Map<string, RegisteredProvider>();
  const conflicts = new Map<string, ProviderConflict>();
  const lose = (key: string, { type, name, module }: KnownOffer, winner: string): void => {
    const shadowed = [...(conflicts.get(key)?.shadowed ?? []), module];
    conflicts.set(key, { type, name, winner, shadowed });
  };
  for (const offer of inOrder(offers)) {
    const key = keyOf(offer);
    const holder = entries.get(key);
    if (isCore.has(key)) lose(key, offer, "builtin");
    else if (holder === undefined || (isSame(holder, offer) && !registered.has(key))) {
      entries.set(key, { ...offer, users: [...others(holder, user.id), user] });
      registered.set(key, registeredAs(offer));
    } else lose(key, offer, holder.module);
  }
  return {
    ledger: { ...ledger, entries: [...entries.values()].toSorted(byKey) },
    report: reportOf([...registered.values()].toSorted(byKey), [...conflicts.values()].toSorted(byKey)),
  };
}

/**
 * Takes a user off the registrations that its own report lists; one that nobody uses any more goes.
 *
 * @param report - what `register` told; anything else, and what the user does not hold, changes nothing
 * @returns in the report, as `registered`, what is gone
 */
export function unregister(ledger: ProviderLedger, userId: string, report: unknown): LedgerOutcome {
  const listed = new Set(registeredIn(report).map((item) => identityOf(item, item.extension)));
  const gone: RegisteredProvider[] = [];
  const entries = ledger.entries.flatMap((entry) => {
    if (!listed.has(identityOf(entry, entry.module))) return [entry];
    const users = others(entry, userId);
    if (users.length > 0) return [{ ...entry, users }];
    gone.push(registeredAs(entry));
    return [];
  });
  return { ledger: { ...ledger, entries }, report: reportOf(gone, []) };
}

/** Whose registration answers under a name: of its users the newest. `null` when no extension has it. */
export function servedBy(
  ledger: ProviderLedger,
  type: ProviderType,
  name: string,
): (Omit<LedgerEntry, "users"> & { readonly user: ProviderUser }) | null {
  const key = keyOf({ type, name });
  const entry = ledger.entries.find((each) => keyOf(each) === key);
  const [newest] =
    entry?.users.toSorted((a, b) => b.generation - a.generation || byCodePoint(a.id, b.id)) ?? [];
  if (entry === undefined || newest === undefined) return null;
  const { users: _users, ...registration } = entry;
  return { ...registration, user: newest };
}

interface KnownOffer extends ProviderOffer {
  readonly type: ProviderType;
}

/** By module, then source path, then as the extension lists them. */
function inOrder(offers: readonly ProviderOffer[]): KnownOffer[] {
  return offers
    .flatMap(({ type, name, module, sourcePath }) =>
      isProviderType(type) && name.trim() !== "" ? [{ type, name: name.trim(), module, sourcePath }] : [],
    )
    .toSorted(
      (a, b) => byCodePoint(a.module, b.module) || byCodePoint(a.sourcePath ?? "", b.sourcePath ?? ""),
    );
}

function isSame(entry: LedgerEntry, offer: KnownOffer): boolean {
  return entry.module === offer.module && entry.sourcePath === offer.sourcePath;
}

function others(entry: LedgerEntry | undefined, userId: string): ProviderUser[] {
  return entry?.users.filter(({ id }) => id !== userId) ?? [];
}

function registeredAs({ type, name, module }: LedgerEntry | KnownOffer): RegisteredProvider {
  return { type, name, module: `${module}#${name}`, extension: module };
}

function identityOf({ type, name }: ProviderKey, module: string): string {
  return JSON.stringify([type, name, module]);
}

function reportOf(
  registered: readonly RegisteredProvider[],
  conflicts: readonly ProviderConflict[],
): ProviderReport {
  return {
    registered,
    conflicts,
    totalRegistered: registered.length,
    totalConflicts: conflicts.length,
  };
}

function byKey(a: ProviderKey, b: ProviderKey): number {
  return byCodePoint(a.type, b.type) || byCodePoint(a.name, b.name);
}

/** Whatever a report lists that has the shape of a registration. */
function registeredIn(report: unknown): (ProviderKey & { readonly extension: string })[] {
  const listed: unknown =
    typeof report === "object" && report !== null ? (report as { registered?: unknown }).registered : [];
  return Array.isArray(listed) ? listed.filter(isRegistration) : [];
}

function isRegistration(item: unknown): item is RegisteredProvider {
  if (typeof item !== "object" || item === null) return false;
  const { type, name, extension } = item as Partial<Record<keyof RegisteredProvider, unknown>>;
  return isProviderType(type) && typeof name === "string" && typeof extension === "string";
}
