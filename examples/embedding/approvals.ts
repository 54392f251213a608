// Calls wait until somebody says yes or no: here, one rule in a program.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, scriptedModel } from "lemon-runtime";

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
const runtime = await createRuntime({
  home,
  cwd: home,
  models: {
    demo: scriptedModel([
      { toolCalls: [{ name: "bash", args: { command: "echo safe" } }] },
      { toolCalls: [{ name: "bash", args: { command: "rm -rf build" } }] },
      { text: "I left the folder alone." },
    ]),
  },
});

const session = await runtime.sessions.start({ model: "demo", approval: "ask" });
session.subscribe((event) => {
  if (event.type === "approval_requested") {
    const command = String(event.args?.["command"]);
    console.log(`${event.tool} wants to run: ${command}`);
    const verdict = command.startsWith("rm ") ? "deny" : "allow";
    void session.approvals.resolve(event.id, verdict, "nothing is removed here");
  }
  if (event.type === "approval_resolved") console.log(`→ ${event.verdict}`);
  if (event.type === "tool_execution_end") {
    const [block] = event.result.content;
    console.log(block?.type === "text" ? block.text.trim() : "");
  }
});

console.log((await session.prompt("Clean up")).text);
console.log(`${session.approvals.pending().length} calls wait`);
await runtime.close();
