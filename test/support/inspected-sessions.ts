/**
 * Sessions worth looking at, for tests of the page and for its pictures: every lane of the timeline, hooks that pass, replace
 * and block, a person who is waited for, files, todos, a subagent, a failed command, two runs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defineExtension } from "../../src/extensions/index.ts";
import { scriptedModel, type Model, type ScriptedTurn } from "../../src/providers/index.ts";
import { createRuntime, type Runtime, type Session } from "../../src/runtime/index.ts";

/** Where they are. */
export interface InspectedPlace {
  readonly home: string;
  readonly log: string;
  readonly cwd: string;
  /** For `--prices`. */
  readonly prices: string;
}

/** The session with something of everything. */
export const SESSION = "fix-the-price-parser";

const TASK = "List every caller of parsePrice.";

const parser = `export interface Price {
  amount: number;
  currency: string;
}

/** Reads "12.50 EUR". */
export function parsePrice(text: string): Price {
  const [amount, currency] = text.split(" ");
  return { amount: Number(amount), currency };
}
`;

const checks = `const { readFileSync } = require("node:fs");
const text = readFileSync("src/price.ts", "utf8");
const ok = text.includes("Number.isFinite");
console.log("  parses 12.50 EUR");
console.log(ok ? "  refuses what is no number" : "  refuses what is no number: expected an error, got NaN EUR");
console.log(ok ? "2 passed" : "1 passed, 1 failed");
process.exit(ok ? 0 : 1);
`;

const todos = (done: number): unknown => ({
  action: "write",
  todos: [
    "Find what fails",
    "Refuse amounts that are no numbers",
    "Say the line in the message",
    "Run the tests",
  ].map((content, index) => ({
    id: `t${index + 1}`,
    content,
    status: index < done ? "completed" : index === done ? "in_progress" : "pending",
    priority: index === 1 ? "high" : "medium",
  })),
});
const call = (name: string, args: unknown): { name: string; args: unknown } => ({ name, args });

const turns: readonly ScriptedTurn[] = [
  {
    text: "I'll look at the parser and at what the tests say before I change anything.",
    toolCalls: [
      call("todo", todos(0)),
      call("read", { path: "src/price.ts" }),
      call("bash", { command: "node checks.cjs" }),
    ],
  },
  {
    reasoning: 'Number("abc") is NaN and nothing looks at it.',
    text: "The parser takes whatever `Number` makes of the text, so `abc EUR` becomes **NaN EUR**. I'll see who else parses prices.",
    toolCalls: [
      call("todo", todos(1)),
      call("grep", { pattern: "parsePrice", path: "." }),
      call("task", { action: "run", prompt: TASK, description: "Find the callers", async: false }),
    ],
  },
  {
    text: "Only the parser itself. I'll make it refuse, and say what it got:\n\n```ts\nif (!Number.isFinite(amount)) throw new Error(`no amount: ${text}`);\n```",
    toolCalls: [
      call("edit", {
        path: "src/price.ts",
        oldText: "  return { amount: Number(amount), currency };",
        newText:
          "  const value = Number(amount);\n  if (!Number.isFinite(value)) throw new Error(`no amount: ${text}`);\n  return { amount: value, currency };",
      }),
      call("write", {
        path: "CHANGES.md",
        content: "# Changes\n\n- A price without an amount is refused.\n",
      }),
    ],
  },
  {
    text: "Now the tests, without what an earlier build left.",
    toolCalls: [
      call("todo", todos(2)),
      call("bash", { command: "rm -rf build" }),
      call("bash", { command: "node checks.cjs" }),
    ],
  },
  {
    text: "Both pass. The message should name the currency too.",
    toolCalls: [
      call("edit", {
        path: "src/price.ts",
        oldText: "no amount: ${text}",
        newText: "no amount before ${currency}: ${text}",
      }),
      call("bash", { command: "git push --force" }),
    ],
  },
  { text: "Done: `parsePrice` refuses what is no number and says so. The push is yours to make." },
  {
    text: "I'll run them once more.",
    toolCalls: [
      call("bash", { command: "node checks.cjs" }),
      call("todo", todos(4)),
      call("read", { path: "src/missing.ts" }),
    ],
  },
  { text: "Two tests, both pass." },
];

