/**
 * Where the reader is, as the fragment of the address says it: a link to it shows the same to another. The token comes in
 * the fragment too, is taken once, and is never part of a place.
 */

/** Panels beside the list of facts, in their order. */
export const PANELS = [
  "conversation",
  "calls",
  "files",
  "work",
  "state",
  "supervision",
  "usage",
  "verify",
  "compare",
] as const;
/** One of them; on a narrow screen the facts and the fact are panels too. */
export type Panel = (typeof PANELS)[number] | "facts" | "fact";

/** What a link holds. */
export interface Place {
  readonly session: string | null;
  /** Selected version; `null`: the last. */
  readonly at: number | null;
  readonly panel: Panel;
  readonly filter: string;
  /** The other side of a comparison, `SESSION@VERSION`; `null` without one. */
  readonly against: string | null;
}

/** The place of an empty fragment. */
export const START: Place = { session: null, at: null, panel: "conversation", filter: "", against: null };

/** Reads a fragment, with or without its `#`. What is malformed counts as missing. */
export function parsePlace(fragment: string): Place {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const panel = params.get("panel");
  return {
    session: params.get("session"),
    at: versionOf(params.get("at")),
    panel: isPanel(panel) ? panel : START.panel,
    filter: params.get("filter") ?? "",
    against: params.get("against"),
  };
}

/** The fragment of a place, with its `#`; what is as at the start is left out. */
export function formatPlace(place: Place): string {
  const params = new URLSearchParams();
  if (place.session !== null) params.set("session", place.session);
  if (place.at !== null) params.set("at", String(place.at));
  if (place.panel !== START.panel) params.set("panel", place.panel);
  if (place.filter !== "") params.set("filter", place.filter);
  if (place.against !== null) params.set("against", place.against);
  return `#${params.toString()}`;
}

/** The token in a fragment, and the fragment without it. */
export function takeToken(fragment: string): { readonly token: string | null; readonly rest: string } {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const token = params.get("token");
  params.delete("token");
  return { token, rest: `#${params.toString()}` };
}

/** A side of a comparison. */
export interface Side {
  readonly sessionId: string;
  /** `null`: its last. */
  readonly version: number | null;
}

/** Reads `SESSION@VERSION`; `@VERSION` may be missing. */
export function parseSide(text: string): Side | null {
  const [, sessionId, version] = /^([^@]+)(?:@(\d+))?$/.exec(text) ?? [];
  return sessionId === undefined ? null : { sessionId, version: versionOf(version ?? null) };
}

/** Writes it. */
export function formatSide({ sessionId, version }: Side): string {
  return version === null ? sessionId : `${sessionId}@${version}`;
}

function versionOf(text: string | null): number | null {
  if (text === null || !/^\d{1,15}$/.test(text)) return null;
  const version = Number(text);
  return version >= 1 ? version : null;
}

function isPanel(name: string | null): name is Panel {
  return name === "facts" || name === "fact" || (PANELS as readonly (string | null)[]).includes(name);
}
