/**
 * Ends a write that is recorded and has no outcome yet. The writer does so right after its fact, and whoever comes next
 * does when the writer was killed, by the same steps: so several may be at it at once, and each finds the same end.
 *
 * The bytes are put in place at most once for each write: they stand under a name of this write, and renaming takes the
 * name away. One who was stopped for long and wakes finds it gone, or the write ended, and touches nothing.
 */
import { LemonError } from "../../errors.ts";
import type { Ids } from "../../ports.ts";
import { digestOf, flushFolder, replace, stage, stagedName, sweep, writeError } from "./file.ts";
import type { Journal, OpenWrite, WriteOutcome } from "./journal.ts";

/** How a write ended; `error` is why the bytes could not be written. */
export interface Settled {
  readonly outcome: WriteOutcome;
  readonly error: LemonError | null;
}

/** More rounds than any order of events asks for. */
const MAX_ROUNDS = 20;

/** Ends the write and records how. @throws the errors of the log */
export async function settle(journal: Journal, write: OpenWrite, ids: Ids): Promise<Settled> {
  const found = await carryOut(journal, write, ids);
  await sweep(journal.place).catch(() => undefined); // A stray file at worst.
  const { previousSha256, sha256 } = write;
  const fact =
    found.outcome === "finished"
      ? journal.fact("feature_file.write_finished", { sha256 }, write.version)
      : journal.fact("feature_file.write_abandoned", { previousSha256, sha256 }, write.version);
  for (;;) {
    const { version, open } = await journal.state();
    if (open?.version !== write.version) return { outcome: await journal.outcomeOf(write), error: null };
    if ((await journal.append(version, [fact])) !== null) return found;
  }
}

/** Changes the file, unless it is changed already or is not what the write was made for. */
async function carryOut(journal: Journal, write: OpenWrite, ids: Ids): Promise<Settled> {
  const { place } = journal;
  const staged = stagedName(place, write.hash);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const digest = digestOf(place.file);
      if (digest === write.sha256) {
        await flushFolder(place);
        return { outcome: "finished", error: null };
      }
      if (digest !== write.previousSha256) return { outcome: "abandoned", error: null };
      await stage(place, await journal.bytes(write.sha256), staged, ids("draft").slice(-8));
      // Ended by somebody else meanwhile: then the file is whatever came of it, and no business of this write.
      if ((await journal.state()).open?.version !== write.version)
        return { outcome: "abandoned", error: null };
      if (replace(place, staged, write.previousSha256) === "changed")
        return { outcome: "abandoned", error: null };
    }
    return { outcome: "abandoned", error: writeError(place, new Error("others write all the time")) };
  } catch (error) {
    // Of the log: nothing is known of the outcome, so none is recorded.
    if (error instanceof LemonError && error.reason !== "not_found") throw error;
    return { outcome: "abandoned", error: writeError(place, error) };
  }
}
