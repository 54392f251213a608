import { expect, test } from "vitest";
import { Approver } from "../../src/cli/approver.ts";
import type { Context } from "../../src/cli/globals.ts";
import type { Session } from "../../src/runtime/index.ts";

test("when asking fails the call is refused, and the failure is told", async () => {
  const answers: unknown[][] = [];
  const errors: string[] = [];
  let told = (): void => undefined;
  const done = new Promise<void>((resolve) => (told = resolve));
  const out = {
    note: () => {
      throw new Error("standard error is gone");
    },
    error: (message: string) => void errors.push(message),
  };
  const approvals = {
    resolve: (...answer: unknown[]) => {
      answers.push(answer);
      told();
      return Promise.resolve();
    },
  };
  // Only these parts are used where there is no terminal.
  const approver = new Approver({ out } as unknown as Context);
  const session = { approvals } as unknown as Session;
  approver.ask(session, { id: "call_1", tool: "bash", args: {} });
  approver.ask(session, { id: "call_1", tool: "bash", args: {} });
  await done;
  expect(answers).toEqual([["call_1", "deny", "approval is unavailable"]]);
  expect(errors).toEqual(["an answer could not be recorded: standard error is gone"]);
});
