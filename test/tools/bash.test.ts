import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashTool } from "../../src/tools/built-in/bash.ts";
import { endMarked } from "../../src/workspace/process-end.ts";
import { livingProcesses, processesWithVariable } from "../../src/workspace/process-table.ts";
import { textOf, workbench } from "./context.ts";
import { transpiledRoom } from "./transpiled-room.ts";

const isLinux = process.platform === "linux";

async function left(callMarker: string): Promise<number> {
  return (await processesWithVariable("LEMON_CALL", callMarker)).length;
}

describe("output", () => {
  it("is exactly what the command printed, standard input being empty", async () => {
    const result = await workbench().run(bashTool, { command: "cat; echo after=$?" });
    expect(textOf(result)).toBe("after=0\n");
    expect(result.isError).toBeUndefined();
    expect(result.details).toMatchObject({
      exitCode: 0,
      signal: null,
      timedOut: false,
      outputBytes: 8,
      truncated: false,
    });
  });

  it("keeps a character whose bytes come apart, in updates too", async () => {
    let updates = "";
    const command = "printf 'x\\342'; sleep 0.3; printf '\\200'; sleep 0.3; printf '\\224y\\n'";
    const bench = workbench();
    const result = await bench.run(bashTool, { command }, { onText: (text) => (updates += text) });
    expect(textOf(result)).toBe("x—y\n");
    expect(updates).toBe("x—y\n");
    expect(result.details).toMatchObject({ outputBytes: 6, outputSha256: null });
    expect(bench.blobs.size).toBe(0);
  });

  it.each([
    ["control sequences", "printf '\\033[31mred\\033[0m\\n'", "1b5b33316d7265641b5b306d0a"],
    ["a progress line", "printf '1\\r2\\n'", "310d320a"],
    ["bytes that are not UTF-8", "printf 'x\\377\\n'", "78ff0a"],
  ])("is stored as printed where %s made the text another", async (_what, command, bytes) => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command });
    expect(bench.blobs.get(String(result.details?.["outputSha256"]))?.toString("hex")).toBe(bytes);
  });

  it("is stored whole where the text was cut", async () => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command: "yes | head -c 100000; exit 3" });
    expect(result.details).toMatchObject({ truncated: true, outputBytes: 100_000 });
    expect(bench.blobs.get(String(result.details?.["outputSha256"]))?.length).toBe(100_000);
  });

  it("has no colours, and progress lines in their last state", async () => {
    const result = await workbench().run(bashTool, {
      command: "printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\r100%%\\n'",
    });
    expect(textOf(result)).toBe("red\n100%\n");
  });

  it("holds both streams in the order of writing", async () => {
    const command = "for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done";
    const result = await workbench().run(bashTool, { command });
    expect(textOf(result)).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\nout5\nerr5\n");
  });

  it("can be opened by name, as scripts do", async () => {
    const result = await workbench().run(bashTool, {
      command: "echo a > /dev/stderr; echo b | tee /dev/stdout",
    });
    expect(textOf(result)).toBe("a\nb\nb\n");
  });

  it("leaves no descriptor open", async () => {
    const bench = workbench();
    await bench.run(bashTool, { command: "true" });
    const count = (): number => readdirSync("/proc/self/fd").length;
    const before = isLinux ? count() : 0;
    // Pipes are made sixteen at once: after as many calls as many are left over as before.
    for (let round = 0; round < 16; round += 1) await bench.run(bashTool, { command: "sleep 60 & echo x" });
    if (isLinux) expect(count()).toBeLessThanOrEqual(before + 2);
    await endMarked(bench.context.callMarker, { graceMs: 100 });
  });

  it("replaces bytes that are not UTF-8 and stores them as they are", async () => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command: "printf 'caf\\351\\n'" });
    expect(textOf(result)).toBe("caf\u{FFFD}\n");
    expect([...bench.blobs.values()][0]?.toString("latin1")).toBe("café\n");
  });

  it("keeps head and tail when it is long, and all of it in the store", async () => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command: "seq 1 100000" });
    const text = textOf(result);
    expect(text.length).toBeLessThan(31_000);
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(text.endsWith("99999\n100000\n")).toBe(true);
    expect(text).toMatch(/\[… \d+ characters in \d+ lines left out …\]/);
    expect(result.details).toMatchObject({ truncated: true, outputBytes: 588_895 });
    expect([...bench.blobs.values()][0]?.length).toBe(588_895);
  });

  it("is not lost when a command prints a lot and ends at once", async () => {
    const result = await workbench().run(bashTool, { command: "head -c 5000000 /dev/zero | tr '\\0' x" });
    expect(result.details).toMatchObject({ outputBytes: 5_000_000, exitCode: 0 });
  });
});

