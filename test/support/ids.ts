import type { Ids } from "../../src/ports.ts";

/** `call_0000000000000001`, `call_0000000000000002` …: one count over all prefixes, that begins after `start`. */
export function countingIds(start = 0): Ids {
  let count = start;
  return (prefix) => {
    count += 1;
    return `${prefix}_${count.toString(16).padStart(16, "0")}`;
  };
}
