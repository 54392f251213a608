/** What can happen: envelope, catalogue and upcasting of facts. The schemas, which load zod, are in `schemas.ts`. */
export {
  callIdOf,
  catalogue,
  currentSchemaVersion,
  isKnownType,
  slotName,
  type FactRule,
  type FactType,
  type Receiver,
  type SlotKind,
} from "./catalogue.ts";
export { byCodePoint } from "./code-point.ts";
export type { Fact, FactKind, NewFact } from "./envelope.ts";
export { assertJson, InvalidValueError, type Json } from "./json.ts";
export type {
  ApprovalMode,
  ContentBlock,
  Decision,
  FactData,
  FactEvent,
  FactOf,
  KnownFact,
  ModelCall,
  SessionLineage,
  SessionMode,
  ThinkingLevel,
  Usage,
} from "./types.ts";
export { SchemaNewerError, upcast } from "./upcast.ts";
export { addUsage, noUsage } from "./usage.ts";

/** The schemas and `checkFact`. Loaded at the first append: readers of the log do without zod. */
export const loadSchemas = (): Promise<typeof import("./schemas.ts")> => import("./schemas.ts");
