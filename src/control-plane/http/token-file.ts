/** The token file: who can read it may do everything. docs/reference/control-plane.md, "Tokens" */
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { LemonError } from "../../errors.ts";
import { controlPlaneTokenFile } from "../../runtime/index.ts";

const BYTES = 32;

/** The token file can't be trusted to be secret, so the server does not start. Code `LEMON_UNSAFE_TOKEN_FILE`. */
class UnsafeTokenFileError extends LemonError {
  constructor(file: string, problem: string) {
    super("unsafe_token_file", `${file} ${problem}: remove it, and the next start writes a new one`);
  }
}

/** The token of a home, and where it lies. */
export interface TokenFile {
  readonly file: string;
  readonly token: string;
}

/** Reads the token of a home; makes one, and the home, if there is none. @throws UnsafeTokenFileError */
export async function ensureTokenFile(home: string): Promise<TokenFile> {
  const file = controlPlaneTokenFile(home);
  const found = await read(file);
  if (found !== null) return { file, token: found };
  await mkdir(home, { recursive: true, mode: 0o700 });
  const token = randomBytes(BYTES).toString("base64url");
  const draft = path.join(home, `.control-plane.${randomBytes(4).toString("hex")}`);
  await writeFile(draft, `${token}\n`, { flag: "wx", mode: 0o600 });
  try {
    // Whole or not at all, and not over one that another server has just made.
    await link(draft, file);
    return { file, token };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { file, token: (await read(file)) ?? token };
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(file: string): Promise<string | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return null;
      throw new UnsafeTokenFileError(file, `can't be opened as a file (${code ?? "unknown error"})`);
    },
  );
  if (handle === null) return null;
  try {
    const { mode, uid, size } = await handle.stat().then((stats) => {
      if (!stats.isFile()) throw new UnsafeTokenFileError(file, "is no file");
      return stats;
    });
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw new UnsafeTokenFileError(file, "belongs to another user");
    }
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new UnsafeTokenFileError(file, `may be read by others (mode ${(mode & 0o777).toString(8)})`);
    }
    const token = size > 1_024 ? "" : (await handle.readFile("utf8")).trim();
    if (!/^[\w-]{32,}$/.test(token)) throw new UnsafeTokenFileError(file, "holds no token");
    return token;
  } finally {
    await handle.close();
  }
}
