/** Changes the file, one fact ahead of it. docs/reference/features.md, "Writing" */
import type { NewFact } from "../../events/index.ts";
import type { Ids } from "../../ports.ts";
import { FeatureError } from "./errors.ts";
import { readBytes, sha256, type Place } from "./file.ts";
import type { FileState, Journal } from "./journal.ts";
import { settle } from "./settle.ts";

/** The file as it was read. */
export interface Content {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** What shall stand in the file, and what is recorded with the write. */
export interface Change {
  readonly bytes: Uint8Array;
  readonly facts: readonly NewFact[];
}

/** How often a change is made anew when somebody else changed the file between its fact and its bytes. */
const MAX_RETRIES = 3;
/** How often it is made anew when somebody else's fact came first: one of the two always gets on. */
const MAX_LOST = 200;

/** Writes one file. Its caller holds the file's place in line within this process. */
export class FeatureWriter {
  readonly #journal: Journal;
  readonly #ids: Ids;

  constructor(journal: Journal, ids: Ids) {
    this.#journal = journal;
    this.#ids = ids;
  }

  /**
   * @param make - the change for the file as it is, `null` for none; called anew for what somebody else wrote meanwhile
   * @throws what `make` throws, FeatureError, the errors of the log
   */
  async write(make: (content: Content | null, place: Place) => Promise<Change>): Promise<void> {
    const journal = this.#journal;
    const { place } = journal;
    let abandoned = 0;
    for (let lost = 0; lost < MAX_LOST; lost += 1) {
      const state = await journal.state();
      if (state.open !== null) {
        await settle(journal, state.open, this.#ids);
        continue;
      }
      const bytes = await readBytes(place.file);
      const content = bytes === null ? null : { bytes, sha256: sha256(bytes) };
      const change = await make(content, place);
      const digest = sha256(change.bytes);
      const outside = content === null ? [] : outsideFact(journal, state, content);
      if (digest === content?.sha256) return;

      await journal.keep(change.bytes, ...(content === null ? [] : [content.bytes]));
      const written = journal.fact("feature_file.written", {
        previousSha256: content?.sha256 ?? null,
        sha256: digest,
      });
      const facts = await journal.append(state.version, [...outside, written, ...change.facts]);
      const fact = facts?.[outside.length];
      if (fact === undefined) continue;
      const open = {
        version: fact.version,
        hash: fact.hash,
        previousSha256: content?.sha256 ?? null,
        sha256: digest,
      };
      const { outcome, error } = await settle(journal, open, this.#ids);
      if (outcome === "finished") return;
      if (error !== null) throw error;
      abandoned += 1;
      if (abandoned > MAX_RETRIES) break;
    }
    throw new FeatureError("conflict", `${place.file} is being changed by somebody else: try again`);
  }
}

/** The fact that says that somebody else changed the file; none when its bytes are those that the log knows. */
export function outsideFact(journal: Journal, state: FileState, content: Content): NewFact[] {
  if (state.open !== null || state.recorded === content.sha256) return [];
  return [journal.fact("feature_file.changed_outside", { sha256: content.sha256 })];
}
