/** Placeholders, masking, redaction: what keeps secret values out of facts, logs and answers. */
export { createMasker, type KnownSecret, type Masker, type PieceMasker } from "./mask.ts";
