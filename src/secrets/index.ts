/** Placeholders, masking, redaction: what keeps secret values out of facts, logs and answers. */
export { cutBytes, MAX_PREVIEW_BYTES, shorten, type CutText } from "./cut.ts";
export { MIN_SECRET_LENGTH } from "./encodings.ts";
export { createMasker, type KnownSecret, type Masker, type PieceMasker } from "./mask.ts";
export { redactIntrospection, redactJson, type RedactedJson } from "./redact-json.ts";
export { redactText } from "./redact-text.ts";
export { REDACTED, type RedactedText } from "./redacted.ts";
export { restoreSecrets, type RestorableSecrets, type Restored } from "./restore.ts";