describe("the end of a command", () => {
  it("with another code than 0 is an error that gives it", async () => {
    const result = await workbench().run(bashTool, { command: "printf oops; exit 3" });
    expect(textOf(result)).toBe("oops\nexit code 3");
    expect(result).toMatchObject({ isError: true, details: { exitCode: 3 } });
  });

  it("by a signal is an error that names it", async () => {
    const result = await workbench().run(bashTool, { command: "kill -SEGV $$" });
    expect(textOf(result)).toBe("killed by SIGSEGV");
    expect(result).toMatchObject({ isError: true, details: { exitCode: null, signal: "SIGSEGV" } });
  });

  it.each(["sleep 60 & echo started", "(while :; do echo tick; sleep 0.2; done) & echo started"])(
    "is not held up by a child that holds the pipe: %s",
    async (command) => {
      const bench = workbench();
      const before = performance.now();
      const result = await bench.run(bashTool, { command });
      expect(performance.now() - before).toBeLessThan(5_000);
      expect(textOf(result)).toContain("started");
      expect(result.details).toMatchObject({ exitCode: 0 });
      if (isLinux) await endMarked(bench.context.callMarker, { graceMs: 100 });
    },
  );

  it.runIf(isLinux)("leaves a silent background child running", async () => {
    const bench = workbench();
    await bench.run(bashTool, { command: "sleep 60 & echo started" });
    expect(await left(bench.context.callMarker)).toBe(1);
    expect(await endMarked(bench.context.callMarker)).toBe("ended");
    expect(await left(bench.context.callMarker)).toBe(0);
  });
});

describe("the time limit", () => {
  it.runIf(isLinux)("ends a command and its child that ignore the polite signal", async () => {
    const bench = workbench();
    const command =
      "trap '' TERM; echo begin; (trap '' TERM; while :; do sleep 1; done) & while :; do sleep 1; done";
    const before = performance.now();
    const result = await bench.run(bashTool, { command, timeoutMs: 1_000 });
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(result).toMatchObject({ isError: true, details: { timedOut: true } });
    expect(textOf(result)).toContain("begin\nTime limit of 1000 ms reached");
    expect(await left(bench.context.callMarker)).toBe(0);
  });

  it.runIf(isLinux)("ends a child that left the session", async () => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command: "setsid sleep 60 & sleep 60", timeoutMs: 500 });
    expect(result.details).toMatchObject({ timedOut: true });
    expect(await left(bench.context.callMarker)).toBe(0);
  });

  it("keeps what a command prints when it is told to end", async () => {
    const result = await workbench().run(bashTool, {
      command: "trap 'echo bye; exit 9' TERM; echo hi; sleep 60 & wait",
      timeoutMs: 500,
    });
    expect(textOf(result)).toContain("hi\nbye\nTime limit");
    expect(result.details).toMatchObject({ exitCode: 9, timedOut: true });
  });
});

