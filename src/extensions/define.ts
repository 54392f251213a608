/** How an author writes an extension. docs/reference/extensions.md */
import type { MemoryProvider, ModelProvider, SearchProvider } from "../providers/index.ts";
import type { AnyToolDefinition } from "../tools/index.ts";
import type { HookTable } from "./hooks.ts";

/** What a member that is a function is told. */
export interface MemberOptions {
  /** The extension's own settings: `[extensions.settings.NAME]`, checked against its `configSchema`. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** A provider as its author declares it. `name` is unique among those of its type. */
export type ProviderDefinition =
  | (ProviderHead & { readonly type: "model"; readonly provider: ModelProvider })
  | (ProviderHead & { readonly type: "memory"; readonly provider: MemoryProvider })
  | (ProviderHead & { readonly type: "search"; readonly provider: SearchProvider });

interface ProviderHead {
  readonly name: string;
  /** Handed to the provider with each call. Memory: `enabled`, `scopes`, `timeoutMs`, `label`. Search: `priority`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A value, or a function that gives it; it may be called more than once and has 5,000 ms. */
type Member<Value> = Value | ((options: MemberOptions) => Value | Promise<Value>);
type Plain<Value> = Value | (() => Value | Promise<Value>);

/** An extension as its author writes it. */
export interface ExtensionDefinition {
  /** Lower case with hyphens; the extension's settings stand under it. */
  readonly name: Plain<string>;
  /** A semantic version. */
  readonly version: Plain<string>;
  /** Words for people and filters, such as `tools`, `hooks`, `model_provider`. Default: none. */
  readonly capabilities?: Plain<readonly string[]>;
  /** JSON Schema of the settings. `secret: true` on a member hides its value everywhere; `default` is filled in. */
  readonly configSchema?: Plain<Readonly<Record<string, unknown>>>;
  /** The tools for one working directory. A bad one is left out with a warning; the others stay. */
  readonly tools?:
    | readonly AnyToolDefinition[]
    | ((
        cwd: string,
        options: MemberOptions,
      ) => readonly AnyToolDefinition[] | Promise<readonly AnyToolDefinition[]>);
  /** Handlers by hook, each one function or a list of them. docs/reference/hooks.md */
  readonly hooks?: Member<HookTable>;
  /** Models, memories and searches that this extension adds. docs/reference/providers.md */
  readonly providers?: Member<readonly ProviderDefinition[]>;
}

/** Types an extension; an extension file has it as its default export. Changes nothing. */
export function defineExtension(definition: ExtensionDefinition): ExtensionDefinition {
  return definition;
}
