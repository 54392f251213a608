/** What a worker asks of its host: what an import means whose name running code has computed. */
import * as built from "./captured.ts";
import type { Post } from "./live-calls.ts";

/** Questions under way. */
export interface Asks {
  /** @returns the URL to import */
  ask(specifier: string, importerUrl: string): Promise<string>;
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
    ask: (specifier, importerUrl) =>
      new built.NativePromise((resolve, reject) => {
        asked += 1;
        waiting[asked] = { resolve, reject };
        // One text: an array would be open to what the author did to its prototype. No URL holds a line feed.
        post(asked, "ask", `${importerUrl}\n${specifier}`);
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
