/** What servers on this machine share: where they listen, and whom they answer. */
export { bearerDigest, isSameToken, tokenDigest } from "./bearer.ts";
export { readBody } from "./body.ts";
export { isJson, isOwn } from "./guard.ts";
export { listenOnLoopback, LOOPBACK_HOST, loopbackServer } from "./listen.ts";
