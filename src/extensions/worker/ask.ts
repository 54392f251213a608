/** What a worker asks of its host: to bundle a file that running code wants to import. */
import * as built from "./captured.ts";
import type { Post } from "./live-calls.ts";

/** Questions under way. */
export interface Asks {
  /** @returns the URL of the bundle */
  ask(url: string): Promise<string>;
  answer(
    id: number,
    answer: { readonly url: string } | { readonly name: string; readonly message: string },
  ): void;
}

interface Waiting {
  readonly resolve: (url: string) => void;
  readonly reject: (error: Error) => void;
}

/** Numbers questions on their own. */
export function askHost(post: Post): Asks {
  const waiting = { __proto__: null } as unknown as Record<number, Waiting | undefined>;
  let asked = 0;
  return {
    ask: (url) =>
      new built.NativePromise((resolve, reject) => {
        asked += 1;
        waiting[asked] = { resolve, reject };
        post(asked, "ask", url);
      }),
    answer: (id, answer) => {
      const one = waiting[id];
      delete waiting[id];
      if ("url" in answer) return one?.resolve(answer.url);
      const error = new built.NativeError(answer.message);
      error.name = answer.name;
      return one?.reject(error);
    },
  };
}