const guard = defineExtension({
  name: "git-guard",
  version: "1.2.0",
  capabilities: ["hooks"],
  hooks: {
    onToolCall: ({ toolName, args }: { toolName: string; args: Record<string, unknown> }) =>
      toolName === "bash" && String(args["command"]).includes("--force")
        ? { block: "Pushing with force is not for agents." }
        : undefined,
  },
});
const tidy = defineExtension({
  name: "tidy-output",
  version: "0.3.1",
  capabilities: ["hooks"],
  hooks: {
    onToolCall: async ({ toolName, args }: { toolName: string; args: Record<string, unknown> }) => {
      await new Promise((resolve) => setTimeout(resolve, 12));
      return toolName === "bash" && String(args["command"]).startsWith("rm -rf")
        ? { replaceArgs: { ...args, command: "rm -rf ./build" } }
        : undefined;
    },
    onToolResult: ({ toolName }: { toolName: string }) =>
      toolName === "grep" ? { additionalContext: "Searched by tidy-output." } : undefined,
  },
});

/** A folder with a project in it, and no log yet. */
export function inspectedPlace(folder: string): InspectedPlace {
  const cwd = path.join(folder, "shop");
  const home = path.join(folder, "home");
  mkdirSync(path.join(cwd, "src"), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(cwd, "src/price.ts"), parser);
  writeFileSync(path.join(cwd, "checks.cjs"), checks);
  const prices = path.join(folder, "prices.json");
  writeFileSync(prices, JSON.stringify({ "demo/coder": { input: 3, output: 15, cachedInput: 0.3 } }));
  return { home, cwd, prices, log: path.join(home, "log.db") };
}

/** A runtime on a scripted model `demo/coder`. */
function inspectedRuntime(
  { home, cwd, log }: InspectedPlace,
  script: readonly ScriptedTurn[] = turns,
): Promise<Runtime> {
  return createRuntime({
    home,
    cwd,
    log,
    models: { demo: withHelper(scriptedModel(script)) },
    extensions: [guard, tidy],
    env: { PATH: process.env["PATH"], HOME: home, LEMON_CHECKPOINTS_EXPORT: "false" },
  });
}

/** The subagent has the same model and would begin the script anew. */
function withHelper(model: Model): Model {
  const helper = scriptedModel([
    { text: "src/price.ts alone: it is declared there, and no one calls it yet." },
  ]);
  return {
    ...model,
    request: (context, options) =>
      (JSON.stringify(context.messages[0] ?? "").includes(TASK) ? helper : model).request(context, options),
  };
}

/** Makes the session, and a fork of it where the runtime can fork. */
export async function makeInspectedSessions(place: InspectedPlace): Promise<void> {
  await using runtime = await inspectedRuntime(place);
  const session = await runtime.sessions.start({
    sessionId: SESSION,
    model: "demo/coder",
    approval: "ask",
    cwd: place.cwd,
  });
  const watching = allowAll(session);
  await session.prompt('parsePrice("abc EUR") gives NaN. Make it refuse such text, and run the checks.');
  await session.prompt("Run the checks again, please.");
  watching();
}

/** Says yes to whatever waits, a moment later, as a person would. */
function allowAll(session: Session): () => void {
  return session.subscribe((event) => {
    if (
      (event as { type: string }).type !== "approval_requested" &&
      !JSON.stringify(event).includes("approval")
    )
      return;
    setTimeout(() => {
      for (const { id } of session.approvals.pending()) void session.approvals.resolve(id, "allow");
    }, 120);
  });
}
