/** `lemon tree` */
import type { Status } from "../errors.ts";
import type { Context } from "../globals.ts";
import type { TreeFlags } from "../flags.ts";
export async function tree(_context: Context, _flags: TreeFlags): Promise<Status> {
  throw new Error("later");
}
