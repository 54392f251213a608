// A session in a process of its own, from the built package, that the test kills.
import { createRuntime, scriptedModel } from "lemon-runtime";

const [home, cwd, calls] = process.argv.slice(2);
const runtime = await createRuntime({
  home,
  cwd,
  models: { s: scriptedModel([{ toolCalls: JSON.parse(calls) }, { text: "Done." }]) },
});
const session = await runtime.sessions.start({ model: "s/m", sessionId: "victim" });
await session.prompt("go");
await runtime.close();
