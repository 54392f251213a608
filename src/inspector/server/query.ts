/** The parameters of a request, checked. docs/reference/inspector.md, "Parameters" */
import { LemonError } from "../../errors.ts";

/** A parameter is not what it has to be. Code `LEMON_INVALID_PARAMETER`. */
export class InvalidParameterError extends LemonError {
  constructor(field: string, expected: string, got: string) {
    super("invalid_parameter", `${field}: expected ${expected}, got ${got}`, { field, expected, got });
  }
}

/** What a whole number may be. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The parameters after the question mark. */
export class Query {
  readonly #params: URLSearchParams;

  constructor(params: URLSearchParams) {
    this.#params = params;
  }

  /** Text; `null` when it is not there. @throws InvalidParameterError when it is there twice */
  text(name: string): string | null {
    const values = this.#params.getAll(name);
    if (values.length > 1) throw new InvalidParameterError(name, "one value", `${values.length}`);
    return values[0] ?? null;
  }

  /** Text that has to be there. */
  required(name: string): string {
    const value = this.text(name);
    if (value === null || value === "") throw new InvalidParameterError(name, "a value", "nothing");
    return value;
  }

  /** A whole number; `null` when it is not there. @throws InvalidParameterError when it is none, or out of bounds */
  number(name: string, { least, most }: Bounds): number | null {
    const value = this.text(name);
    return value === null ? null : wholeNumber(name, value, { least, most });
  }
}

/** Reads a whole number. @throws InvalidParameterError */
export function wholeNumber(field: string, value: string, { least, most }: Bounds): number {
  const number = Number(value);
  if (/^-?\d{1,15}$/.test(value) && number >= least && number <= most) return number;
  const expected =
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number, ${least} or more`
      : `a whole number, ${least} to ${most}`;
  throw new InvalidParameterError(
    field,
    expected,
    value.length > 20 ? "a longer text" : JSON.stringify(value),
  );
}
