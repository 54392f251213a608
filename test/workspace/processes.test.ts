import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { startCommand } from "../../src/workspace/command.ts";
import { endMarked, endProcessGroup } from "../../src/workspace/process-end.ts";
import {
  livingProcesses,
  markOf,
  parseStat,
  type ProcessMark,
  processRow,
} from "../../src/workspace/process-table.ts";

const isLinux = process.platform === "linux";
let calls = 0;

/** A running command, and what it printed. */
async function running(
  command: string,
): Promise<{ mark: ProcessMark; marker: string; ended: Promise<unknown> }> {
  calls += 1;
  const marker = `processes-${process.pid}:${calls}`;
  let printed: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => (printed = resolve));
  const started = await startCommand({
    command,
    cwd: "/",
    env: process.env,
    callMarker: marker,
    onOutput: () => printed?.(),
  });
  started.open();
  await ready;
  return { mark: started.mark, marker, ended: started.ended };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function isLiving(pid: number): Promise<boolean> {
  return (await livingProcesses()).some((row) => row.pid === pid);
}

describe("a row of the process table", () => {
  it("is read after the last bracket of the name", () => {
    const fields = ["S", "1", "20", "30", ...Array(15).fill("0"), "12345", "0"];
    expect(parseStat(7, `7 (evil) name) R 1 ${"2 ".repeat(3)}) ${fields.join(" ")}`)).toEqual({
      pid: 7,
      group: 20,
      session: 30,
      startTime: 12345,
      isZombie: false,
    });
    expect(parseStat(7, `7 (x) Z 1 2 3 ${Array(15).fill("0").join(" ")} 9`)?.isZombie).toBe(true);
    expect(parseStat(7, "")).toBeUndefined();
  });
});

describe.runIf(isLinux)("recovery", () => {
  it("ends the leader and everything in its session", async () => {
    const { mark, ended, marker } = await running("sleep 60 & set -m; sleep 60 & echo up; wait");
    expect(await endProcessGroup(mark)).toBe("ended");
    await ended;
    expect(await isLiving(mark.pid)).toBe(false);
    expect(await endMarked(marker)).toBe("gone");
    expect(await endProcessGroup(mark)).toBe("gone");
  });

  it("ends what is left of a session whose leader is gone", async () => {
    const { mark, ended, marker } = await running("sleep 60 & echo up");
    await ended;
    expect(await processRow(mark.pid)).toBeUndefined();
    expect(await endProcessGroup(mark)).toBe("ended");
    expect(await endMarked(marker)).toBe("gone");
  });

  it("finds what left the session by the mark in its environment", async () => {
    const { mark, ended, marker } = await running("setsid sleep 60 & echo up");
    await ended;
    expect(await endProcessGroup(mark)).toBe("gone");
    expect(await endMarked(`${marker}0`)).toBe("gone");
    expect(await endMarked(marker)).toBe("ended");
    expect(await endMarked(marker)).toBe("gone");
  });

  it("kills what ignores the polite signal", async () => {
    const { mark, ended } = await running("trap '' TERM; echo up; while :; do sleep 1; done");
    expect(await endProcessGroup(mark, { graceMs: 100 })).toBe("ended");
    await ended;
    expect(await isLiving(mark.pid)).toBe(false);
  });

  it("leaves a process alone that only has the same id", async () => {
    const { mark, ended } = await running("echo up; sleep 60");
    expect(await endProcessGroup({ ...mark, startTime: (mark.startTime ?? 0) - 1 })).toBe("gone");
    expect(await endProcessGroup({ ...mark, bootId: "another boot" })).toBe("gone");
    expect(await endProcessGroup({ ...mark, host: `not-${hostname()}` })).toBe("other_host");
    expect(await endProcessGroup({ ...mark, startTime: null })).toBe("unknown");
    expect(await isLiving(mark.pid)).toBe(true);
    await endProcessGroup(mark, { graceMs: 100 });
    await ended;
  });

  it("counts a zombie as gone", async () => {
    // The shell starts a child and becomes a program that never asks after it; then the child is let go.
    const parent = spawn("sh", ["-c", "cat <&3 & echo $!; exec sleep 60 3<&-"], {
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    const [line] = (await once(parent.stdout as Readable, "data")) as [Uint8Array];
    const pid = Number(Buffer.from(line).toString());
    while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") await turn();
    (parent.stdio[3] as Writable).end();
    while ((await processRow(pid))?.isZombie === false) await turn();
    const mark = await markOf(pid);
    expect(mark.startTime).not.toBeNull();
    expect(await endProcessGroup(mark)).toBe("gone");
    parent.kill("SIGKILL");
  });
});
