/** Where git keeps rules besides `.gitignore`. Git itself is never run. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** No file of rules is as large as this, and a pointer of git is a line. */
const maxBytes = 1024 * 1024;

/** The text of a small regular file; `null` if there is none, or it can't be read. A link is none, as for git itself. */
export function smallText(file: string): string | null {
  let descriptor: number;
  try {
    // Non-blocking: a pipe would wait for its other end.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null; // No rules then: more is looked at, not less.
  }
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && found.size <= maxBytes ? readFileSync(descriptor, "utf8") : null;
  } catch {
    return null; // As above.
  } finally {
    closeSync(descriptor);
  }
}

/** Whether `folder` is the top of a repository or of a work tree. */
function hasGit(folder: string): boolean {
  try {
    return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // It can't be seen, so git could not use it either.
  }
}

/** The text of `info/exclude` of the repository whose top is `folder`, also when that is a linked work tree or a submodule. */
export function gitExcludes(folder: string): string | null {
  const git = join(folder, ".git");
  return smallText(join(commonDirectory(folder, git), "info/exclude"));
}

/** https://git-scm.com/docs/gitrepository-layout: a file `.git` names the real one, and `commondir` in that the shared one. */
function commonDirectory(folder: string, git: string): string {
  const pointer = /^gitdir: (.+)$/m.exec(smallText(git) ?? "")?.[1];
  if (pointer === undefined) return git;
  const real = resolve(folder, pointer.trimEnd());
  const common = smallText(join(real, "commondir"))?.trim();
  return common === undefined || common === "" ? real : resolve(real, common);
}

/** The top of the repository that `folder` lies in, itself excepted; `null` for none. */
export function enclosingRepository(folder: string): string | null {
  if (hasGit(folder)) return null;
  for (let at = folder; dirname(at) !== at; at = dirname(at)) if (hasGit(dirname(at))) return dirname(at);
  return null;
}
