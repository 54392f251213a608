/** What differs between two states, in one line a thing, for people. Pure. */
import type { StateChange } from "./state-changes.ts";

/** Characters of a value that are shown. */
const VALUE = 60;

const signs: Readonly<Record<StateChange["change"], string>> = { added: "+", removed: "-", changed: "~" };

/** `+` for what was added, `-` for what is gone, `~` for what is another; then which one, and a little of its content. */
export function changeLine(change: StateChange): string {
  return `${signs[change.change]} ${change.key}${detail(change)}`;
}

function detail({ part, before, after, change }: StateChange): string {
  const shown = after ?? before;
  if (part === "messages") return `: ${messageText(shown)}`;
  if (part === "files") return "";
  if (change !== "changed" || !isPlain(before) || !isPlain(after)) return `: ${short(shown)}`;
  const differing = Object.keys({ ...before, ...after }).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  return `: ${differing.map((key) => `${key} ${short(before[key])} → ${short(after[key])}`).join(", ")}`;
}

function messageText(message: unknown): string {
  const { role, version, ...rest } = message as { readonly role: string; readonly version: number };
  return `${role} (version ${version}) ${short(rest)}`;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  const line = text.replace(/\s+/g, " ");
  const points = Array.from(line.slice(0, 2 * VALUE));
  return points.length > VALUE ? `${points.slice(0, VALUE - 1).join("")}…` : line;
}
