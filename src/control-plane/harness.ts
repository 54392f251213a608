/** The parts of a runtime that keep work in order. A runtime that lacks one refuses its methods. */
import type { Runtime } from "../runtime/index.ts";
import { RefusedError } from "./rpc-error.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Calls = Readonly<Record<string, (...args: any[]) => Promise<any>>>;

/** A part by its name. @throws RefusedError `not_implemented` */
export function part(
  runtime: Runtime,
  name: "todos" | "features" | "checkpoints" | "progress" | "introspection",
): Calls {
  const found = (runtime as unknown as Readonly<Record<string, Calls | undefined>>)[name];
  if (found === undefined) throw new RefusedError("not_implemented", "This method is not implemented here.");
  return found;
}
