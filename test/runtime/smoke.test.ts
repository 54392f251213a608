import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { scriptedModel } from "../../src/providers/index.ts";
import { createRuntime } from "../../src/runtime/index.ts";

test("a scripted session with a bash call runs to its end and replays", async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), "lemon-"));
  const runtime = await createRuntime({
    home: cwd,
    cwd,
    log: ":memory:",
    models: {
      s: scriptedModel([
        { text: "looking", toolCalls: [{ name: "bash", args: { command: "echo hi > a.txt; cat a.txt" } }] },
        { text: "done" },
      ]),
    },
  });
  const session = await runtime.sessions.start({ model: "s/x" });
  const events: unknown[] = [];
  session.subscribe((event) => events.push(event));
  const outcome = await session.prompt("go");
  const facts = [];
  for await (const fact of session.facts()) facts.push(`${fact.version} ${fact.type} ${fact.kind} ${fact.actor} ${fact.causation}`);
  console.log(facts.join("\n"), outcome, events.map((e) => JSON.stringify(e)).join("\n"));
  expect(outcome.status).toBe("completed");
  console.log(await runtime.replay.verify(session.id));
  console.log(JSON.stringify(runtime.supervision.tree(), null, 1));
  await runtime.close();
});
