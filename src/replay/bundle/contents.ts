/** What belongs to a session: the streams without which it can't be understood, and the blobs that their facts name. */
import { upcast, type Fact, type FactOf } from "../../events/index.ts";
import { historyParts, type EventLog } from "../../log/index.ts";

/** A part of a log. */
export interface Contents {
  /** By name: how many of its first facts, and which of those keep their data; `null`: all. */
  readonly streams: ReadonlyMap<string, StreamPart>;
  /** In order. */
  readonly blobs: readonly string[];
  /** Digests of the code of extensions, in order. */
  readonly extensions: readonly string[];
}

/** The beginning of a stream. */
export interface StreamPart {
  readonly facts: number;
  readonly withData: ReadonlySet<number> | null;
}

/** The session, its ancestors up to the forks, its subagents and theirs, its background run, and what was loaded for its hooks. */
export async function contentsOf(log: EventLog, sessionId: string): Promise<Contents> {
  const walk = new Walk(log);
  await walk.take(`session-${sessionId}`, null);
  return walk.contents();
}

class Walk {
  readonly #log: EventLog;
  readonly #streams = new Map<string, StreamPart>();
  readonly #blobs = new Set<string>();
  readonly #extensions = new Set<string>();

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** @param to - the last version that belongs to it; `null`: the stream's last */
  async take(stream: string, to: number | null): Promise<void> {
    const facts = to ?? (await this.#versionOf(stream));
    if (facts <= (this.#streams.get(stream)?.facts ?? 0)) return;
    this.#streams.set(stream, { facts, withData: null });
    for (const part of await historyParts(this.#log, stream))
      if (part.to !== null) await this.take(part.stream, part.to);
    for await (const fact of this.#log.read(stream, { to: facts }))
      if (fact.redacted === undefined) await this.#look(upcast(fact));
  }

  async contents(): Promise<Contents> {
    await this.#takeLoads();
    const blobs: string[] = [];
    for (const sha256 of [...this.#blobs].toSorted()) if (await this.#log.hasBlob(sha256)) blobs.push(sha256);
    return { streams: this.#streams, blobs, extensions: [...this.#extensions].toSorted() };
  }

  async #look(fact: Fact): Promise<void> {
    for (const sha256 of blobsOf(fact)) this.#blobs.add(sha256);
    for (const sha256 of extensionsOf(fact)) this.#extensions.add(sha256);
    const { type, data } = fact as FactOf<"session.started" | "subagent.queued">;
    if (type === "subagent.queued") await this.take(`session-${data.taskId}`, null);
    else if (type === "session.started" && data.lineage.origin === "background")
      await this.take(`background-${data.sessionId}`, null);
  }

  /**
   * Names and versions of the code stand in the stream of the runtime that loaded it, among loads that are no business of
   * this session: those keep their place in the chain, and lose their data.
   */
  async #takeLoads(): Promise<void> {
    if (this.#extensions.size === 0) return;
    const found = new Map<string, Fact>();
    for await (const fact of this.#log.readAll({ types: ["extension.loaded"] })) {
      const { sha256 } = (upcast(fact) as FactOf<"extension.loaded">).data;
      if (sha256 !== null && this.#extensions.has(sha256)) found.set(sha256, fact);
    }
    for (const { stream, version } of found.values()) {
      const known = this.#streams.get(stream);
      const withData = new Set([...(known?.withData ?? []), version]);
      this.#streams.set(stream, { facts: Math.max(known?.facts ?? 0, version), withData });
    }
  }

  async #versionOf(stream: string): Promise<number> {
    for await (const { version } of this.#log.read(stream, { backwards: true })) return version;
    return 0;
  }
}

/**
 * Outputs of tools, prompts, scripts, contents of checkpoints. Never the bytes of files: those are as they were, secrets
 * included, and stay in the log. docs/reference/secrets.md
 */
export function blobsOf(fact: Fact): string[] {
  return named(fact).filter((sha256): sha256 is string => typeof sha256 === "string" && DIGEST.test(sha256));
}

const DIGEST = /^[0-9a-f]{64}$/;

type Naming = FactOf<
  | "session.started"
  | "session.configured"
  | "session.forked"
  | "background_run.queued"
  | "subagent.queued"
  | "checkpoint.created"
  | "tool_call.returned"
  | "tool_call.completed"
>;

function named(fact: Fact): unknown[] {
  const { type, data } = fact as Naming;
  switch (type) {
    case "session.started":
    case "session.configured":
    case "session.forked":
      return [data.script?.sha256];
    case "background_run.queued":
      return [data.settings.script?.sha256, data.promptSha256];
    case "subagent.queued":
      return [data.promptSha256];
    case "checkpoint.created":
      return [data.contentSha256];
    case "tool_call.returned":
    case "tool_call.completed":
      return [data.details?.["outputSha256"]];
  }
  return [];
}

type Told = FactOf<"hook.answered" | "hook.failed" | "hook_context.appended">;

function extensionsOf(fact: Fact): string[] {
  const { type, data } = fact as Told;
  const told = (): readonly { readonly sha256: string | null }[] => {
    switch (type) {
      case "hook.answered":
        return data.answers;
      case "hook.failed":
        return [data];
      case "hook_context.appended":
        return data.from;
    }
    return [];
  };
  return told().flatMap(({ sha256 }) => sha256 ?? []);
}
