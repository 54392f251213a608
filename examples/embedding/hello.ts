// One prompt, one answer, and what is left of it in the log.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, scriptedModel } from "lemon-runtime";

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
const runtime = await createRuntime({
  home, // configuration and log; left out, it is ~/.lemon
  cwd: home, // where the agent works; left out, it is the working directory of this process
  models: { demo: scriptedModel([{ text: "Hello." }]) },
});

const session = await runtime.sessions.start({ model: "demo", sessionId: "first" });
const outcome = await session.prompt("Say hello");
console.log(outcome.status, outcome.stopReason);
console.log(outcome.text);
await session.shutdown();

for (const { sessionId, status, version } of await runtime.sessions.list()) {
  console.log(`${sessionId} is ${status} and has ${version} facts`);
}
const replay = await runtime.replay.verify("first");
console.log(`replayed ${replay.facts} facts, ${replay.divergences.length} divergences`);
await runtime.close();
