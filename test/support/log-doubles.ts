import { openEventLog, type EventLog } from "../../src/log/index.ts";

/** A log in memory whose lease clock is the test's. */
export async function memoryLog(now: () => number = Date.now): Promise<EventLog> {
  return openEventLog(":memory:", { now });
}

/** What a test does to a log between its callers and the engine. */
export interface Tampering {
  /** Called before each append; what it throws is what the append rejects with. */
  beforeAppend?: (stream: string) => void | Promise<void>;
  /** True: the process is dead. Nothing that it asked for comes back, and nothing more is written. */
  killed?: boolean;
}

/** The same log, seen through a test's tampering. */
export function tampered(log: EventLog, tampering: Tampering): EventLog {
  return new Proxy(log, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        if (tampering.killed === true) return new Promise(() => undefined);
        const call = (): unknown => Reflect.apply(member, target, args);
        if (name !== "append") return unlessKilled(call(), tampering);
        const before = tampering.beforeAppend;
        if (before === undefined) return unlessKilled(call(), tampering);
        return unlessKilled(Promise.resolve(String(args[0])).then(before).then(call), tampering);
      };
    },
  });
}

/** A process that died never learns what became of its last call. */
function unlessKilled(result: unknown, tampering: Tampering): unknown {
  if (!(result instanceof Promise)) return result;
  return new Promise((resolve, reject) => {
    result.then(
      (value) => {
        if (tampering.killed !== true) resolve(value);
      },
      (error: unknown) => {
        if (tampering.killed !== true) reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
