/** What extension packages say of themselves, read as JSON: no code of theirs runs. */
export { findManifests, readManifest, readManifests } from "./find.ts";
export { type ManifestReport, validateManifest } from "./validate.ts";
export { hostTypes } from "./values.ts";
