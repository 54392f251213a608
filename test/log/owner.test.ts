import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { isOwnerGone, leaseOwner, parseLeaseOwner, type LeaseOwner } from "../../src/log/index.ts";

function ownerLike(change: Partial<LeaseOwner>): string {
  const { pid, startTime, bootId, pidNamespace, host } = {
    ...(parseLeaseOwner(leaseOwner()) as LeaseOwner),
    ...change,
  };
  return [pid, startTime, bootId, pidNamespace, host].join(":");
}

test("the owner name of this process says who it is, and that it is here", () => {
  const owner = parseLeaseOwner(leaseOwner());
  expect(owner).toMatchObject({ pid: process.pid, host: hostname() });
  expect(isOwnerGone(leaseOwner())).toBe(false);
});

test("a host may have colons in its name; another kind of name is nobody that can be known", () => {
  expect(parseLeaseOwner("12:34:ab-cd:56:fe80::1")).toEqual({
    pid: 12,
    startTime: "34",
    bootId: "ab-cd",
    pidNamespace: "56",
    host: "fe80::1",
  });
  for (const name of ["", "ann", "12:34", "x:1:a:1:host"]) {
    expect(parseLeaseOwner(name)).toBeNull();
    expect(isOwnerGone(name)).toBe(false);
  }
});

test.runIf(process.platform === "linux")("who is gone, and of whom nobody here can tell", () => {
  expect(isOwnerGone(ownerLike({ startTime: "1" })), "the id belongs to a later process").toBe(true);
  expect(isOwnerGone(ownerLike({ pid: 2 ** 22 + 1 })), "no such process").toBe(true);
  expect(isOwnerGone(ownerLike({ bootId: "0-0" })), "before a reboot").toBe(true);
  expect(isOwnerGone(ownerLike({ pid: 2 ** 22 + 1, host: "elsewhere" })), "another host").toBe(false);
  expect(isOwnerGone(ownerLike({ pid: 2 ** 22 + 1, pidNamespace: "1" })), "another container").toBe(false);
  expect(isOwnerGone(ownerLike({ pid: 2 ** 22 + 1, bootId: "" })), "a system without /proc").toBe(false);
});

test.runIf(process.platform === "linux")("a zombie is gone, though it takes signals", async () => {
  // The shell replaces itself by a process that never collects its child.
  const parent = spawn("sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => {
    parent.kill("SIGKILL");
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once("data", (chunk: Buffer) => {
      resolve(Number(chunk.toString()));
    });
  });
  const owner = ownerLike({ pid, startTime: statOf(pid)[19] ?? "" });
  await expect.poll(() => statOf(pid)[0]).toBe("Z");
  expect(isOwnerGone(owner)).toBe(true);
  expect(process.kill(pid, 0)).toBe(true);
});

/** The fields of /proc/<pid>/stat from the third on. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