describe("an abort", () => {
  it("ends the command", async () => {
    const bench = workbench();
    const abort = new AbortController();
    const result = await bench.run(
      bashTool,
      { command: "echo up; sleep 60" },
      { signal: abort.signal, onText: () => abort.abort() },
    );
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("up\nAborted");
    if (isLinux) expect(await left(bench.context.callMarker)).toBe(0);
  });

  it.runIf(isLinux)("after the end touches nothing", async () => {
    const bench = workbench();
    const abort = new AbortController();
    await bench.run(bashTool, { command: "sleep 60 & true" }, { signal: abort.signal });
    abort.abort();
    expect(await left(bench.context.callMarker)).toBe(1);
    await endMarked(bench.context.callMarker, { graceMs: 100 });
  });

  it("while the process is being recorded means that it never runs", async () => {
    const bench = workbench();
    const abort = new AbortController();
    const recordProcess = (): Promise<void> => {
      abort.abort();
      return Promise.resolve();
    };
    await expect(
      bench.run(bashTool, { command: "touch ran" }, { signal: abort.signal, context: { recordProcess } }),
    ).rejects.toThrow();
    expect(existsSync(join(bench.cwd, "ran"))).toBe(false);
  });
});

describe("the gate", () => {
  it("opens only when the record is durable", async () => {
    const bench = workbench();
    let ranBefore: boolean | undefined;
    const recordProcess = async (): Promise<void> => {
      // The shell is up and waits: its row is in the table, and the command has had every chance to run.
      await new Promise((resolve) => setImmediate(resolve));
      ranBefore = existsSync(join(bench.cwd, "ran"));
    };
    await bench.run(bashTool, { command: "touch ran" }, { context: { recordProcess } });
    expect(ranBefore).toBe(false);
    expect(existsSync(join(bench.cwd, "ran"))).toBe(true);
  });

  it("stays shut when the record fails", async () => {
    const bench = workbench();
    const recordProcess = (): Promise<void> => Promise.reject(new Error("disk full"));
    await expect(
      bench.run(bashTool, { command: "touch ran" }, { context: { recordProcess } }),
    ).rejects.toThrow("disk full");
    expect(existsSync(join(bench.cwd, "ran"))).toBe(false);
  });

  it.runIf(isLinux)("tells the identity under which the command runs", async () => {
    const bench = workbench();
    const result = await bench.run(bashTool, { command: "echo $$ $LEMON_CALL; cat /proc/$$/stat" });
    const [first = "", stat = ""] = textOf(result).split("\n");
    expect(first).toBe(`${bench.processes[0]?.pid} ${bench.context.callMarker}`);
    expect(stat).toContain(` ${bench.processes[0]?.startTime} `);
    expect(bench.processes[0]?.bootId).toBe(readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  });

  it.runIf(isLinux)("never opens when the host dies first", async () => {
    const bench = workbench();
    const script = `
      const { startCommand } = await import(${JSON.stringify(transpiledRoom(bench.cwd, "workspace/command.js"))});
      const { mark } = await startCommand({ command: "touch ran", cwd: ${JSON.stringify(bench.cwd)}, env: process.env, callMarker: ${JSON.stringify(bench.context.callMarker)}, onOutput() {} });
      console.log(mark.pid);`;
    const host = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve) =>
      host.stdout.once("data", (line: Buffer) => resolve(Number(line.toString()))),
    );
    expect(pid).toBeGreaterThan(0);
    const gone = new Promise((resolve) => host.once("exit", resolve));
    host.kill("SIGKILL");
    await gone;
    while ((await livingProcesses()).some((row) => row.pid === pid))
      await new Promise((resolve) => setImmediate(resolve));
    expect(existsSync(join(bench.cwd, "ran"))).toBe(false);
  });
});

describe("a command that can't start", () => {
  it("says that the working directory is gone", async () => {
    const bench = workbench();
    await expect(
      bench.run(bashTool, { command: "true" }, { context: { cwd: join(bench.cwd, "no") } }),
    ).rejects.toThrow("can't be entered");
  });

  it("says that it is too long", async () => {
    await expect(workbench().run(bashTool, { command: `: ${"x".repeat(200_000)}` })).rejects.toThrow(
      "too long",
    );
  });
});
