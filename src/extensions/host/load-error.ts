/** Why an extension file did not load, in the words that docs/reference/extensions.md gives. */
import { fileURLToPath } from "node:url";
import { type Bundle, ExtensionLoadError, type LoadError } from "../port.ts";
import type { ThrownFields } from "../worker/frames.ts";
import { authorsStack } from "./thrown-error.ts";
import type { WorkerEnd } from "./worker-end.ts";

/** Milliseconds that an evaluation may take. */
export const evaluationMs = 10_000;

/** The file threw, or has no extension as its default export. */
export function threwWhileLoading(bundle: Bundle, thrown: ThrownFields): ExtensionLoadError {
  const { name, message, marks, stack } = thrown;
  const place =
    stack === undefined
      ? undefined
      : placeOf(
          authorsStack(stack, (text) => bundle.mapPositions(text)),
          bundle,
        );
  const shown = thrown.kind === "error" ? (message.split("\n", 1)[0] ?? "") : message;
  return failure(bundle, shown, {
    name: thrown.kind === "value" ? "Error" : name,
    message,
    ...(typeof marks?.code === "string" ? { code: marks.code } : {}),
    ...place,
  });
}

/** Its worker ended before it had reported. */
export function endedWhileLoading(bundle: Bundle, end: WorkerEnd): ExtensionLoadError {
  const code = /^exit code (-?\d+)$/.exec(end.detail)?.[1];
  const thrown = /^uncaught error: ([^\n]*)/.exec(end.detail)?.[1];
  if (code !== undefined) return failure(bundle, `Extension exited while loading (code ${code})`);
  return failure(bundle, thrown ?? `Extension ended while loading: ${end.detail}`);
}

/** It took too long. */
export function loadTimedOut(bundle: Bundle): ExtensionLoadError {
  return failure(bundle, `Extension did not load within ${evaluationMs} ms`);
}

/** What it reported is no description: it has taken our place in its worker. */
export function misreported(bundle: Bundle): ExtensionLoadError {
  return failure(bundle, "Extension reported what can't be read");
}

function failure(
  { sourcePath }: Bundle,
  errorMessage: string,
  error: LoadError["error"] = { name: "Error", message: errorMessage },
): ExtensionLoadError {
  return new ExtensionLoadError({ sourcePath, error, errorMessage });
}

/** The first place in the author's files that a stack names. */
function placeOf(stack: string, { sourcePath, inputs }: Bundle): object | undefined {
  for (const [, where = "", line, column] of stack.matchAll(/(?:\(|at )([^()\n]+):(\d+):(\d+)\)?$/gm)) {
    const file = where.startsWith("file:") ? fileURLToPath(where) : where;
    if (!inputs.includes(file) && file !== sourcePath) continue;
    const isHelper = file !== sourcePath && file !== inputs.find((input) => sameFile(input, sourcePath));
    return { ...(isHelper ? { file } : {}), line: Number(line), column: Number(column) };
  }
  return undefined;
}

/** The extension file stands among the inputs under its real path. */
function sameFile(input: string, sourcePath: string): boolean {
  return input === sourcePath || input.endsWith(sourcePath.slice(sourcePath.lastIndexOf("/")));
}
