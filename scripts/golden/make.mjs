/**
 * Made the bundles of test/fixtures/golden. Kept to show how, and to make more: one that is there is never made again,
 * since it stands for what a version of lemon-runtime wrote.
 *
 *   npm run build && node scripts/golden/make.mjs
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { createRuntime, defineExtension, defineTool, scriptedModel } from "../../dist/index.js";
import { factHashOf, GENESIS, openEventLog } from "../../dist/log/index.js";
import { exportBundle } from "../../dist/replay/index.js";

const self = fileURLToPath(import.meta.url);
const target = path.resolve(import.meta.dirname, "../../test/fixtures/golden");
/** The same on every machine: it stands in facts. */
const root = "/tmp/lemon-golden";

/** A clock that moves by itself, and ids that count. */
function ports(start) {
  let now = 1_700_000_000_000 + start;
  let ids = start;
  return {
    clock: {
      now: () => (now += 1),
      monotonic: () => performance.now(),
      setTimer: (delayMs, fire, background = false) => {
        const timer = setTimeout(() => fire(), delayMs);
        if (background) timer.unref();
        return () => clearTimeout(timer);
      },
    },
    ids: (prefix) => `${prefix}_${(ids += 1).toString(16).padStart(16, "0")}`,
    random: () => 0.5,
  };
}

async function runtimeOf(log, turns, options = {}, start = 0) {
  return createRuntime({
    home: path.join(root, "home"),
    cwd: path.join(root, "work"),
    log,
    models: { golden: scriptedModel(turns) },
    env: { PATH: process.env.PATH, HOME: path.join(root, "home"), LEMON_CHECKPOINTS_EXPORT: "false" },
    ...ports(start),
    ...options,
  });
}

const call = (name, args) => ({ name, args });
const settings = { sessionId: "golden", model: "golden/m", approval: "auto" };

const judge = defineExtension({
  name: "judge",
  version: "1.2.3",
  capabilities: ["hooks"],
  hooks: {
    onSessionStart: () => ({ additionalContext: "The judge is here." }),
    onToolCall: ({ args }) => {
      if (args.command === "forbidden") return { block: "not in this house" };
      if (args.command === "echo before")
        return { replaceArgs: { command: "echo after" }, additionalContext: "rewritten" };
    },
    onToolResult: ({ args }) =>
      args.command === "echo hidden"
        ? { replace: { content: [{ type: "text", text: "(hidden)" }], details: {} } }
        : undefined,
  },
});

const waiter = (during) =>
  defineExtension({
    name: "waiter",
    version: "1.0.0",
    capabilities: ["tools"],
    tools: () => [
      defineTool({
        name: "wait",
        description: "waits for whoever makes this session",
        parameters: { type: "object", properties: {} },
        execute: async (_id, _args, signal) => {
          await during(signal);
          return { content: [{ type: "text", text: "waited" }] };
        },
      }),
    ],
  });

