/** Which code of extensions was loaded, over all runtimes of a log: what the facts of a session about extensions are held against. */
import { upcast, type FactData, type FactOf } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";

type Answers = FactData<"hook.answered">["answers"];

/** By module, what was loaded of it. */
export type LoadedExtensions = ReadonlyMap<string, readonly FactData<"extension.loaded">[]>;

/** A statement of a fact that no load bears out. */
export interface UnknownCode {
  readonly module: string;
  /** Which member says it. */
  readonly member: "sha256" | "version";
  readonly said: string | null;
  readonly loaded: readonly (string | null)[];
}

/** Reads what was loaded. */
export async function loadedExtensions(log: EventLog): Promise<LoadedExtensions> {
  const loaded = new Map<string, FactData<"extension.loaded">[]>();
  for (const { stream } of await log.streams("extensions-")) {
    for await (const fact of log.read(stream, { types: ["extension.loaded"] })) {
      const { data } = upcast(fact) as FactOf<"extension.loaded">;
      loaded.set(data.module, [...(loaded.get(data.module) ?? []), data]);
    }
  }
  return loaded;
}

/** The first answer of code that was not loaded. A module of which the log knows no load is let be. */
export function unknownAnswer(loaded: LoadedExtensions, answers: Answers): UnknownCode | null {
  for (const { module, sha256 } of answers) {
    const known = loaded.get(module);
    if (known !== undefined && !known.some((code) => code.sha256 === sha256))
      return { module, member: "sha256", said: sha256, loaded: known.map((code) => code.sha256) };
  }
  return null;
}

interface Reported {
  readonly module: string;
  readonly version: string;
}

/** The first extension of a status report in a version that was not loaded. */
export function unknownReported(
  loaded: LoadedExtensions,
  report: FactData<"extension_status_report.published">["report"],
): UnknownCode | null {
  const { extensions } = report;
  if (!Array.isArray(extensions)) return null;
  for (const { module, version } of extensions as readonly Reported[]) {
    const known = loaded.get(module);
    if (known !== undefined && !known.some((code) => code.version === version))
      return { module, member: "version", said: version, loaded: known.map((code) => code.version) };
  }
  return null;
}
