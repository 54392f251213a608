/** Where the command is. In this folder itself, which the build keeps: what is deeper is put together with it. */
import { fileURLToPath } from "node:url";

/** The file that is the command `lemon`. */
export const lemonFile: string = fileURLToPath(new URL("./main.js", import.meta.url));
