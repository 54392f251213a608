/** The forms in which a secret turns up in text. */

/** Shorter values cannot be hidden: they would turn up in ordinary text. */
export const MIN_SECRET_LENGTH = 8;

/** The forms in which a value is looked for, without repeats; those that are too short are left out. */
export function encodingsOf(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    // A lone surrogate has no URL encoding; its JSON form is found all the same.
    ...(value.isWellFormed() ? [encodeURIComponent(value)] : []),
    hex,
    hex.toUpperCase(),
    ...base64Cores(bytes),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/**
 * The characters of base64 that depend on the value alone, for each of the three places at which it may start within
 * a group of three bytes.
 */
function base64Cores(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = btoa(String.fromCharCode(...padded)).replaceAll("=", "");
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const core = text.slice(first, last);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
