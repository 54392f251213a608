/** Bearer tokens, compared so that the time tells nothing of them. */
import { createHash, timingSafeEqual } from "node:crypto";

/** The digest of a token, which is what a server keeps of it. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The digest of the token of an `Authorization` header; `null` when it holds none. */
export function bearerDigest(header: string | undefined): Buffer | null {
  const token = /^Bearer +([^\s]+) *$/i.exec(header ?? "")?.[1];
  return token === undefined ? null : tokenDigest(token);
}

/** Whether two digests are of the same token. */
export function isSameToken(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b);
}
