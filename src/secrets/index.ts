/** Placeholders, masking, redaction: what keeps secret values out of facts, logs and answers. */
export { MIN_SECRET_LENGTH } from "./encodings.ts";
export { createMasker, type KnownSecret, type Masker, type PieceMasker } from "./mask.ts";
export { restoreSecrets, type RestorableSecrets, type Restored } from "./restore.ts";
