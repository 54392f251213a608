/** esbuild, which is a child process of its own: loaded at first use, started again when it is gone. */
import type * as Esbuild from "esbuild";
import { messageOf } from "../../errors.ts";

/** How often the child has been replaced. esbuild keeps one child for the whole process, so this count does too. */
let replaced = 0;

/**
 * Calls `work` with esbuild, once more if its child process went away meanwhile.
 *
 * Of several builds that lose one child only the first replaces it: the others would end the new one.
 */
export async function withEsbuild<Result>(
  work: (esbuild: typeof Esbuild) => Promise<Result>,
): Promise<Result> {
  const esbuild = await import("esbuild");
  const before = replaced;
  return work(esbuild).catch(async (error: unknown) => {
    if (!isGone(error)) throw error;
    if (before === replaced) {
      replaced += 1;
      await esbuild.stop();
    }
    return work(esbuild);
  });
}

/** Whether it was the author's code that esbuild refused, and not esbuild that failed. */
export function isBuildFailure(error: unknown): boolean {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors) && !isGone(error);
}

function isGone(error: unknown): boolean {
  return /\bThe service (was stopped|is no longer running)\b/.test(messageOf(error));
}
