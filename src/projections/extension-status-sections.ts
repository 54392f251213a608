/** The parts of a status report in Markdown. docs/reference/status-report.md, "As text" */
import type {
  ExtensionStatusReport,
  ReportedDisclosure,
  ReportedExtension,
  ReportedLoadError,
  ReportedSource,
  ReportedToolConflicts,
  ReportedWasm,
} from "./extension-status-report.ts";
import { utcTime } from "./utc-time.ts";

/** `- **<label>:** <value>` */
export function item(label: string, value: string | number | boolean): string {
  return `- **${label}:** ${oneLine(String(value))}`;
}

/** A heading with what stands under it; nothing without that. */
export function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [[heading, ...lines].join("\n")];
}

/** The extensions that are loaded. */
export function extensionLines(extensions: readonly ReportedExtension[], includeDetails: boolean): string[] {
  return extensions.flatMap(({ name, version, module, sourcePath, capabilities, configSchema }) => {
    const words = capabilities.length === 0 ? "" : ` (${capabilities.join(", ")})`;
    const entry = oneLine(`- **${name}** v${version}${words}`);
    if (!includeDetails) return [entry];
    return [
      entry,
      ...(sourcePath === null ? [] : [`  - Source: ${oneLine(sourcePath)}`]),
      `  - Module: ${oneLine(module)}`,
      ...(Object.keys(configSchema).length === 0 ? [] : ["  - Config schema: yes"]),
    ];
  });
}

/** The files that could not be loaded. */
export function loadErrorLines(errors: readonly ReportedLoadError[]): string[] {
  return errors.flatMap(({ sourcePath, errorMessage }) => [
    `- \`${oneLine(sourcePath)}\``,
    `  - ${oneLine(errorMessage)}`,
  ]);
}

/** The extensions that are not what they must be. */
export function validationErrorLines(errors: ExtensionStatusReport["validationErrors"]): string[] {
  return errors.flatMap((invalid) => [
    `- \`${oneLine(invalid.sourcePath ?? invalid.module)}\``,
    ...invalid.errors.map((error) => `  - ${oneLine(error)}`),
  ]);
}

/** The files that gave way to others. */
export function overriddenLines(overridden: ExtensionStatusReport["overridden"]): string[] {
  return overridden.map(
    ({ module, sourcePath, keptSourcePath }) =>
      `- **${oneLine(module)}**: ${place(sourcePath)} (kept: ${place(keptSourcePath)})`,
  );
}

/** The extensions that do nothing until a reload. */
export function quarantinedLines(quarantined: ExtensionStatusReport["quarantined"]): string[] {
  return quarantined.map(
    ({ module, reason, since, restarts }) =>
      `- **${oneLine(module)}**: ${oneLine(reason)} (since ${utcTime(since)}, restarts: ${restarts})`,
  );
}

/** The counts of tools; of none when nobody counted. */
export function toolLines(tools: ReportedToolConflicts | null): string[] {
  if (tools === null) return [];
  return [
    item("Total tools", tools.totalTools),
    item("Built-in", tools.builtinCount),
    item("From WASM", tools.wasmCount),
    item("From extensions", tools.extensionCount),
    ...(tools.mcpCount === 0 ? [] : [item("From MCP", tools.mcpCount)]),
    item("Shadowed", tools.shadowedCount),
    ...conflictLines(tools),
  ];
}

/** How the WASM plugins are. */
export function wasmLines(wasm: ReportedWasm | null): string[] {
  if (wasm === null) return [];
  return [
    item("Enabled", wasm.enabled),
    item("Running", wasm.running),
    item("Discovered tools", wasm.toolCount),
    ...(wasm.runtimePath === null ? [] : [item("Runtime path", wasm.runtimePath)]),
    ...(wasm.discoverWarnings.length === 0 ? [] : [item("Warnings", wasm.discoverWarnings.join(" | "))]),
    ...(wasm.discoverErrors.length === 0 ? [] : [item("Errors", wasm.discoverErrors.join(" | "))]),
  ];
}

/** Which tools the model is shown. */
export function disclosureLines(disclosure: ReportedDisclosure | null, includeDetails: boolean): string[] {
  if (disclosure === null) return [];
  const { active, catalogTier, shadowedByBridge } = disclosure;
  const counts = [
    item("Disclosed", disclosure.disclosedCount),
    item("Hidden", disclosure.hiddenCount),
    item("Catalog tier", catalogTier),
  ];
  const names = [
    item("Disclosed tools", listed(disclosure.disclosedNames)),
    item("Hidden tools", listed(disclosure.hiddenNames)),
  ];
  return [
    item("Active", `${active} (${catalogTier})`),
    item("Estimated schema tokens", `${disclosure.estimatedTokens} (budget ${disclosure.budgetTokens})`),
    ...(active ? counts : []),
    ...(active && includeDetails ? names : []),
    ...(shadowedByBridge.length === 0 ? [] : [item("Dropped for a bridge tool", listed(shadowedByBridge))]),
  ];
}

function conflictLines({ conflicts }: ReportedToolConflicts): string[] {
  if (conflicts.length === 0) return [];
  const lines = conflicts.map(
    ({ toolName, winner, shadowed }) =>
      `- **${oneLine(toolName)}**: ${sourceName(winner)} (shadowed: ${shadowed.map(sourceName).join(", ")})`,
  );
  return ["", "### Conflicts", ...lines];
}

function sourceName(source: ReportedSource): string {
  return source === "builtin" ? "built-in" : oneLine(`${source.kind}:${source.id}`);
}

function place(sourcePath: string | null): string {
  return sourcePath === null ? "an object of the program" : `\`${oneLine(sourcePath)}\``;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}

/** An author's text can't begin a heading or an entry of its own. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, " ");
}
