// A model of your own: it streams whole sessions. This one needs no network; yours would ask a server here.
import { defineExtension } from "lemon-runtime";

export default defineExtension({
  name: "echo-model",
  version: "1.0.0",
  capabilities: ["model_provider"],
  providers: [
    {
      type: "model",
      name: "echo", // chosen as echo/…; what follows is the first argument of `stream`
      provider: {
        // The parts are those of a language model of the AI SDK, specification 3.
        async *stream(model, { messages }, { signal }) {
          const last = messages.at(-1);
          const said = last?.role === "user" ? last.content : [];
          const text = said.map((block) => (block.type === "text" ? block.text : "[image]")).join(" ");
          const words = `${model === "loud" ? text.toUpperCase() : text}`.match(/\S+\s*/g) ?? [];
          yield { type: "stream-start", warnings: [] };
          yield { type: "text-start", id: "answer" };
          for (const delta of words) {
            signal.throwIfAborted();
            yield { type: "text-delta", id: "answer", delta };
          }
          yield { type: "text-end", id: "answer" };
          // Without `finish` the answer counts as cut off, and is asked for again.
          yield {
            type: "finish",
            finishReason: { unified: "stop", raw: "stop" },
            usage: { inputTokens: { total: text.length }, outputTokens: { total: words.length } },
          };
        },
      },
    },
  ],
});
