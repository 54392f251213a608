/**
 * The registry of extensions: which of equal modules is kept, which of equal tools and providers wins, who uses what.
 *
 * Pure: its inputs are facts, it changes its own context and emits decisions, and has no other action.
 */
import { fromTransition, setup } from "xstate";
import type { Decision, FactData, FactEvent } from "../../events/index.ts";
import { keepLast } from "../../extensions/discovery/keep-last.ts";
import { openLedger, register, unregister, type ProviderLedger } from "../../providers/ledger/ledger.ts";
import { resolveTools } from "../../tools/resolve.ts";

interface RegistryContext {
  readonly ledger: ProviderLedger;
}

interface Step {
  readonly ledger: ProviderLedger;
  readonly decisions: readonly Decision[];
}

const registry = setup({
  types: {
    context: {} as RegistryContext,
    events: {} as FactEvent,
    emitted: {} as Decision,
  },
});

const request = registry.enqueueActions(({ event, enqueue }) => {
  if (event.type !== "extensions.requested") throw new Error(`${event.type} asks for no load`);
  for (const decision of overridden(event.data)) enqueue.emit(decision);
});

const collect = registry.enqueueActions(({ context, event, enqueue }) => {
  if (event.type !== "extensions.collected") throw new Error(`${event.type} collects nothing`);
  const { ledger, decisions } = collected(context.ledger, event.data);
  enqueue.assign({ ledger });
  for (const decision of decisions) enqueue.emit(decision);
});

const release = registry.enqueueActions(({ context, event, enqueue }) => {
  if (event.type !== "extensions.released") throw new Error(`${event.type} releases nothing`);
  const { ledger, decisions } = released(context.ledger, event.data.load);
  enqueue.assign({ ledger });
  for (const decision of decisions) enqueue.emit(decision);
});

/** The decider of a registry's stream. */
export const extensionRegistryMachine = registry.createMachine({
  id: "extension_registry",
  context: { ledger: openLedger([]) },
  initial: "open",
  states: {
    open: {
      on: {
        "extensions.requested": { actions: request },
        "extensions.collected": { actions: collect },
        "extensions.released": { actions: release },
      },
    },
  },
});

/** A registry's stream has no members: no fact of it creates one. */
export const noMember = fromTransition((state: null) => state, null);

function overridden({ load, candidates }: FactData<"extensions.requested">): Decision[] {
  return keepLast(candidates).overridden.map(({ module, sourcePath, keptSourcePath }) => ({
    type: "extension.overridden",
    data: { load, module, sourcePath, keptSourcePath },
  }));
}

/** A load takes its place; the one that it replaces goes in the same step, or a provider would be gone in between. */
function collected(ledger: ProviderLedger, data: FactData<"extensions.collected">): Step {
  const { load, generation, replaces, releases } = data;
  const decisions: Decision[] = shadowed(data);
  const left = replaces !== null && releases ? released(ledger, replaces) : { ledger, decisions: [] };
  decisions.push(...left.decisions);
  const before = { ...left.ledger, core: openLedger(data.core).core };
  const entered = register(before, { id: load, generation }, data.providers);
  for (const { type, name, extension: module } of entered.report.registered)
    decisions.push({ type: "provider.registered", data: { load, type, name, module } });
  for (const conflict of entered.report.conflicts)
    decisions.push({
      type: "provider.conflicted",
      data: { load, ...conflict, shadowed: [...conflict.shadowed] },
    });
  if (replaces !== null) decisions.push({ type: "extensions.reloaded", data: { load, generation } });
  return { ledger: entered.ledger, decisions };
}

function shadowed({ load, builtIn, tools }: FactData<"extensions.collected">): Decision[] {
  const candidates = [
    ...builtIn.map((name) => ({ name, source: "builtin" as const, sourcePath: null })),
    ...tools.map(({ name, module, sourcePath }) => ({
      name,
      source: { kind: "extension" as const, id: module },
      sourcePath,
    })),
  ];
  return resolveTools(candidates).collisions.map(({ winner, loser }) => ({
    type: "tool.shadowed",
    data: { load, name: loser.name, winner: winner.source, loser: loser.source },
  }));
}

function released(ledger: ProviderLedger, load: string): Step {
  const held = ledger.entries.filter(({ users }) => users.some(({ id }) => id === load));
  const registered = held.map(({ type, name, module }) => ({ type, name, extension: module }));
  const left = unregister(ledger, load, { registered });
  return {
    ledger: left.ledger,
    decisions: left.report.registered.map(({ type, name, extension: module }) => ({
      type: "provider.unregistered",
      data: { load, type, name, module },
    })),
  };
}
