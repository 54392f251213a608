/** `runtime.progress`. docs/reference/progress.md */
import {
  readProgress,
  type ProgressSnapshot,
  type ProgressSource,
  type ReadProgress,
} from "../harness/index.ts";
import type { ReadAt } from "./todos.ts";

/** `runtime.progress`. */
export class RuntimeProgress {
  readonly #source: ProgressSource;

  /** @internal */
  constructor(source: ProgressSource) {
    this.#source = source;
  }

  /**
   * How far a session is. Todos and checkpoints are those of one version of it. One that is not known has done nothing of
   * nothing.
   *
   * @param session - an id or a key
   * @param cwd - of the features; a relative one starts at the session's own, or at the process's for a session that was
   * never started
   * @param options.at - a version of the session; then the features are those that the log knew by then
   * @throws InvalidSessionIdError; LemonError `LEMON_INVALID_CWD`; InvalidVersionError; the errors of the log
   */
  async snapshot(session: string, cwd = ".", { at }: ReadAt = {}): Promise<ProgressSnapshot> {
    return (await readProgress(this.#source, session, cwd, at)).snapshot;
  }

  /** The same, with the folder that was meant. @internal */
  read(session: string, cwd: string): Promise<ReadProgress> {
    return readProgress(this.#source, session, cwd);
  }
}
