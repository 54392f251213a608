/** The first file of the scanner's thread. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import { ScanEngine } from "./engine.ts";
import type { ScanReplyMessage, ScanRequestMessage, ScanThreadData } from "./thread-host.ts";

const time = { now: () => Date.now(), monotonic: () => performance.now() };
const engine = new ScanEngine({ ...(workerData as ScanThreadData), time }); // given by thread-host.ts

parentPort?.on("message", ({ id, method, args }: ScanRequestMessage) => {
  const reply = (rest: Omit<ScanReplyMessage, "id">): void => parentPort?.postMessage({ id, ...rest });
  try {
    reply({ value: answer(method, args) });
  } catch (error) {
    reply({ error: messageOf(error) });
  }
});

function answer(method: ScanRequestMessage["method"], args: ScanRequestMessage["args"]): unknown {
  const [first, second] = args;
  switch (method) {
    case "open":
      return engine.open(String(first), String(second));
    case "recover":
      return engine.recover(String(first));
    case "close":
      return engine.close(Number(first));
    case "discard":
      return engine.discard(Number(first));
    case "bytes":
      return engine.bytes(String(first));
    case "shutDown":
      return engine.shutDown();
  }
}
