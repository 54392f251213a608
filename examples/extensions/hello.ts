// The smallest useful extension: one tool.
import { defineExtension, defineTool, z } from "lemon-runtime";

export default defineExtension({
  name: "hello",
  version: "1.0.0",
  capabilities: ["tools"],
  tools: [
    defineTool({
      name: "hello_greet",
      // The model decides by the two descriptions below whether to call the tool, and with what.
      description: "Greets a person by name.",
      parameters: z.object({ name: z.string().min(1).describe("Who is greeted") }),
      readOnly: true,
      execute: (_toolCallId, { name }) => ({ content: [{ type: "text", text: `Hello, ${name}!` }] }),
    }),
  ],
});
