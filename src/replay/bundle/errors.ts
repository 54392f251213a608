/** What can be wrong with a bundle. */
import { LemonError } from "../../errors.ts";

/** The file is no bundle, or not the one that was written; nothing was imported. Code `LEMON_BUNDLE_INVALID`. */
export class InvalidBundleError extends LemonError {
  /** Line of the unpacked file, from 1; `null`: of the file as a whole. */
  readonly line: number | null;

  constructor(problem: string, line: number | null = null, cause?: unknown) {
    const where = line === null ? "" : `line ${line}: `;
    super("bundle_invalid", `the bundle can't be used: ${where}${problem}; nothing was imported`, { cause });
    this.line = line;
  }
}

/** A newer lemon-runtime wrote the bundle. Code `LEMON_BUNDLE_NEWER`. */
export class BundleNewerError extends LemonError {
  constructor(found: number, known: number) {
    super(
      "bundle_newer",
      `the bundle has format version ${found}, this version of lemon-runtime knows ${known}: use a newer lemon-runtime`,
      { expected: `at most ${known}`, got: String(found) },
    );
  }
}

/** A fact has more data than a line of a bundle holds; nothing was written. Code `LEMON_BUNDLE_TOO_LARGE`. */
export class BundleTooLargeError extends LemonError {
  constructor(stream: string, version: number) {
    super(
      "bundle_too_large",
      `${stream} version ${version} has more data than a line of a bundle holds: export it with --redact`,
    );
  }
}

/** The log has other facts in a stream of the bundle. Code `LEMON_BUNDLE_CONFLICT`. */
export class BundleConflictError extends LemonError {
  readonly stream: string;
  /** The last version that both have. */
  readonly version: number;

  constructor(stream: string, version: number) {
    super(
      "bundle_conflict",
      `the log has another ${stream} than the bundle: at version ${version} their hashes differ; nothing was imported`,
    );
    this.stream = stream;
    this.version = version;
  }
}

/** No bundle can be written there: the name is taken, or its folder is missing. Code `LEMON_INVALID_BUNDLE_FILE`. */
export class BundleFileError extends LemonError {
  constructor(file: string, problem: string, cause?: unknown) {
    super("invalid_bundle_file", `${file} ${problem}: choose a name that is free`, {
      field: "file",
      expected: "a name that is free",
      cause,
    });
  }
}
