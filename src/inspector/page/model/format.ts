/** How numbers, times and sizes are written. */

const NARROW = "\u202F";

/** `12 345`. */
export function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+(?!\d))/g, NARROW);
}

/** `1 call`, `12 calls`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** `850 ms`, `12.3 s`, `4 min 5 s`, `3 h 12 min`. */
export function duration(ms: number): string {
  if (ms < 0) return `−${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 100) / 10;
  if (seconds < 60) return `${seconds} s`;
  const whole = Math.round(ms / 1000);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A short number: `980`, `12.4k`, `3.1M`. */
export function short(value: number): string {
  const unit = (divisor: number, letter: string): string =>
    `${(Math.floor((value / divisor) * 10) / 10).toString()}${letter}`;
  if (Math.abs(value) < 1000) return String(value);
  if (Math.abs(value) < 1_000_000) return unit(1000, "k");
  return unit(1_000_000, "M");
}

/** US dollars: enough digits to tell small ones apart. */
export function dollars(value: number | null): string {
  if (value === null) return "unknown";
  if (value === 0) return "$0";
  return `$${value.toFixed(value < 0.1 ? 4 : 2)}`;
}

/** `14:03:22`, in the reader's zone. */
export function clock(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
}

/** `2026-12-01 14:03:22.120`, in the reader's zone. */
export function moment(at: number): string {
  const time = new Date(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${clock(at)}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}

/** How long before `now`: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}

/** The last two folders of a path. */
export function shortPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join("/")}`;
}

/** A path as seen from a folder: what is not in it stays as it is. */
export function within(folder: string, path: string): string {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return folder !== "" && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
