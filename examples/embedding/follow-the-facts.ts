// Facts as they are recorded: of one session, and of everything in the log.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, scriptedModel, type FactData } from "lemon-runtime";

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
const runtime = await createRuntime({
  home,
  cwd: home,
  models: {
    demo: scriptedModel([
      { text: "Let me look.", toolCalls: [{ name: "ls", args: {} }] },
      { text: "The folder holds the log and nothing else." },
    ]),
  },
});
const session = await runtime.sessions.start({ model: "demo", sessionId: "watched" });

// Catches up from version 2, then goes on live: no gap, no double. Leaving the loop ends it.
const following = (async () => {
  for await (const fact of session.facts({ from: 2, follow: true })) {
    const cause = fact.causation === null ? "" : ` ← ${fact.causation}`;
    console.log(`${String(fact.version).padStart(2)} ${fact.kind.padEnd(8)} ${fact.type}${cause}`);
    if (fact.type !== "agent.ended") continue;
    const { usage, turns } = fact.data as FactData<"agent.ended">;
    console.log(`${turns} turns, ${usage.outputTokens} tokens written`);
    return;
  }
})();

await session.prompt("What is here?");
await following;

// The whole log, by type. A cursor says where a reader stands; keep it, and go on after it tomorrow.
let cursor = "";
for await (const fact of runtime.log.readAll({ types: ["tool_call.started", "agent.ended"] })) {
  console.log(`${fact.stream}: ${fact.type}`);
  cursor = runtime.log.cursorOf(fact);
}
let later = 0;
for await (const _fact of runtime.log.readAll({ after: cursor })) later += 1;
console.log(`${later} facts since`);
await runtime.close();
