/** The files of the page, which the build put into one folder. */
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Where the build puts the page. */
export const builtPage = fileURLToPath(new URL("../page/", import.meta.url));

/** Nothing from elsewhere is loaded and nothing runs that is no file of the page. */
const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of everything that is answered. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": SECURITY_POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** A file of the page. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
}

/**
 * The file that a path names; `/` is index.html. Only files of known types within the folder are given, also where a link
 * leads out of it.
 *
 * @param pathname - as it came, percent signs and all
 * @returns `null` when there is none
 */
export async function pageFile(folder: string, pathname: string): Promise<PageFile | null> {
  const name = nameOf(pathname);
  const type = name === null ? undefined : types[path.extname(name).toLowerCase()];
  if (name === null || type === undefined) return null;
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, name));
    if (!file.startsWith(root + path.sep)) return null;
    return { bytes: await readFile(file), type };
  } catch {
    // Not there, not readable, or a folder: to who asks it is all the same.
    return null;
  }
}

/** The path within the folder; `null` for one that no file of the page has. */
function nameOf(pathname: string): string | null {
  if (pathname === "/") return "index.html";
  let name: string;
  try {
    name = decodeURIComponent(pathname.slice(1));
  } catch {
    return null;
  }
  const parts = name.split("/");
  const isPlain = parts.every((part) => /^[\w@-][\w.@-]*$/.test(part));
  return isPlain ? name : null;
}
