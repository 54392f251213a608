/** Extensions in workers of their own, as the runtime loads them. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createRuntime, scriptedModel } from "../../dist/index.js";
import { bundleExtension, createHostWorld, inProcessHost, workerHost } from "../../dist/extensions/index.js";
import { silentLogger } from "../../dist/ports.js";
import { startDynamicSupervisor, systemClock } from "../../dist/supervision/index.js";

const source = (name, handlers = 1) => `import { defineExtension, defineTool } from "lemon-runtime";
interface Said { readonly text: string }
const said = (text: string): { content: { type: "text"; text: string }[] } => ({ content: [{ type: "text", text }] });
export default defineExtension({
  name: ${JSON.stringify(name)},
  version: "1.0.0",
  tools: [
    defineTool({
      name: "echo_${name.replaceAll("-", "_")}",
      description: "says what it is given",
      readOnly: true,
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const,
      execute: (_id, args) => said((args as Said).text),
    }),
  ],
  hooks: { onToolCall: Array.from({ length: ${handlers} }, () => () => undefined) },
});
`;

/** Writes that many TypeScript extensions into a folder. */
export function writeExtensions(folder, count, handlers) {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, index) => {
    const file = path.join(folder, `bench-${index}.ts`);
    writeFileSync(file, source(`bench-${index}`, handlers));
    return file;
  });
}

/** Loads files of a folder as a session would, and gives what ends it. */
export async function loadAll(home, folder) {
  const runtime = await createRuntime({
    home,
    cwd: home,
    log: ":memory:",
    models: { s: scriptedModel([]) },
  });
  const { extensions, loadErrors } = await runtime.extensions.load([folder]);
  if (loadErrors.length > 0) throw new Error(loadErrors[0].errorMessage);
  return { runtime, count: extensions.length };
}

/** One extension in a worker and the same in this process, each collected. */
export async function twoHosts(folder, handlers) {
  const [file] = writeExtensions(folder, 1, handlers);
  const supervisor = await startDynamicSupervisor({});
  const events = { restarted: () => undefined, quarantined: () => undefined, output: () => undefined };
  const cacheDir = path.join(folder, "cache");
  const logger = silentLogger;
  const world = createHostWorld({
    clock: systemClock,
    logger,
    env: process.env,
    cacheDir,
    supervisor,
    events,
  });
  const bundle = await bundleExtension(file, { cacheDir });
  const worker = await (
    await workerHost(world, bundle, { module: "bench-0", generation: 1 })
  ).collect(folder, {});
  const definition = {
    name: "bench-0",
    version: "1.0.0",
    tools: [
      {
        name: "echo_bench_0",
        description: "says what it is given",
        readOnly: true,
        parameters: { type: "object", properties: { text: { type: "string" } } },
        execute: (_id, { text }) => ({ content: [{ type: "text", text }] }),
      },
    ],
    hooks: { onToolCall: Array.from({ length: handlers }, () => () => undefined) },
  };
  const host = await inProcessHost(definition, { index: 0, clock: systemClock, logger });
  const inProcess = await host.collect(folder, {});
  return { worker, inProcess, close: () => world.close() };
}
