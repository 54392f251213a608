/** Placeholders, masking, redaction: what keeps secret values out of facts, logs and answers. */
export { createMasker, MIN_SECRET_LENGTH, type KnownSecret, type Masker } from "./mask.ts";
