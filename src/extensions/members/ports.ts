/** What reading an author's members needs of the world. */
import type { MemberName } from "../port.ts";

/** How long a member that is a function has, in milliseconds. */
export const memberMs = 5000;

/** Handed in, so that the same rules hold in a worker and in this process. */
export interface MemberPorts {
  /** Arms a timer. @returns a function that cancels it */
  readonly setTimer: (delayMs: number, fire: () => void) => () => void;
  /** Told before each member is asked for. */
  readonly onMember?: (name: MemberName) => void;
  /** `false`: whether the schemas of tools compile is left to the host, so that a worker needs no compiler. */
  readonly compiles?: boolean;
}
