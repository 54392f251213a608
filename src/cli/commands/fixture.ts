/** `lemon fixture ID` */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../errors.ts";
import { fixtureOf } from "../../replay/index.ts";
import { statuses, UsageError, type Status } from "../errors.ts";
import type { FixtureFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { readingLog } from "../reading.ts";

/** Prints a vitest file that replays a session, or writes it to a name that is free. */
export async function fixture(context: Context, id: string, { out: file }: FixtureFlags): Promise<Status> {
  const { out } = context;
  const text = await readingLog(context, (log) => fixtureOf(log, id));
  if (file === undefined) {
    if (out.json) out.document({ sessionId: id, text });
    else out.write(text);
    return statuses.done;
  }
  const target = path.resolve(file);
  try {
    // What the session said stands in it.
    await writeFile(target, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
    const problem = isTaken ? "is there already" : `can't be written: ${messageOf(error)}`;
    throw new UsageError(`--out: ${target} ${problem}`, { field: "out", expected: "a name that is free" });
  }
  if (out.json) out.document({ sessionId: id, file: target });
  else out.line(target);
  return statuses.done;
}
