/** `lemon run [PROMPT]` */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { LemonError, NotFoundError } from "../../errors.ts";
import { findSession, listSessions, type SessionSummary } from "../../replay/index.ts";
import { assertSessionId, EmptyPromptError, type Outcome, type Session } from "../../runtime/index.ts";
import type { Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import { lead } from "../leading.ts";
import { assertAnswerable } from "../pending.ts";
import { prepare } from "../preparation.ts";
import type { RunFlags } from "../flags.ts";
import { wantsPrivacy } from "../privacy.ts";
import { readingLogIfAny } from "../reading.ts";
import { runPrivately } from "../results.ts";
import { readText } from "../standard-input.ts";

/** Runs a session until it has done what the prompt asks. */
export async function run(context: Context, argument: string | undefined, flags: RunFlags): Promise<Status> {
  if (flags.session !== undefined) assertSessionId(flags.session);
  const existing = await findExisting(context, flags);
  if (await wantsPrivacy(context, flags, existing !== null)) return runPrivately();
  const prompt = await readPrompt(argument);
  const options = await prepare(context, flags, {
    cwd: existing?.cwd ?? context.cwd,
    isNew: existing === null,
  });
  if (existing !== null) await assertAnswerable(context, existing.sessionId, flags.approve);
  return lead(context, options, {
    open: ({ sessions }, settings) => {
      if (existing !== null) return sessions.resume(existing.sessionId, settings);
      const named = flags.session === undefined ? {} : { sessionId: flags.session };
      return sessions.start({ ...settings, ...named, cwd: context.cwd });
    },
    go: (session) => converse(session, prompt),
  });
}

/** A run that is open takes the prompt when it would end; else the prompt starts one. */
async function converse(session: Session, prompt: string): Promise<Outcome | null> {
  if (session.state().runId === null) return session.prompt(prompt);
  const ended = session.outcome();
  // When the message is refused, that error is the one to tell.
  ended.catch(() => undefined);
  try {
    await session.followUp(prompt);
  } catch (error) {
    const isTooLate = error instanceof LemonError && error.reason === "not_streaming";
    if (!isTooLate) throw error;
    return session.prompt(prompt);
  }
  return ended;
}

async function findExisting(context: Context, flags: RunFlags): Promise<SessionSummary | null> {
  const { session, continue: continues } = flags;
  if (session !== undefined) return readingLogIfAny(context, (log) => findSession(log, session));
  if (continues !== true) return null;
  const known = (await readingLogIfAny(context, listSessions)) ?? [];
  const here = await realFolder(context.cwd);
  for (const summary of known)
    if (summary.origin === "session" && summary.cwd !== null && (await realFolder(summary.cwd)) === here)
      return summary;
  throw new NotFoundError(`--continue: no session has worked in ${context.cwd} yet`, { field: "continue" });
}

/** Of a folder that is gone, what it was called. */
async function realFolder(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}

async function readPrompt(argument: string | undefined): Promise<string> {
  const prompt = await readText(argument, "prompt");
  if (prompt.trim() === "") throw new EmptyPromptError();
  return prompt;
}
