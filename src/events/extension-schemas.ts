/** The shapes of what happens in a registry of extensions: facts of `extensions-<runtime id>`. */
import { z } from "zod";
import { count, sha256 } from "./fact-shapes.ts";

/** One load of extensions: for one working directory and one list of places. */
const load = z.string().min(1);
const module = z.string();
const sourcePath = z.string().nullable();
const jsonObject = z.record(z.string(), z.unknown());
const providerType = z.enum(["model", "memory", "search"]);

/** Where a tool comes from. */
const toolSource = z.union([
  z.literal("builtin"),
  z.object({ kind: z.enum(["wasm", "extension", "mcp"]), id: z.string() }),
]);

/** The newest schema of each. */
export const extensionFactSchemas = {
  "extensions.requested": z.object({
    load,
    generation: count,
    cwd: z.string(),
    /** In search order. */
    searchPaths: z.array(
      z.object({
        path: z.string(),
        origin: z.enum(["configured", "global", "project", "option"]),
        exists: z.boolean(),
      }),
    ),
    /** In search order; the last of one module is kept. Objects of the program have no path and stand last. */
    candidates: z.array(z.object({ module, sourcePath })),
  }),
  "extension.overridden": z.object({ load, module, sourcePath, keptSourcePath: sourcePath }),
  "extension.loaded": z.object({
    load,
    module,
    sourcePath,
    name: z.string(),
    version: z.string(),
    capabilities: z.array(z.string()),
    configSchema: jsonObject,
    /** Of the code that runs; `null` for an object of the program. */
    sha256: sha256.nullable(),
  }),
  "extension.load_failed": z.object({
    load,
    sourcePath: z.string(),
    error: jsonObject,
    errorMessage: z.string(),
  }),
  "extension.validation_failed": z.object({ load, module, sourcePath, errors: z.array(z.string()) }),
  "extension.warned": z.object({ load, module, sourcePath, warnings: z.array(z.string()) }),
  "extensions.collected": z.object({
    load,
    generation: count,
    /** The load whose place it takes in one session; `null` for a first one. */
    replaces: load.nullable(),
    /** Whether the session was the last that used the load it leaves. */
    releases: z.boolean(),
    /** Epoch milliseconds. */
    loadedAt: z.int(),
    /** Built-in tools, in their order. */
    builtIn: z.array(z.string()),
    tools: z.array(z.object({ module, sourcePath, name: z.string() })),
    providers: z.array(z.object({ type: providerType, name: z.string(), module, sourcePath })),
    /** Providers that were there before any extension. */
    core: z.array(z.object({ type: providerType, name: z.string() })),
  }),
  "tool.shadowed": z.object({ load, name: z.string(), winner: toolSource, loser: toolSource }),
  "provider.registered": z.object({ load, type: providerType, name: z.string(), module }),
  "provider.conflicted": z.object({
    load,
    type: providerType,
    name: z.string(),
    /** A module, or `builtin`. */
    winner: z.string(),
    shadowed: z.array(z.string()),
  }),
  "provider.unregistered": z.object({ load, type: providerType, name: z.string(), module }),
  "extensions.reloaded": z.object({ load, generation: count }),
  "extensions.released": z.object({ load }),
  "extension.restarted": z.object({
    generation: count,
    module,
    cause: z.enum(["exit", "error", "memory", "deadline", "unresponsive", "start_failed"]),
    restarts: count,
  }),
  "extension.quarantined": z.object({
    generation: count,
    module,
    /** Of two extensions with one module id, in two folders, it is one of them. */
    sourcePath: z.string(),
    reason: z.string(),
    /** Epoch milliseconds. */
    since: z.int(),
    restarts: count,
  }),
};
