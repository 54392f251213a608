import { LemonError } from "../errors.ts";

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Path of the file, or the name of the layer: `environment`, `createRuntime({ config })`, `command line`. */
  readonly source: string;
  /** From 1; `null` when the place is not known, as for a layer that is no file. */
  readonly line: number | null;
  /** From 1. */
  readonly column: number | null;
  /** Dotted path such as `runtime.approval`; `null` when the file as a whole is wrong. */
  readonly key: string | null;
  readonly expected: string;
  /** A type name or a short word, never content. */
  readonly got: string;
}

/** A configuration that can't be used; nothing of it was applied. Code `LEMON_INVALID_CONFIG`. */
export class InvalidConfigError extends LemonError {
  /** Every problem that was found, in the order of the file; `field`, `expected` and `got` are those of the first. */
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly [ConfigProblem, ...ConfigProblem[]], cause?: unknown) {
    const [{ key, expected, got }] = problems;
    const field = key === null ? {} : { field: key };
    super("invalid_config", problems.map(describe).join("\n"), { ...field, expected, got, cause });
    this.problems = problems;
  }
}

function describe({ source, line, column, key, expected, got }: ConfigProblem): string {
  const place = line === null ? source : `${source}:${line}${column === null ? "" : `:${column}`}`;
  return `${place}: ${key === null ? "" : `${key}: `}expected ${expected}, found ${got}`;
}
