/** The real world behind the ports of identity and chance. */
import { customAlphabet } from "nanoid";
import type { Ids, Random } from "../ports.ts";

const hex16 = customAlphabet("0123456789abcdef", 16);

/** A prefix, an underscore and 16 lower-case hexadecimal digits. */
export const systemIds: Ids = (prefix) => `${prefix}_${hex16()}`;

/** `Math.random`: jitter needs no secrecy. */
export const systemRandom: Random = Math.random;
