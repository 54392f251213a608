import { createRuntime, scriptedModel } from "lemon-runtime";

const runtime = await createRuntime({ models: { demo: scriptedModel([{ text: "Hello." }]) } });
const session = await runtime.sessions.start({ model: "demo" });
const outcome = await session.prompt("Say hello");
console.log(outcome.status, outcome.text);
await runtime.close();