const scenarios = {
  "every-file-tool": async (log) => {
    const turns = [
      { text: "Writing.", toolCalls: [call("write", { path: "a.txt", content: "one\ntwo\n" })] },
      { toolCalls: [call("read", { path: "a.txt" }), call("ls", {}), call("find", { pattern: "*.txt" })] },
      {
        toolCalls: [
          call("edit", { path: "a.txt", oldText: "two", newText: "three" }),
          call("grep", { pattern: "three" }),
        ],
      },
      {
        toolCalls: [
          call("patch", {
            patch: "*** Begin Patch\n*** Update File: a.txt\n one\n-three\n+four\n*** End Patch",
          }),
        ],
      },
      { toolCalls: [call("bash", { command: "cat a.txt; printf '\\377'" })] },
      { toolCalls: [call("bash", { command: "exit 3" }), call("nonsense", {}), call("read", { path: 7 })] },
      { text: "All done." },
    ];
    const runtime = await runtimeOf(log, turns);
    await (await runtime.sessions.start(settings)).prompt("Use your tools.");
    await runtime.close();
  },
  "todos-and-checkpoints": async (log) => {
    const turns = [
      {
        toolCalls: [
          call("todo", {
            action: "write",
            todos: [{ id: "1", content: "first", status: "pending", priority: "high" }],
          }),
        ],
      },
      { toolCalls: [call("write", { path: "b.txt", content: "b" }), call("checkpoint", { action: "list" })] },
      { toolCalls: [call("extensions_status", {}), call("bash", { command: "echo more >> b.txt" })] },
      { text: "Planned." },
    ];
    const runtime = await runtimeOf(log, turns);
    const session = await runtime.sessions.start(settings);
    await session.prompt("Plan it.");
    await runtime.checkpoints.create("golden", { context: { note: "kept" } });
    await runtime.close();
  },
  "hooks-that-block-and-replace": async (log) => {
    const turns = ["forbidden", "echo before", "echo hidden"].map((command) => ({
      toolCalls: [call("bash", { command })],
    }));
    const runtime = await runtimeOf(log, [...turns, { text: "I see." }], { extensions: [judge] });
    await (await runtime.sessions.start(settings)).prompt("Try things.");
    await runtime.close();
  },
  "approvals-allowed-and-denied": async (log) => {
    const turns = [
      { toolCalls: [call("bash", { command: "echo yes" }), call("bash", { command: "echo no" })] },
      { text: "One of them." },
    ];
    const runtime = await runtimeOf(log, turns);
    const session = await runtime.sessions.start({ ...settings, approval: "ask" });
    let answers = 0;
    const resolved = [];
    session.subscribe(() => {
      for (const { id } of session.approvals.pending()) {
        if (resolved.includes(id)) continue;
        resolved.push(id);
        answers += 1;
        void session.approvals.resolve(
          id,
          answers === 1 ? "allow" : "deny",
          answers === 1 ? undefined : "no thanks",
        );
      }
    });
    await session.prompt("May you?");
    await runtime.close();
  },
  "retries-and-a-failure": async (log) => {
    const turns = [
      { error: { status: 429, retryAfterMs: 1 } },
      { text: "Partial answer", cutAfter: 5 },
      { text: "At last." },
      { error: { status: 400 } },
    ];
    const runtime = await runtimeOf(log, turns);
    const session = await runtime.sessions.start(settings);
    await session.prompt("Again and again.");
    await session.prompt("And now fail.");
    await runtime.close();
  },
  "plan-mode": async (log) => {
    const turns = [
      { toolCalls: [call("bash", { command: "echo not now" }), call("ls", {})] },
      { toolCalls: [call("propose_plan", { plan: "1. Look. 2. Leap." })] },
      { text: "That is the plan." },
      { toolCalls: [call("bash", { command: "echo now" })] },
      { text: "Leapt." },
    ];
    const runtime = await runtimeOf(log, turns);
    const session = await runtime.sessions.start(settings);
    await session.planMode.enter();
    await session.prompt("Plan first.");
    await session.planMode.exit();
    await session.prompt("Go.");
    await runtime.close();
  },
  "steering-and-following-up": async (log) => {
    const held = {};
    const said = async () => {
      await held.session.steer("also this");
      await held.session.followUp("then that");
    };
    const turns = [{ toolCalls: [call("wait", {})] }, { text: "Steered." }, { text: "Followed." }];
    const runtime = await runtimeOf(log, turns, { extensions: [waiter(said)] });
    held.session = await runtime.sessions.start(settings);
    await held.session.prompt("Wait.");
    await runtime.close();
  },
  "an-abort-in-a-batch": async (log) => {
    const held = {};
    const abort = async (signal) => {
      void held.session.abort("enough");
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    };
    const turns = [
      { toolCalls: [call("wait", {}), call("bash", { command: "echo never" })] },
      { text: "Never." },
    ];
    const runtime = await runtimeOf(log, turns, { extensions: [waiter(abort)] });
    held.session = await runtime.sessions.start(settings);
    await held.session.prompt("Wait.");
    await runtime.close();
  },
  "a-subagent": async (log) => {
    const turns = [
      {
        toolCalls: [
          call("task", { action: "run", prompt: "Look around.", description: "looks", async: false }),
        ],
      },
      { text: "It looked." },
    ];
    const runtime = await runtimeOf(log, turns);
    await (await runtime.sessions.start(settings)).prompt("Delegate.");
    await runtime.close();
  },
  "a-background-run": async (log) => {
    const turns = [
      { toolCalls: [call("bash", { command: "echo back" })] },
      { text: "Done in the background." },
    ];
    const runtime = await runtimeOf(log, turns);
    const { id } = await runtime.background.start("Work on.", {
      model: "golden/m",
      worker: "inProcess",
      approval: "auto",
    });
    while ((await runtime.background.status(id)).status !== "completed")
      await new Promise((resolve) => setTimeout(resolve, 20));
    await runtime.close();
    return id;
  },
  "a-reload-of-extensions": async (log) => {
    const turns = [
      { toolCalls: [call("bash", { command: "forbidden" })] },
      { text: "No." },
      { toolCalls: [call("bash", { command: "forbidden" })] },
      { text: "Still no." },
    ];
    const runtime = await runtimeOf(log, turns, { extensions: [judge] });
    const session = await runtime.sessions.start(settings);
    await session.prompt("Try.");
    await session.reloadExtensions();
    await session.prompt("Try again.");
    await runtime.close();
  },
  "a-compaction": async (log) => {
    const long = "word ".repeat(3_000);
    const turns = [
      { text: long },
      { text: long },
      { text: "A summary." },
      { text: "Short." },
      { text: "Shorter." },
      { text: "Last." },
    ];
    const runtime = await runtimeOf(log, turns, {
      config: { models: { golden: { context_window: 9_000 } } },
    });
    const session = await runtime.sessions.start(settings);
    for (const prompt of ["One.", "Two.", "Three.", "Four."]) await session.prompt(prompt);
    await runtime.close();
  },
  "a-crash-and-a-resume": async (log, file) => {
    await log.close();
    spawnSync(process.execPath, [self, "crash", file], { stdio: "inherit" });
    const again = await openEventLog(file);
    const turns = [
      { toolCalls: [call("wait", {}), call("bash", { command: "echo once" })] },
      { text: "Back again." },
    ];
    const runtime = await runtimeOf(again, turns, { extensions: [waiter(async () => undefined)] }, 0x10000);
    const session = await runtime.sessions.resume("golden");
    await session.outcome();
    await runtime.close();
    await again.close();
  },
};

