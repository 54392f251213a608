/**
 * What happens to an input before a stream takes it: it is checked, its secrets are hidden, and it becomes text.
 */
import { assertJson, currentSchemaVersion, type Json } from "../events/index.ts";
import type { Masker } from "../secrets/index.ts";
import type { CascadeInput } from "./cascade.ts";
import type { Input } from "./mailbox.ts";

/** Checks a fact's data against its schema; throws `InvalidFactError`. */
export type FactCheck = (type: string, schemaVersion: number, data: unknown) => void;

/** An input ready to be taken, and its data before masking when masking changed it. */
export interface Prepared {
  readonly input: CascadeInput;
  readonly unmasked: unknown;
}

/**
 * @param at - epoch milliseconds at which it is taken
 * @throws InvalidValueError, InvalidFactError when it cannot be recorded
 */
export function prepare(input: Input, at: number, mask: Masker, check: FactCheck): Prepared {
  assertJson(input.data);
  check(input.type, currentSchemaVersion(input.type), input.data);
  const masked: Json = mask.json(input.data);
  const text = JSON.stringify(masked);
  // The actor gets what the log holds, not the object that came in.
  const data: unknown = JSON.parse(text);
  const { type, actor, causation } = input;
  return {
    input: { type, data, text, at, actor, causation },
    unmasked: masked === input.data ? null : input.data,
  };
}
