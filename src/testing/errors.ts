/** What the kit refuses to go on with. */
import { LemonError } from "../errors.ts";
import type { HandlerFailure } from "../extensions/index.ts";
import type { ExtensionStatusReport } from "../projections/index.ts";

/** The extension under test could not be loaded, or is not valid. Code `LEMON_UNUSABLE_EXTENSION`. */
export class UnusableExtensionError extends LemonError {
  /** Each with what it is about. */
  readonly problems: readonly string[];

  constructor({ loadErrors, validationErrors, searchPaths }: ExtensionStatusReport) {
    const problems = [
      ...searchPaths.filter(({ exists }) => !exists).map((place) => `${place.path}: there is no such file`),
      ...loadErrors.map(({ sourcePath, errorMessage }) => `${sourcePath}: ${errorMessage}`),
      ...validationErrors.flatMap(({ module, errors }) => errors.map((error) => `${module}: ${error}`)),
    ];
    const told = problems.length === 0 ? ["no extension was found"] : problems;
    super("unusable_extension", `the extension can't be used:\n${told.join("\n")}`);
    this.problems = told;
  }
}

/** A handler that the test ran threw, was late, or answered what is no JSON. Code `LEMON_HANDLER_FAILED`. */
export class HandlerFailedError extends LemonError {
  readonly kind: HandlerFailure["kind"];
  /** Name of the class that was thrown; the kind when nothing was. */
  readonly failureClass: string;

  constructor(hook: string, { kind, class: failureClass, message }: HandlerFailure) {
    super("handler_failed", `${hook}: ${failureClass}: ${message}`, { field: hook, got: kind });
    this.kind = kind;
    this.failureClass = failureClass;
  }
}
