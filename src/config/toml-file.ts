/**
 * A TOML file: its bytes, its tree, and where in it a key stands. The parsers are loaded only when there is a file to
 * read, and the one that knows positions only when something in it is wrong.
 */
import { readFile, stat } from "node:fs/promises";
import { messageOf } from "../errors.ts";
import { InvalidConfigError, type ConfigProblem } from "./errors.ts";
import type { Misfit } from "./settings.ts";

/** A configuration file that exists. */
export interface TomlFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly tree: unknown;
}

/**
 * Reads and parses `path`.
 *
 * @returns `null` when there is no such file
 * @throws InvalidConfigError when it can't be read, is not UTF-8 or not TOML
 */
export async function readTomlFile(path: string): Promise<TomlFile | null> {
  const bytes = await readBytes(path);
  if (bytes === null) return null;
  const text = decode(path, bytes);
  const { parse, TomlError } = await import("smol-toml");
  try {
    return { path, bytes, text, tree: parse(text) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const place = { line: error.line, column: error.column };
    const [reason = "a mistake"] = error.message.replace("Invalid TOML document: ", "").split("\n");
    // The rest of the parser's message repeats the lines around the mistake, and they may hold a secret.
    throw problem({ source: path, ...place, key: null, expected: "TOML", got: reason }, undefined);
  }
}

/** Adds to each misfit of `file` the place of its value. */
export async function locateAll(file: TomlFile, misfits: readonly Misfit[]): Promise<ConfigProblem[]> {
  if (misfits.length === 0) return [];
  const { formatPath } = await import("./keys.ts");
  const { locator } = await import("./locate.ts");
  const locate = locator(file.text);
  return misfits.map(({ spelt, expected, got }) => {
    return { source: file.path, ...locate(spelt), key: formatPath(spelt), expected, got };
  });
}

const notAFile = new Error("not a regular file");

async function readBytes(path: string): Promise<Uint8Array | null> {
  try {
    // Opening a pipe would wait for its other end, for ever.
    if (!(await stat(path)).isFile()) throw notAFile;
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    const got = error === notAFile ? "a directory or a special file" : `an error: ${messageOf(error)}`;
    throw problem(
      { source: path, line: null, column: null, key: null, expected: "a file to read", got },
      error,
    );
  }
}

/** As UTF-8, without the byte order mark that some editors put first. */
function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const got = "bytes that are not UTF-8";
    throw problem({ source: path, line: null, column: null, key: null, expected: "UTF-8 text", got }, error);
  }
}

function problem(of: ConfigProblem, cause: unknown): InvalidConfigError {
  return new InvalidConfigError([of], cause);
}
