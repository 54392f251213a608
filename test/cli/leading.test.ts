import { expect, test } from "vitest";
import type { Context } from "../../src/cli/globals.ts";
import { lead } from "../../src/cli/leading.ts";
import { LogFullError } from "../../src/log/index.ts";
import type { Session } from "../../src/runtime/index.ts";
import { temporaryFolder } from "../support/runtimes.ts";

test("an abort that can't be recorded ends the command all the same", async () => {
  const home = temporaryFolder();
  const interrupt = new AbortController();
  const errors: string[] = [];
  const out = {
    json: false,
    error: (message: string) => void errors.push(message),
    clearProgress: () => undefined,
    note: () => undefined,
    paintError: (_colour: string, text: string) => text,
    warn: () => undefined,
  };
  const interrupts = {
    soften: () => interrupt.signal,
    status: 130,
    get happened() {
      return interrupt.signal.aborted;
    },
  };
  const closed: unknown[] = [];
  const leftBehind = (zombies: unknown): void => void closed.push(zombies);
  // Only these parts are used.
  const place = { home, log: ":memory:", isLogNamed: true, cwd: home, env: {} };
  const context = { ...place, out, interrupts, leftBehind } as unknown as Context;
  const session = {
    id: "s",
    approvals: { pending: () => [] },
    abort: () => Promise.reject(new LogFullError("log.db")),
  } as unknown as Session;

  const status = await lead(
    context,
    {},
    {
      open: () => Promise.resolve(session),
      go: () => {
        interrupt.abort(new Error("interrupted by SIGTERM"));
        return new Promise(() => undefined);
      },
    },
  );

  expect({ status, errors, closed }).toEqual({
    status: 130,
    errors: ["the abort could not be recorded"],
    closed: [[]],
  });
});
