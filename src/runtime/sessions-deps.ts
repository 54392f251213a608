/** What sessions need of the runtime that they run in. */
import type { Supervisor } from "../supervision/index.ts";
import type { Lane } from "./lane.ts";
import type { SessionFactory, Settings } from "./session-factory.ts";

/** What sessions need of the runtime that they run in. @internal */
export interface SessionsDeps {
  readonly factory: SessionFactory;
  /** The supervisor of all sessions, as it is now. */
  readonly population: () => Supervisor;
  readonly cwd: string;
  /** Settles what was begun in a session outside of its actors, and cut off. */
  readonly recover: (sessionId: string) => Promise<void>;
  /** Stops what works for a session that is not open here any more; resolves when it has stopped. */
  readonly leave: (sessionId: string) => Promise<void>;
  /** Where prompts of sessions that work for nobody else wait for their turn. */
  readonly lane: Lane;
}

/** How an opened session begins: what it is set to, and what records that. @internal */
export interface Beginning {
  readonly settings: Settings;
  readonly record: () => Promise<void>;
}
