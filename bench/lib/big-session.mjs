/**
 * One long session, made by the real machines: prompts of 50 turns, four calls in each. It is made once per run and in
 * a process that ends without closing anything, so what resumes it finds what a kill leaves.
 */
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { noOpRuntime } from "./no-op.mjs";
import { scaled, sharedFile } from "./place.mjs";

export const sessionId = "big";
export const stream = `session-${sessionId}`;
const TURNS = 50;
const CALLS = 4;

/** @returns the log's file */
export async function bigSession() {
  const file = sharedFile("big.db");
  if (existsSync(file)) return file;
  const maker = fork(fileURLToPath(import.meta.url), [file, String(scaled(100_000))]);
  const [status] = await once(maker, "exit");
  if (status !== 0) throw new Error(`the long session could not be made: status ${status}`);
  return file;
}

async function make(file, facts) {
  const runtime = await noOpRuntime(path.dirname(file), file, "relaxed", { turns: TURNS, calls: CALLS });
  const session = await runtime.sessions.start({ sessionId, model: "bench/no-op" });
  while (session.state().version < facts) await session.prompt("Look at all files, one after the other.");
  process.exit(0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await make(process.argv[2], Number(process.argv[3]));
