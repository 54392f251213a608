/** A message with its long texts cut: what a tool printed may be megabytes. */
import type { TranscriptMessage } from "../../projections/index.ts";
import type { ShownMessage } from "../api.ts";

/** Cuts each text of a message, arguments of calls included, at so many characters. Images stay whole. */
export function shownMessage(message: TranscriptMessage, index: number, maxChars: number): ShownMessage {
  let cutChars = 0;
  const cut = (value: unknown, name: string): unknown => {
    if (typeof value === "string") {
      if (value.length <= maxChars || name === "data") return value;
      const kept = value.slice(0, maxChars).toWellFormed();
      cutChars += value.length - kept.length;
      return kept;
    }
    if (Array.isArray(value)) return value.map((item) => cut(item, ""));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cut(member, key)]));
  };
  // Only texts change, and only in their length.
  const shown = cut(message, "") as TranscriptMessage;
  return { index, cutChars, message: cutChars === 0 ? message : shown };
}
