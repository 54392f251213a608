// A call that takes long: it shows that it goes on, and ends at once when it is told to.
import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineExtension, defineTool, z } from "lemon-runtime";

export default defineExtension({
  name: "wait-for-file",
  version: "1.0.0",
  capabilities: ["tools"],
  tools: [
    defineTool({
      name: "wait_for_file",
      description: "Waits until a file is there, for example the output of a build that runs elsewhere.",
      parameters: z.object({ file: z.string().describe("Its path, from the working directory") }),
      readOnly: true,
      parallelSafe: true,
      idempotent: true,
      timeoutMs: 600_000, // longer than the usual 300,000: at its end the signal fires
      execute: async (_toolCallId, { file }, signal, onUpdate, { cwd }) => {
        const wanted = path.resolve(cwd, file);
        for (let looks = 1; ; looks += 1) {
          const size = await sizeOf(wanted);
          if (size !== null) {
            return {
              content: [{ type: "text", text: `${file} is there, ${size} bytes` }],
              details: { looks },
            };
          }
          // Updates go to whoever watches, and are not recorded. Send few: each one crosses to another thread.
          onUpdate({ content: [{ type: "text", text: `${file} is not there yet (${looks})` }] });
          // Rejects when the run is aborted or the time is up, and so ends the call.
          await delay(250, undefined, { signal });
        }
      },
    }),
  ],
});

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error; // whatever else is wrong, the model should know
  }
}
