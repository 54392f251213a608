/** `lemon extension config NAME` */
import { loadConfig } from "../../config/index.ts";
import { NotFoundError } from "../../errors.ts";
import { redactSettings, settingsOf } from "../../extensions/index.ts";
import type { LoadedExtensions } from "../../runtime/index.ts";
import { statuses, type Status } from "../errors.ts";
import { withExtensions } from "../extension-loading.ts";
import type { ExtensionFlags } from "../flags.ts";
import type { Context } from "../globals.ts";
import { columns, oneLine } from "../printable.ts";

type Table = Readonly<Record<string, unknown>>;

/** Shows what an extension can be told and what it is told here, secrets hidden. The extensions of this folder are loaded for it. */
export function extensionConfig(context: Context, name: string, flags: ExtensionFlags): Promise<Status> {
  return withExtensions(context, flags, async (loaded) => {
    const { out, env, home, cwd } = context;
    const { config } = await loadConfig({ home, cwd, env });
    const { version, module, sourcePath, configSchema } = named(context, name, loaded);
    const { settings, errors } = await settingsOf(name, configSchema, config.extensions.settings[name], env);
    const shown = await redactSettings(settings, configSchema);
    if (out.json) {
      out.document({ name, version, module, sourcePath, configSchema, settings: shown, errors });
    } else {
      out.line([name, version, module, ...(sourcePath === null ? [] : [sourcePath])].join("  "));
      for (const line of columns(rowsOf(configSchema, shown))) out.line(`  ${line}`);
      for (const error of errors) out.fault(`  - ${error}`);
    }
    return statuses.done;
  });
}

/** The first extension of that name. @throws NotFoundError */
function named(
  { out }: Context,
  name: string,
  { extensions, loadErrors, validationErrors }: LoadedExtensions,
): LoadedExtensions["extensions"][number] {
  const found = extensions.filter((each) => each.name === name);
  const [first] = found;
  if (first === undefined) {
    // One of these may be the one that was meant: settings that don't fit are among them.
    for (const { sourcePath, errorMessage } of loadErrors) out.fault(`${sourcePath}: ${errorMessage}`);
    for (const { sourcePath, module, errors } of validationErrors)
      for (const error of errors) out.fault(`${sourcePath ?? module}: ${error}`);
    throw new NotFoundError(`no extension called ${JSON.stringify(name)} could be loaded`, { field: "name" });
  }
  if (found.length > 1)
    out.warn(`${found.length} extensions are called ${name}; this is the first: ${first.module}`);
  return first;
}

/** A line for each setting that the schema or the user names: its name, what the schema says, its value. */
function rowsOf(schema: Table, settings: Table): string[][] {
  const { properties, required } = schema;
  const described = isTable(properties) ? properties : {};
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return [...new Set([...Object.keys(described), ...Object.keys(settings)])].map((key) => {
    const about: Table = isTable(described[key]) ? described[key] : {};
    const words = [
      typeof about["type"] === "string" ? about["type"] : "any",
      ...(needed.includes(key) ? ["required"] : []),
      ...(about["secret"] === true ? ["secret"] : []),
      ...("default" in about && about["secret"] !== true
        ? [`default ${JSON.stringify(about["default"])}`]
        : []),
    ];
    const value = Object.hasOwn(settings, key) ? JSON.stringify(settings[key]) : "not set";
    return [key, oneLine(words.join(", "), 60), oneLine(value, 100)];
  });
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
