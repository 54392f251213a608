/** `lemon extension list` */
import { withExtensions } from "../extension-loading.ts";
import { tellInvalid, tellOverridden } from "../extension-faults.ts";
import { statuses, type Status } from "../errors.ts";
import type { ExtensionFlags } from "../flags.ts";
import type { Context } from "../globals.ts";

/** Lists the extensions that a session here would have. */
export function listExtensions(context: Context, flags: ExtensionFlags): Promise<Status> {
  const { out } = context;
  return withExtensions(
    context,
    flags,
    ({ extensions, loadErrors, validationErrors, overridden }, runtime) => {
      const wanted = extensions.filter(
        ({ capabilities }) => flags.capability === undefined || capabilities.includes(flags.capability),
      );
      const listed = runtime.extensions.info(wanted);
      if (out.json) out.document(listed);
      for (const { name, version, module, sourcePath, capabilities } of out.json ? [] : listed) {
        const can = capabilities.length === 0 ? "" : ` (${capabilities.join(", ")})`;
        out.line(`${out.paint("bold", name)} ${version}${can}  ${sourcePath ?? module}`);
      }
      if (listed.length === 0) out.note("no extensions");
      for (const { sourcePath, errorMessage } of loadErrors) out.error(`${sourcePath}: ${errorMessage}`);
      tellInvalid(out, validationErrors);
      tellOverridden(out, overridden);
      return statuses.done;
    },
  );
}
