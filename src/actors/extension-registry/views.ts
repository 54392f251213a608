/** The views of the registry's stream: one, and small. */
import type { Fact } from "../../events/index.ts";
import { extensionRegistry, project, type ExtensionRegistryView } from "../../projections/index.ts";
import type { StreamViews, ViewsKind } from "../stream-views.ts";

/** What is loaded, as of the last durable fact. */
export class RegistryViews implements StreamViews {
  registry: ExtensionRegistryView = extensionRegistry.initial;

  fold(fact: Fact): void {
    this.registry = project(extensionRegistry, this.registry, fact);
  }

  store(): Map<string, string> {
    return new Map([["registry", JSON.stringify(this.registry)]]);
  }

  forgetStored(): void {
    // Each time everything is given.
  }
}

/** The views of registries. */
export const registryViews: ViewsKind<RegistryViews> = {
  version: `${extensionRegistry.name}.${extensionRegistry.version}`,
  create: () => new RegistryViews(),
  restore: (stored) => {
    const text = stored.get("registry")?.text;
    if (text === undefined) return null;
    const views = new RegistryViews();
    views.registry = JSON.parse(text) as ExtensionRegistryView;
    return views;
  },
};
