/** What became of one intercepting handler, as it is recorded. Verdicts are folds over lists of these. */
import type { FactData } from "../events/index.ts";

/** One handler's answer or failure. */
export type HookAnswer = FactData<"hook.answered">["answers"][number];

/** The member of an answer, if it is an object that has it. */
export function memberOf(answer: unknown, name: string): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
  return Object.hasOwn(answer, name) ? (answer as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Made by `{ … }`: what counts as arguments and details. Answers were JSON before, so no class is among them. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
