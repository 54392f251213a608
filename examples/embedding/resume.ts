// A run that is cut off in the middle of a tool call, and goes on in another runtime.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRuntime, defineExtension, defineTool, scriptedModel, z, type Runtime } from "lemon-runtime";

const home = await mkdtemp(path.join(tmpdir(), "lemon-"));
let sent = 0;
let sending: () => void = () => undefined;
const firstSent = new Promise<void>((resolve) => (sending = resolve));

const sendMail = defineTool({
  name: "send_mail",
  description: "Sends a mail.",
  parameters: z.object({ to: z.string() }),
  execute: async (_toolCallId, { to }, signal) => {
    sent += 1;
    console.log(`sending to ${to}`);
    sending();
    await new Promise((resolve) => signal.addEventListener("abort", resolve)); // no answer comes
    return { content: [{ type: "text", text: "sent" }] };
  },
});

function start(): Promise<Runtime> {
  const script = [
    { toolCalls: [{ name: "send_mail", args: { to: "ada@example.com" } }] },
    { text: "The mail may have gone out, so I did not send it again." },
  ];
  return createRuntime({
    home,
    cwd: home,
    extensions: [defineExtension({ name: "mail", version: "1.0.0", tools: [sendMail] })],
    models: { demo: scriptedModel(script) },
  });
}

const before = await start();
const session = await before.sessions.start({ model: "demo", sessionId: "mail" });
session.prompt("Write to Ada").catch((error: unknown) => console.log(String(error)));
await firstSent;
await session.release(); // gives it back with its run open, as a crash would
await before.close();

const after = await start();
const resumed = await after.sessions.resume("mail"); // the open run goes on by itself
console.log((await resumed.outcome())?.text);
console.log(`sent ${sent} time(s)`);
const { divergences } = await after.replay.verify("mail");
console.log(`${divergences.length} divergences`);
await after.close();
