/** The list of sessions. Of each, a few facts are read anew when it has new ones. */
import { upcast, type FactOf } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { findSession, type SessionSummary } from "../../replay/index.ts";
import type { SessionRow } from "../api.ts";
import { contentLine } from "../derive/one-line.ts";

const PREFIX = "session-";

interface Listed {
  readonly version: number;
  /** `null`: it was never started. */
  readonly row: SessionRow | null;
  readonly position: number;
}

/** The sessions of a log. */
export class SessionRows {
  readonly #log: EventLog;
  readonly #listed = new Map<string, Listed>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** All of them, the one with the newest fact first. */
  async list(): Promise<SessionRow[]> {
    const found: Listed[] = [];
    for (const { stream, version } of await this.#log.streams(PREFIX))
      found.push(await this.#listedAt(stream, version));
    return found.sort((a, b) => b.position - a.position).flatMap(({ row }) => (row === null ? [] : [row]));
  }

  /** One of them; `null` when it was never started. */
  async find(sessionId: string): Promise<SessionRow | null> {
    const name = PREFIX + sessionId;
    const found = (await this.#log.streams(name)).find(({ stream }) => stream === name);
    return found === undefined ? null : (await this.#listedAt(name, found.version)).row;
  }

  async #listedAt(stream: string, version: number): Promise<Listed> {
    const known = this.#listed.get(stream);
    if (known?.version === version) return known;
    const summary = await findSession(this.#log, stream.slice(PREFIX.length));
    const row = summary === null ? null : rowOf(summary, known?.row?.title || (await this.#titleOf(stream)));
    const listed = { version, row, position: summary?.position ?? 0 };
    this.#listed.set(stream, listed);
    return listed;
  }

  /** The first line of the first prompt; empty while there is none. */
  async #titleOf(stream: string): Promise<string> {
    for await (const fact of this.#log.read(stream, { types: ["prompt.submitted"] }))
      return contentLine((upcast(fact) as FactOf<"prompt.submitted">).data.content);
    return "";
  }
}

function rowOf(summary: SessionSummary, title: string): SessionRow {
  const { position: _place, ...row } = summary;
  return { ...row, title };
}
