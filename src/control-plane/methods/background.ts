/** `background.*`: not in this version. */
import { z } from "zod";
import { notImplemented, type Method } from "../method.ts";
import { count, jsonObject, limit, optionalText } from "./shapes.ts";

const run = jsonObject.describe("a background run");

/** All of them. */
export const backgroundMethods: readonly Method[] = [
  notImplemented(
    "background.list",
    "read",
    "Lists the background runs, the newest first.",
    z.object({ status: optionalText, parentSessionKey: optionalText, limit }),
    z.object({ runs: z.array(run), total: count }),
  ),
  notImplemented(
    "background.status",
    "read",
    "Tells how a background run is.",
    z.object({ id: z.string() }),
    run,
  ),
  notImplemented(
    "background.result",
    "read",
    "Gives what a background run came to.",
    z.object({ id: z.string() }),
    run,
  ),
  notImplemented(
    "background.start",
    "write",
    "Starts a background run and answers at once.",
    z.object({ prompt: z.string() }),
    z.object({ id: z.string(), status: z.literal("queued") }),
  ),
  notImplemented(
    "background.cancel",
    "write",
    "Cancels a background run.",
    z.object({ id: z.string(), reason: optionalText }),
    run,
  ),
];
