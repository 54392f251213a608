/**
 * `npm start`: a session finds and mends a fault, is killed in the middle of a tool call, and goes on.
 *
 *   node dist/cli/demo.js [--model PROVIDER/MODEL] [--keep]
 *
 * Exits with 0 only when everything held that it says.
 */
import { parseArgs } from "node:util";
import { runDemo } from "./demo/acts.ts";
import { messageOf } from "../errors.ts";
import { Output } from "./output.ts";

const out = new Output({});
process.exitCode = await main();

async function main(): Promise<number> {
  let flags: { readonly model?: string; readonly keep?: boolean };
  try {
    flags = parseArgs({ options: { model: { type: "string" }, keep: { type: "boolean" } } }).values;
  } catch (error) {
    out.error(`${messageOf(error)}\nusage: demo [--model PROVIDER/MODEL] [--keep]`, error);
    return 2;
  }
  try {
    await runDemo(out, { model: flags.model ?? null, keep: flags.keep ?? false });
    return 0;
  } catch (error) {
    out.error(messageOf(error), error);
    return 1;
  }
}
