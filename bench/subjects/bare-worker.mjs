/** A worker thread that answers text with text, and nothing else. */
import { parentPort } from "node:worker_threads";

parentPort.on("message", (text) => parentPort.postMessage(text));
parentPort.postMessage("ready");