async function crash(file) {
  const log = await openEventLog(file);
  const turns = [{ toolCalls: [call("wait", {}), call("bash", { command: "echo once" })] }];
  const runtime = await runtimeOf(log, turns, {
    extensions: [waiter(async () => process.kill(process.pid, "SIGKILL"))],
  });
  await (await runtime.sessions.start(settings)).prompt("Crash.");
}

/** Nothing of the machine stays: where its name and boot stand, the chain is made again over other words. */
function neutral(packed) {
  const bootId = existsSync("/proc/sys/kernel/random/boot_id")
    ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
    : "none";
  const heads = new Map();
  const lines = gunzipSync(packed)
    .toString("utf8")
    .split("\n")
    .slice(0, -2)
    .map((text) => {
      const line = JSON.parse(text);
      if (line.record !== "fact" || line.text === undefined) {
        if (line.record === "fact")
          heads.set(
            line.stream,
            (line.hash = factHashOf(heads.get(line.stream) ?? GENESIS, line, line.sha256)),
          );
        return JSON.stringify(line);
      }
      line.text = line.text
        .replaceAll(hostname(), "host")
        .replaceAll(bootId, "00000000-0000-0000-0000-000000000000");
      const digest = createHash("sha256").update(line.text).digest("hex");
      line.hash = factHashOf(heads.get(line.stream) ?? GENESIS, line, digest);
      heads.set(line.stream, line.hash);
      return JSON.stringify(line);
    });
  const body = lines.map((line) => `${line}\n`).join("");
  const end = { record: "end", lines: lines.length, sha256: createHash("sha256").update(body).digest("hex") };
  return gzipSync(`${body}${JSON.stringify(end)}\n`, { level: 9 });
}

if (process.argv[2] === "crash") await crash(process.argv[3]);
else {
  for (const [name, make] of Object.entries(scenarios)) {
    const bundle = path.join(target, `${name}.lemon`);
    if (existsSync(bundle)) continue;
    rmSync(root, { recursive: true, force: true });
    mkdirSync(path.join(root, "work"), { recursive: true });
    const file = path.join(root, "golden.db");
    try {
      const log = await openEventLog(file);
      const id = (await make(log, file)) ?? "golden";
      await log.close().catch(() => undefined);
      const made = await openEventLog(file, { readOnly: true });
      const part = path.join(root, "made.lemon");
      const { facts } = await exportBundle(made, id, part);
      await made.close();
      writeFileSync(bundle, neutral(readFileSync(part)));
      console.log(`${name}: ${facts} facts`);
    } catch (error) {
      console.error(`${name}:`, error);
      process.exitCode = 1;
    }
  }
  rmSync(root, { recursive: true, force: true });
}
