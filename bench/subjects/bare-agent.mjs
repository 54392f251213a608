/**
 * The floor of an agent: a fetch loop that reads the stream, does the same work with Node's own functions, and commits
 * each answer and each result strictly to SQLite before it goes on. No schemas, hashes, deadlines, recovery or limits.
 */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { builtInTools } from "../../dist/tools/index.js";
import { report } from "./report.mjs";

const [folder, port] = process.argv.slice(2);
const file = path.join(folder, "bare.db");
// The model is offered the same tools, so that both send the same bytes.
const tools = builtInTools.map(({ name, description, parameters }) => ({
  type: "function",
  function: { name, description, parameters },
}));

const db = new Sqlite(file);
db.pragma("journal_mode = WAL");
db.pragma("synchronous = FULL");
db.exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, message TEXT NOT NULL) STRICT");
const insert = db.prepare("INSERT INTO messages (at, message) VALUES (?, ?)");
const messages = [{ role: "system", content: "You are a coding agent." }];

const before = process.cpuUsage();
keep({ role: "user", content: "Keep notes." });
for (;;) {
  const answer = await ask();
  keep(answer);
  if (answer.tool_calls.length === 0) break;
  for (const call of answer.tool_calls) {
    const content = await work(call.function.name, JSON.parse(call.function.arguments));
    keep({ role: "tool", tool_call_id: call.id, content });
  }
}
report(before, file);
db.close();
process.disconnect();

function keep(message) {
  messages.push(message);
  insert.run(Date.now(), JSON.stringify(message));
}

async function ask() {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "any",
      messages,
      tools,
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  const answer = { role: "assistant", content: "", tool_calls: [] };
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: {")) add(answer, JSON.parse(line.slice(6)));
  }
  return answer;
}

function add(answer, { choices: [choice] }) {
  if (choice === undefined) return;
  answer.content += choice.delta.content ?? "";
  for (const piece of choice.delta.tool_calls ?? []) {
    const call = (answer.tool_calls[piece.index] ??= {
      id: piece.id,
      type: "function",
      function: { name: piece.function.name, arguments: "" },
    });
    call.function.arguments += piece.function.arguments ?? "";
  }
}

async function work(name, args) {
  const place = args.path === undefined ? folder : path.join(folder, args.path);
  switch (name) {
    case "write":
      await writeFile(place, args.content);
      return `Wrote ${args.path}`;
    case "read":
      return readFile(place, "utf8");
    case "edit": {
      const text = await readFile(place, "utf8");
      if (text.split(args.oldText).length !== 2) return "oldText must be there once";
      await writeFile(place, text.replace(args.oldText, args.newText));
      return `Edited ${args.path}`;
    }
    default:
      return run(args.command);
  }
}

function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (bytes) => (output += bytes));
    child.stderr.on("data", (bytes) => (output += bytes));
    child.once("error", reject);
    child.once("close", () => resolve(output));
  });
}
