/** The runtime as a program would use it: built-in tools, a model over a socket, a strict log. */
import path from "node:path";
import { createRuntime } from "../../dist/index.js";
import { report } from "./report.mjs";

const [folder, port, calls] = process.argv.slice(2);
const file = path.join(folder, "log.db");
const runtime = await createRuntime({
  home: folder,
  cwd: folder,
  log: file,
  config: { models: { mock: { baseUrl: `http://127.0.0.1:${port}/v1` } } },
  env: { PATH: process.env["PATH"], HOME: folder },
});
const session = await runtime.sessions.start({ model: "mock/any" });
const before = process.cpuUsage();
const outcome = await session.prompt("Keep notes.");
report(before, file);
if (outcome.status !== "completed" || outcome.text !== "All is done.")
  throw new Error(JSON.stringify(outcome));
let ended = 0;
for await (const fact of session.facts())
  if (fact.type === "tool_call.completed" && !fact.data.isError) ended += 1;
if (ended !== Number(calls)) throw new Error(`${ended} of ${calls} calls went well`);
await runtime.close();
process.disconnect();
