/**
 * One writer at a time for each file of this process.
 *
 * Reading a file, changing the text and writing it back takes several awaits; two such changes that overlap lose one.
 */

/** The last task that was queued for each file. One map for the process, because the files are one for the process. */
const last = new Map<string, Promise<void>>();

/**
 * Runs `task` once every earlier task for any of these files has ended, whether well or not.
 *
 * All places are taken in one step, so tasks with several files can't wait for each other.
 *
 * @param targets - files as `targetOf` gives them
 */
export async function inFileOrder<Result>(
  targets: readonly string[],
  task: () => Promise<Result>,
): Promise<Result> {
  const unique = [...new Set(targets)];
  const earlier = unique.map((target) => last.get(target) ?? Promise.resolve());
  const running = Promise.all(earlier).then(task);
  const ended = running.then(
    () => undefined,
    () => undefined, // The failure belongs to whoever asked for the task, not to the next in line.
  );
  for (const target of unique) last.set(target, ended);
  try {
    return await running;
  } finally {
    for (const target of unique) if (last.get(target) === ended) last.delete(target);
  }
}
