/** How the values of flags are read. What can't be read is refused by the parser, with the flag's name. */
import { createRequire } from "node:module";
import type * as Commander from "commander";

const { InvalidArgumentError } = createRequire(import.meta.url)("commander") as typeof Commander;

/** Text that is not blank. */
export function nonEmpty(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("Expected a value that is not empty.");
  return value;
}

/** A whole number, 1 or more. */
export function wholeNumber(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError("Expected a whole number, 1 or more.");
}

/** A port; 0 for one that is free. */
export function portNumber(value: string): number {
  const number = Number(value);
  if (/^\d{1,5}$/.test(value) && number <= 65_535) return number;
  throw new InvalidArgumentError("Expected a whole number, 0 to 65535.");
}

/** A whole number, 0 or more. */
export function anyNumber(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError("Expected a whole number, 0 or more.");
}

/** Repeats are collected one by one: a variadic option would swallow the arguments that follow it. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, nonEmpty(value)];
}
