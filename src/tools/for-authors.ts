/**
 * The room's second door, for what runs beside an author's code in a worker: each of many threads loads it, so it
 * brings neither the built-in tools nor what they need.
 */
export { fromAiSdkTool, fromMcpTool } from "./foreign.ts";
export { copyJson, type JsonCopy } from "./json-copy.ts";
export { type NormalisedTool, normaliseTool } from "./normalise.ts";
export type { Tool } from "./tool.ts";
