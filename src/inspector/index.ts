/** The page of time travel: its server and what it is answered from. docs/reference/inspector.md */
export type { Prices } from "./derive/usage.ts";
export type { ForkAnswer, ForkRequest } from "./api.ts";
export { Inspector, type InspectorParts } from "./server/server.ts";
export { parsePrices } from "./prices.ts";
