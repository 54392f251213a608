/**
 * The first file of an extension's worker. All that it needs is taken before the extension is imported, and all that
 * the extension must not reach is closed by then. docs/reference/extensions.md, "Workers"
 */
import { syncBuiltinESMExports } from "node:module";
import { type MessagePort, workerData } from "node:worker_threads";
import { getHeapStatistics } from "node:v8";
import { guardChildren } from "./guard-children.ts";
import { guardProcess } from "./guard-process.ts";
import { guardStreams } from "./guard-streams.ts";
import { LiveCalls } from "./live-calls.ts";
import { outputTo } from "./output.ts";
import { askHost } from "./ask.ts";
import { setImporter } from "./meta.ts";
import { receiver } from "./receive.ts";
import { heapKib } from "./shared-memory.ts";
import { wireTo } from "./wire.ts";
import * as built from "./captured.ts";

const { port, memory } = workerData as { port: MessagePort; memory: Int32Array }; // given by the host
for (const key of Object.keys(workerData as object)) Reflect.deleteProperty(workerData as object, key);

const wire = wireTo(port);
const output = outputTo((part) => wire.post(0, "out", part), memory);
const calls = new LiveCalls(wire.post, wire.fail);
const asks = askHost(wire.post);

guardStreams(output);
guardProcess();
const tellChild = (child: number, alive: boolean): void => wire.post(0, "part", built.bare({ child, alive }));
guardChildren({
  output,
  childStarted: (pid) => tellChild(pid, true),
  childEnded: (pid) => tellChild(pid, false),
  leftMs: () => calls.leftMs(),
});
syncBuiltinESMExports();

setImporter((specifier, importerUrl) => asks.ask(specifier, importerUrl));

const heapStatistics = getHeapStatistics;
const heapReportMs = 250;
setInterval(() => {
  const { used_heap_size: used, external_memory: external } = heapStatistics();
  built.atomicStore(memory, heapKib, ((used + external) / 1024) | 0);
}, heapReportMs).unref();

port.on("message", receiver({ ...wire, calls, shared: memory, output, asks }));
