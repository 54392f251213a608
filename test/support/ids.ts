import type { Ids } from "../../src/ports.ts";

/** `call_0000000000000001`, `call_0000000000000002` …: one count over all prefixes. */
export function countingIds(): Ids {
  let count = 0;
  return (prefix) => {
    count += 1;
    return `${prefix}_${count.toString(16).padStart(16, "0")}`;
  };
}
