import { LemonError } from "../../errors.ts";
import { noReport, reportDetails, reportMarkdown } from "../../projections/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInTool, ExtensionControl, ToolResult } from "../tool.ts";

/** Shows how the extensions are doing, and reloads them. docs/reference/status-report.md */
export const extensionsStatusTool: BuiltInTool = {
  name: "extensions_status",
  label: "Extensions",
  description:
    "Shows which extensions are loaded, what kept others from loading, and which tools share a name. With action reload it loads them again from their files first: use it after an extension was added, changed or removed.",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", description: "status (default) or reload" },
      includeDetails: { type: "boolean", description: "Also source paths, module names and schemas" },
    },
  },
  otherSpellings: { include_details: "includeDetails" },
  parallelSafe: false,
  idempotent: false,
  // A reload runs code; that its status is not asked about is a rule of the policy.
  readOnly: false,
  timeoutMs: 300_000,
  async execute(toolCallId, args, signal, _onUpdate, { extensions }) {
    if (signal.aborted) return errorResult("Operation aborted", { errorType: "aborted" });
    const { action, includeDetails = false } = args as {
      readonly action?: string;
      readonly includeDetails?: boolean;
    };
    if (action === "reload") return reload(() => extensions.reload(toolCallId), includeDetails);
    const report = extensions.status();
    if (report === null) return textResult(noReport.text, { title: noReport.title });
    return textResult(reportMarkdown(report, { includeDetails }), { ...reportDetails(report) });
  },
};

/** A refusal is told to the model: it may try again, or go on without. */
async function reload(
  load: () => ReturnType<ExtensionControl["reload"]>,
  includeDetails: boolean,
): Promise<ToolResult> {
  try {
    const report = await load();
    const style = { includeDetails, reloaded: true };
    return textResult(reportMarkdown(report, style), { ...reportDetails(report, style) });
  } catch (error) {
    if (!(error instanceof LemonError)) throw error;
    return errorResult(error.message, { errorType: error.reason });
  }
}
