import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, describe, expect, it } from "vitest";
import {
  errorResult,
  extensionQuarantined,
  hash16,
  aborted,
  observeExtensionTool,
  publishNameNormalized,
  taskCrashed,
  taskStartFailed,
  taskTimeout,
  ToolDeadlineError,
  ToolFailure,
  type ToolResult,
} from "../../src/tools/index.ts";
import { ManualClock } from "../support/manual-clock.ts";

interface Message {
  readonly measurements: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const undo: (() => void)[] = [];
afterEach(() => {
  for (const each of undo.splice(0)) each();
});

/** Everything published on these channels, as [last word of the name, message]. */
function watch(...names: readonly string[]): [string, Message][] {
  const seen: [string, Message][] = [];
  for (const name of names) {
    const listener = (message: unknown): void =>
      void seen.push([name.split(".").at(-1) ?? "", message as Message]);
    subscribe(name, listener);
    undo.push(() => void unsubscribe(name, listener));
  }
  return seen;
}

const channelsOf = (host: "extension" | "wasm"): string[] =>
  ["start", "stop", "exception"].map((word) => `coding_agent.${host}.tool.${word}`);

const clock = new ManualClock();
const call = {
  toolName: "deploy",
  callId: "call_secretid",
  module: "suite/lib/git",
  host: "node",
  clock,
} as const;
const ok: ToolResult = { content: [{ type: "text", text: "raw output" }] };

class DeployError extends Error {
  override name = "DeployError";
}

describe("a call that ends", () => {
  it("with a result is one start and one stop", async () => {
    const seen = watch(...channelsOf("extension"));
    const result = await observeExtensionTool(call, () => {
      clock.advance(12);
      return Promise.resolve(ok);
    });
    expect(result).toBe(ok);
    const metadata = {
      host: "node",
      toolName: "deploy",
      extensionHash: hash16("suite/lib/git"),
      toolCallHash: hash16("call_secretid"),
    };
    expect(seen).toEqual([
      ["start", { measurements: { count: 1 }, metadata }],
      ["stop", { measurements: { count: 1, durationUs: 12_000 }, metadata: { ...metadata, status: "ok" } }],
    ]);
  });

  it("with an error result is a stop with the status error", async () => {
    const seen = watch(...channelsOf("extension"));
    await observeExtensionTool(call, () => Promise.resolve(errorResult("no")));
    expect(seen.map(([word, { metadata }]) => [word, metadata["status"]])).toEqual([
      ["start", undefined],
      ["stop", "error"],
    ]);
  });

  it.each([
    ["a thrown error", new DeployError("/etc/secret"), "error", "DeployError"],
    ["a thrown text", "/etc/secret", "error", hash16("/etc/secret")],
    [
      "an error whose name is no name",
      Object.assign(new Error(), { name: "/etc/secret" }),
      "error",
      hash16("/etc/secret"),
    ],
    ["nothing thrown", undefined, "error", hash16("undefined")],
    ["an object without a prototype", Object.create(null), "error", null],
    ["its deadline", new ToolDeadlineError(5), "timeout", "ToolDeadlineError"],
    ["a worker past its deadline", new ToolFailure(taskTimeout(5)), "timeout", "ToolFailure"],
    ["an abort", new DOMException("x", "AbortError"), "aborted", "AbortError"],
    ["an abort of the worker", new ToolFailure(aborted()), "aborted", "ToolFailure"],
    ["the end of its worker", new ToolFailure(taskCrashed("exit 1")), "exit", "ToolFailure"],
    ["a worker that never began", new ToolFailure(taskStartFailed("gone")), "exit", "ToolFailure"],
    ["quarantine", new ToolFailure(extensionQuarantined("m", "r")), "error", "ToolFailure"],
  ])("with %s is one start and one exception", async (_case, error, kind, errorType) => {
    const seen = watch(...channelsOf("extension"));
    // The point is what happens to values that are no errors.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    await expect(observeExtensionTool(call, () => Promise.reject(error))).rejects.toBe(error);
    expect(seen.map(([word]) => word)).toEqual(["start", "exception"]);
    expect(seen[1]?.[1]).toMatchObject({
      measurements: { count: 1, durationUs: 0 },
      metadata: { kind, errorType },
    });
    expect(JSON.stringify(seen)).not.toMatch(/secret|suite/);
  });

  it("because `run` throws at once is one exception too", async () => {
    const seen = watch(...channelsOf("extension"));
    const failing = observeExtensionTool(call, () => {
      throw new TypeError("no");
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(seen.map(([word]) => word)).toEqual(["start", "exception"]);
  });
});

describe("a result that is none", () => {
  it.each([
    ["nothing", undefined],
    [
      "an object that throws when it is looked at",
      {
        get isError(): boolean {
          throw new Error("no");
        },
      },
    ],
  ])("is handed on untouched: %s", async (_case, result) => {
    const seen = watch(...channelsOf("extension"));
    expect(await observeExtensionTool(call, () => Promise.resolve(result as never))).toBe(result);
    expect(seen.map(([word]) => word)).toEqual(["start", "stop"]);
  });
});

describe("a call that is told to stop", () => {
  it("is over when it is told, even if the tool never ends", () => {
    const seen = watch(...channelsOf("extension"));
    const abort = new AbortController();
    void observeExtensionTool({ ...call, signal: abort.signal }, () => new Promise(() => undefined));
    abort.abort(new ToolDeadlineError(1));
    expect(seen.map(([word, { metadata }]) => [word, metadata["kind"]])).toEqual([
      ["start", undefined],
      ["exception", "timeout"],
    ]);
  });

  it("before it began is over at once", () => {
    const seen = watch(...channelsOf("extension"));
    const signal = AbortSignal.abort();
    void observeExtensionTool({ ...call, signal }, () => new Promise(() => undefined));
    expect(seen.map(([word]) => word)).toEqual(["start", "exception"]);
  });

  it("is counted once when the tool ends afterwards", async () => {
    const seen = watch(...channelsOf("extension"));
    for (const late of [() => Promise.resolve(ok), () => Promise.reject(new Error("late"))]) {
      const abort = new AbortController();
      const running = observeExtensionTool({ ...call, signal: abort.signal }, async () => {
        abort.abort("user's words");
        return late();
      });
      await running.catch(() => undefined);
    }
    expect(seen.map(([word, { metadata }]) => [word, metadata["kind"]])).toEqual([
      ["start", undefined],
      ["exception", "aborted"],
      ["start", undefined],
      ["exception", "aborted"],
    ]);
    expect(JSON.stringify(seen)).not.toContain("words");
  });
});

describe("a WASM tool", () => {
  it("has channels of its own, and its path as a hash", async () => {
    const seen = watch(...channelsOf("wasm"), ...channelsOf("extension"));
    await observeExtensionTool(
      { host: "wasm", path: "/plugins/a.wasm", toolName: "sum", callId: "c", clock },
      () => Promise.resolve(ok),
    );
    expect(seen.map(([word, { metadata }]) => [word, metadata])).toEqual([
      [
        "start",
        { host: "wasm", toolName: "sum", wasmPathHash: hash16("/plugins/a.wasm"), toolCallHash: hash16("c") },
      ],
      ["stop", expect.objectContaining({ host: "wasm", status: "ok" })],
    ]);
  });
});

describe("without subscribers", () => {
  const still = { monotonic: () => expect.unreachable("measured") };

  it("the tool is called and nothing else happens", () => {
    const running = Promise.resolve(ok);
    expect(observeExtensionTool({ ...call, clock: still }, () => running)).toBe(running);
  });

  it("one that comes in the middle of a call sees nothing of it", async () => {
    let seen: unknown[] = [];
    await observeExtensionTool({ ...call, clock: still }, () => {
      seen = watch(...channelsOf("extension"));
      return Promise.resolve(ok);
    });
    expect(seen).toEqual([]);
  });

  it("on other channels than these nothing is measured", async () => {
    const seen = watch(...channelsOf("wasm"));
    await observeExtensionTool({ ...call, clock: still }, () => Promise.resolve(ok));
    expect(seen).toEqual([]);
  });
});

describe("a mended name", () => {
  it("is told with the tool that it was taken for", () => {
    publishNameNormalized("unheard", "unheard");
    const seen = watch("coding_agent.tool_call.name_normalized");
    publishNameNormalized(" read\n", "read");
    expect(seen).toEqual([
      [
        "name_normalized",
        { measurements: { count: 1 }, metadata: { originalName: " read\n", matchedToolName: "read" } },
      ],
    ]);
  });
});
