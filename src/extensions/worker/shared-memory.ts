/**
 * The memory that a host and its worker share, so that counts and the running handler's number can be seen while the
 * worker's loop is blocked. One array of 32-bit integers.
 */

/** Characters of output that the host has not read yet. */
export const outputUnread = 0;
/** Pieces of output that were dropped since the host last told so. */
export const outputDropped = 1;
/** KiB of heap and external memory, as the worker last saw them. */
export const heapKib = 2;
/** The member function that is being called: 0 none, then tools, hooks and providers. */
export const runningMember = 3;
const firstSlot = 8;

/** Calls that may be in flight in one worker at once. */
export const slotCount = 1024;

/** Where a call counts its unread updates, or shows the number of its running handler. */
export function slotAt(slot: number): number {
  return firstSlot + slot;
}

/** Memory for one worker. */
export function newSharedMemory(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (firstSlot + slotCount)));
}

/** Characters of output that may be unread before more is dropped. */
export const maxOutputUnread = 1024 * 1024;

/** Updates of one call that may be unread before only the newest is kept. */
export const maxUpdatesUnread = 16;
