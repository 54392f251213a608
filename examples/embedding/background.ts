// Work that goes on beside a session, and is asked about when it has ended.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, scriptedModel } from "lemon-runtime";

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
const runtime = await createRuntime({
  home,
  cwd: home,
  models: {
    talk: scriptedModel([{ text: "Hello." }]),
    work: scriptedModel([
      { toolCalls: [{ name: "write", args: { path: "notes.txt", content: "All is well.\n" } }] },
      { text: "I wrote the notes." },
    ]),
  },
});
const session = await runtime.sessions.start({ model: "talk/one", sessionId: "front" });
const ended = new Promise<string>((resolve) => {
  session.subscribe((event) => {
    if (event.type === "background_run_ended") resolve(event.id);
  });
});

const { id, status } = await runtime.background.start("Write the notes", {
  parentSessionId: session.id,
  model: "work/one",
});
console.log(status);
console.log((await session.prompt("Hello?")).text); // the session is free meanwhile
console.log((await ended) === id);
const { text, filesChanged } = await runtime.background.result(id);
console.log(text);
for (const { path: file, change } of filesChanged) console.log(`${change} ${path.basename(file)}`);
await runtime.close();
