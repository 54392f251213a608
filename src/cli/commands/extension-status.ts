/** `lemon extension status` */
import { fallbackDetails, fallbackMarkdown } from "../../projections/index.ts";
import { withExtensions } from "../extension-loading.ts";
import { tellInvalid, tellOverridden } from "../extension-faults.ts";
import { statuses, type Status } from "../errors.ts";
import type { ExtensionFlags } from "../flags.ts";
import type { Context } from "../globals.ts";

const noSession = "no session context";

/** Tells how the extensions are that a session here would have. */
export function extensionStatus(context: Context, flags: ExtensionFlags): Promise<Status> {
  const { out, cwd } = context;
  return withExtensions(
    context,
    flags,
    ({ extensions, loadErrors, validationErrors, overridden }, runtime) => {
      const { toolConflicts } = runtime.extensions.buildStatusReport(extensions, loadErrors, { cwd });
      const { loadedAt } = runtime.extensions.lastLoadErrors();
      const reported = loadErrors.map((error) => ({ ...error }));
      const status = { extensions, loadErrors: reported, loadedAt, toolConflicts };
      if (out.json) out.document(fallbackDetails(status, noSession));
      else out.line(fallbackMarkdown(status, noSession, { includeDetails: out.verbose }));
      tellInvalid(out, validationErrors);
      tellOverridden(out, overridden);
      return statuses.done;
    },
  );
}
