/** A folder of twenty extensions, most of which do harm. */
import { fileWith } from "./extensions-support.ts";

/** A file whose one tool runs `body`; `top` stands before it. */
function file(name: string, body: string, { top = "", more = "", timeoutMs = 20_000 } = {}): string {
  return `${top}
export default { name: "${name}", version: "1.0.0", ${more}
  tools: [{ name: "${name}", description: "", parameters: { type: "object" }, timeoutMs: ${timeoutMs},
    async execute() { ${body}; return { content: [{ type: "text", text: "${name} is done" }] }; } }] };\n`;
}

const pause = "await new Promise((resolve) => setTimeout(resolve, 1))";
const leak = (setup: string, grow: string): string =>
  `${setup}; for (let i = 0; ; i += 1) { for (let j = 0; j < 20000; j += 1) { ${grow}; } ${pause}; }`;

/** Names of the good ones; each has a tool of its name that answers `<name> is done`. */
export const good = ["good-1", "good-2", "good-3", "good-4", "good-5", "good-6"];

/** Tools that harm when they are called. */
export const harmful = {
  "loop-tool": "Tool task timed out after 500ms",
  "leak-map": "Tool task crashed: ",
  "leak-array": "Tool task crashed: ",
  "leak-buffers": "Tool task crashed: ",
  flood: "flood is done",
  rejects: "Tool task crashed: ",
  patched: "patched is done",
} as const;

/** Files that can't be loaded, and what is said of them. */
export const broken: Readonly<Record<string, RegExp>> = {
  "exits.js": /^Extension exited while loading \(code 3\)$/,
  "missing.js": /^Compile error: .*no-such-package-at-all/,
  "syntax.js": /^Syntax error at line 2: /,
  "throws.js": /^not today$/,
  "wrong.js": /^Extension file must export default defineExtension/,
};

/** By name below the working directory. */
export const twenty: Readonly<Record<string, string>> = {
  ...Object.fromEntries(good.map((name) => [`ext/${name}.js`, fileWith(name, name, `${name} is done`)])),
  "ext/syntax.js": "export default {\n  name: 'x' version\n",
  "ext/throws.js": "throw new Error('not today');\nexport default {};\n",
  "ext/exits.js": "process.exit(3);\nexport default {};\n",
  "ext/missing.js": "import 'no-such-package-at-all';\nexport default {};\n",
  "ext/wrong.js": "export const register = 1;\n",
  "ext/invalid.js": "export default { name: 'invalid' };\n",
  "ext/loop-tool.js": file("loop-tool", "for (;;);", { timeoutMs: 500 }),
  "ext/loop-hook.js":
    "export default { name: 'loop-hook', version: '1.0.0', hooks: { onAgentStart() { for (;;); } } };\n",
  "ext/leak-map.js": file("leak-map", leak("const held = new Map()", "held.set(i * 20000 + j, { i, j })")),
  "ext/leak-array.js": file("leak-array", leak("const held = []", "held.push([i, j, 'x'.repeat(20)])")),
  "ext/leak-buffers.js": file(
    "leak-buffers",
    `const held = []; for (;;) { held.push(Buffer.alloc(1 << 20, 1)); ${pause}; }`,
  ),
  "ext/flood.js": file("flood", "for (let i = 0; i < 20000; i += 1) console.log('flood '.repeat(30))", {
    top: "for (let i = 0; i < 2000; i += 1) process.stdout.write('{\"half\":');",
  }),
  "ext/rejects.js": file(
    "rejects",
    "void Promise.reject(new Error('nobody listens')); await new Promise((resolve) => setTimeout(resolve, 5000))",
  ),
  "ext/patched.js": file("patched", "", {
    top: `JSON.stringify = () => "mine"; Array.prototype.map = () => []; Object.prototype.toJSON = () => 1;
globalThis.setTimeout = () => { throw new Error("mine"); };`,
  }),
};

/** What the model calls: the good ones, then the harmful ones, then the good ones again. */
export const turns = [
  { toolCalls: good.map((name) => ({ name, args: {} })) },
  { toolCalls: Object.keys(harmful).map((name) => ({ name, args: {} })) },
  { toolCalls: good.map((name) => ({ name, args: {} })) },
  { text: "done" },
];
