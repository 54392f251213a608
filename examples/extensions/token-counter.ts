// Observer hooks: adds up about how many tokens a run said and read, and tells at its end.
import { defineExtension, defineTool, type HookMessage } from "lemon-runtime";

interface Totals {
  runs: number;
  turns: number;
  /** An estimate, four characters to the token: hooks are not told what the provider counted. */
  tokens: number;
}

const total: Totals = { runs: 0, turns: 0, tokens: 0 };
let run: Totals = { runs: 1, turns: 0, tokens: 0 };

export default defineExtension({
  name: "token-counter",
  version: "1.0.0",
  capabilities: ["hooks", "tools"],
  // Observers are awaited one after another, so they only count: anything slow would hold the session up.
  hooks: {
    onAgentStart: () => {
      run = { runs: 1, turns: 0, tokens: 0 };
    },
    onTurnStart: () => {
      run.turns += 1;
    },
    onMessageEnd: (message) => {
      run.tokens += Math.ceil(charactersOf(message) / 4);
    },
    onAgentEnd: () => {
      total.runs += run.runs;
      total.turns += run.turns;
      total.tokens += run.tokens;
      console.log(`run ${total.runs}: ${run.turns} turns, about ${run.tokens} tokens`);
    },
  },
  tools: [
    defineTool({
      name: "token_totals",
      description: "Tells how many runs and turns there were, and about how many tokens they took.",
      readOnly: true,
      execute: () => ({
        content: [
          { type: "text", text: `runs: ${total.runs}, turns: ${total.turns}, tokens: about ${total.tokens}` },
        ],
        details: { ...total },
      }),
    }),
  ],
});

function charactersOf(message: HookMessage): number {
  const content = message["content"] as readonly { readonly text?: string }[];
  return content.reduce((sum, { text = "" }) => sum + text.length, 0);
}
