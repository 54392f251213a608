/** `lemon trust [DIR]` */
import { existsSync } from "node:fs";
import path from "node:path";
import { projectFile, revokeTrust, trustProject } from "../../config/index.ts";
import { statuses, type Status } from "../errors.ts";
import type { Context } from "../globals.ts";

/** Lets the project file of a folder, as it is now, and the extensions in it run code; or takes that back. */
export async function trust(
  { out, home, cwd }: Context,
  folder: string | undefined,
  { revoke = false }: { readonly revoke?: boolean },
): Promise<Status> {
  const target = path.resolve(cwd, folder ?? ".");
  if (revoke) {
    const revoked = await revokeTrust(home, target);
    if (out.json) out.document({ path: target, revoked });
    else out.line(revoked ? `no longer trusted: ${target}` : `was not trusted: ${target}`);
    return statuses.done;
  }
  const record = await trustProject(home, target);
  if (out.json) out.document(record);
  else if (existsSync(projectFile(target)))
    out.line(`trusted: ${record.path}, as its .lemon/config.toml is now`);
  else
    out.line(
      `trusted: ${record.path}, which has no .lemon/config.toml; one that appears must be trusted anew`,
    );
  return statuses.done;
}
