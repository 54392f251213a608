/** Refuses what a web page can make a browser send. docs/reference/control-plane.md, "Over HTTP" */

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether a request names this machine as its host, whatever the port (it may come through a tunnel), and comes from no
 * page or from one of this server's own.
 */
export function isOwn(host: string | undefined, origin: string | undefined, port: number): boolean {
  const name = host?.toLowerCase().replace(/:\d{1,5}$/, "");
  if (name === undefined || !LOOPBACK.includes(name)) return false;
  return origin === undefined || LOOPBACK.some((own) => origin === `http://${own}:${port}`);
}

/** `application/json`, in UTF-8 if anything is said of that. */
export function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType?.trim() ?? "");
}
