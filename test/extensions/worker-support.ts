/** Extensions made of text, in workers, for the tests of the host. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createHostWorld, type HostWorld } from "../../src/extensions/host/world.ts";
import { workerHost } from "../../src/extensions/host/worker-host.ts";
import type { Bundle, Collection, ExtensionHost, HostEvents } from "../../src/extensions/port.ts";
import type { Clock, Logger } from "../../src/ports.ts";
import { startDynamicSupervisor, type Supervisor, systemClock } from "../../src/supervision/index.ts";
import type { Tool, ToolResult } from "../../src/tools/index.ts";

/** What happened in a world, in order. */
export interface Seen {
  readonly restarted: { module: string; cause: string; restarts: number }[];
  readonly quarantined: { module: string; reason: string; restarts: number }[];
  readonly lines: string[];
  readonly logged: { level: string; fields: object; message: string }[];
}

export interface TestWorld extends AsyncDisposable {
  readonly world: HostWorld;
  readonly seen: Seen;
  readonly folder: string;
  readonly supervisor: Supervisor;
  /** A bundle of `source` as it stands: an ES module without helpers. */
  bundle(source: string, name?: string): Bundle;
  load(source: string, name?: string): Promise<ExtensionHost>;
  /** Loads and collects with no settings. */
  open(source: string, name?: string): Promise<{ host: ExtensionHost; members: Collection }>;
  /** Resolves when `check` holds; looked at after each event and turn of the loop. */
  until(check: () => boolean): Promise<void>;
}

export async function testWorld(
  options: { clock?: Clock; memoryLimitMib?: number; env?: Record<string, string | undefined> } = {},
): Promise<TestWorld> {
  const { clock = systemClock } = options;
  const folder = mkdtempSync(path.join(tmpdir(), "lemon-host-"));
  const seen: Seen = { restarted: [], quarantined: [], lines: [], logged: [] };
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      void seen.logged.push({ level, fields, message });
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  const events: HostEvents = {
    restarted: (module, _generation, cause, restarts) => seen.restarted.push({ module, cause, restarts }),
    quarantined: (module, _generation, reason, _since, restarts) =>
      seen.quarantined.push({ module, reason, restarts }),
    output: (_module, line) => seen.lines.push(line),
  };
  const supervisor = await startDynamicSupervisor({}, { name: "extensions", clock });
  const world = createHostWorld({
    clock,
    logger,
    env: options.env ?? { PATH: process.env["PATH"] },
    cacheDir: path.join(folder, "cache"),
    supervisor,
    events,
    ...(options.memoryLimitMib === undefined ? {} : { memoryLimitMib: options.memoryLimitMib }),
  });
  const bundle = (source: string, name = "sample"): Bundle => {
    const sourcePath = path.join(folder, `${name}.mjs`);
    const sha256 = createHash("sha256").update(source).digest("hex");
    const file = path.join(folder, `${name}-${sha256.slice(0, 8)}.mjs`);
    writeFileSync(file, source);
    const url = pathToFileURL(file).href;
    const mapPositions = (text: string): string => text.replaceAll(url, sourcePath);
    return {
      sourcePath,
      url,
      sha256,
      format: "esm",
      exports: ["default"],
      hasCode: true,
      inputs: [sourcePath],
      mapPositions,
    };
  };
  const load = (source: string, name = "sample"): Promise<ExtensionHost> =>
    workerHost(world, bundle(source, name), { module: name, generation: 1 });
  return {
    world,
    seen,
    folder,
    supervisor,
    bundle,
    load,
    open: async (source, name) => {
      const host = await load(source, name);
      return { host, members: await host.collect(folder, {}) };
    },
    until: async (check) => {
      while (!check()) await new Promise((turn) => setTimeout(turn, 2));
    },
    [Symbol.asyncDispose]: async () => {
      await world.close();
      await supervisor.shutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An extension with one tool per entry: name → body of `execute(id, args, signal, onUpdate, ctx)`. */
export function withTools(tools: Record<string, string>, more = "", top = ""): string {
  const list = Object.entries(tools).map(
    ([name, body]) =>
      `{ name: "${name}", description: "", parameters: { type: "object" }, async execute(id, args, signal, onUpdate, ctx) { ${body} } }`,
  );
  return `const text = (t) => ({ content: [{ type: "text", text: String(t) }] });
${top}
export default { name: "sample", version: "1.0.0", tools: [${list.join(",\n")}], ${more} };`;
}

function toolOf(members: Collection, name: string): Tool {
  const found = members.tools.find((tool) => tool.name === name);
  if (found === undefined)
    throw new Error(`no tool ${name}: ${JSON.stringify(members.errors)} ${members.warnings.join()}`);
  return found;
}

export interface CallOptions {
  readonly args?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly onUpdate?: (update: unknown) => void;
}

export function callTool(members: Collection, name: string, options: CallOptions = {}): Promise<ToolResult> {
  const { args = {}, signal = new AbortController().signal, onUpdate = () => undefined } = options;
  const context = {
    sessionId: "ses_1",
    cwd: "/",
    config: {},
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  };
  return toolOf(members, name).execute("call_1", args, signal, onUpdate, context);
}

export async function textOf(result: Promise<ToolResult>): Promise<string> {
  const [block] = (await result).content;
  return block?.type === "text" ? block.text : "";
}

/** Threads of this process, as the operating system counts them. */
export function threadCount(): number {
  return readdirSync("/proc/self/task").length;
}
