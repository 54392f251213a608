// A worker thread that does what it is told.
import { parentPort, workerData } from "node:worker_threads";

if (workerData?.throwAtStart) throw new Error("bad worker");
parentPort.postMessage({ type: "hello", workerData });
if (workerData?.ready) parentPort.postMessage({ type: "ready" });
parentPort.on("message", (message) => {
  if (message.type === "spin") for (;;);
  if (message.type === "throw") throw new Error("thrown in the thread");
  if (message.type === "exit") process.exit(message.code);
  if (message.type === "shutdown" && !workerData?.stubborn) parentPort.close();
  if (message.type === "call" && message.request.fail) {
    parentPort.postMessage({ type: "reply", callId: message.callId, error: new Error("refused") });
  } else if (message.type === "call" && !message.request.silent) {
    parentPort.postMessage({ type: "reply", callId: message.callId, value: message.request.n * 2 });
  }
});
