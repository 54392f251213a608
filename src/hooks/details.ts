/**
 * What a hook may change of a result's details: how they look, never what they say a tool did to the world. Pure;
 * docs/reference/hooks.md, "Receipts"
 */
import { isPlainObject } from "./answer.ts";

const reserved = new Set(
  (
    "receipt checkpointid checkpointids checkpointkind affectedpaths changedpaths writtenpaths affected changed written " +
    "affectedfiles changedfiles writtenfiles byteswritten action outcome applied success partial partialerror error " +
    "errors acp acpclient acpprovenance files fileresults results snapshots originalfiles originalcontent before after " +
    "oldtext newtext resolvedpath firstchangedline"
  ).split(" "),
);
const never = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key of details is the runtime's own, in whatever spelling: `checkpoint_id` as much as `checkpointId`. */
export function isReceiptKey(key: string): boolean {
  return reserved.has(plain(key));
}

type Details = Readonly<Record<string, unknown>> | null;

function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, "");
}

/**
 * The details after a hook: its own keys, but the original's receipts with their values.
 *
 * @param given - what the hook said; anything but an object is taken only when the original has no receipt
 */
export function withReceipts(original: Details, given: unknown): Details {
  const receipts = Object.entries(original ?? {}).filter(([key]) => isReceiptKey(key));
  if (!isPlainObject(given)) return original;
  const own = Object.entries(given).filter(([key]) => !isReceiptKey(key) && !never.has(key));
  return Object.fromEntries([...own, ...receipts]);
}
