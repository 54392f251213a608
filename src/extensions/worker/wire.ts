/** The worker's end of the private port. */
import type { MessagePort } from "node:worker_threads";
import * as built from "./captured.ts";
import type { Post, PostFailure } from "./live-calls.ts";

/** Sends frames. `post` takes values without prototypes only. */
export interface Wire {
  readonly post: Post;
  readonly fail: PostFailure;
}

/** Takes the port's functions while they are Node's own. */
export function wireTo(port: MessagePort): Wire {
  const send = port.postMessage.bind(port) as (text: string) => void;
  return {
    post: (id, t, v) => send(built.stringifyJson(built.bare({ id, t, v }))),
    fail: (id, e) => send(built.stringifyJson(built.bare({ id, t: "err", e }))),
  };
}
