/** Text that is given as an argument, or on standard input. */
import { UsageError } from "./errors.ts";

/**
 * The argument; all of standard input without one, and for the argument `-`.
 *
 * @param field - what it is called
 * @throws UsageError when there is neither, or it is not UTF-8
 */
export async function readText(argument: string | undefined, field: string): Promise<string> {
  if (argument !== undefined && argument !== "-") return argument;
  if (process.stdin.isTTY) {
    throw new UsageError(`a ${field} is missing: give it as an argument, or on standard input`, {
      field,
      expected: "text",
    });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError(`the ${field} on standard input is not UTF-8`, { field, expected: "UTF-8 text" });
  }
}
