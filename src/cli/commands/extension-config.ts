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
export async function extensionConfig(
  context: Context,
  name: string,
  flags: ExtensionFlags,
): Promise<Status> {
  const { out, home, cwd, env } = context;
  const { config } = await loadConfig({ home, cwd, env });
  const found = await withExtensions(context, flags, (loaded) => pick(context, name, loaded));

  const { configSchema } = found;
  const { settings, errors } = await settingsOf(name, configSchema, config.extensions.settings[name], env);
  const shown = await redactSettings(settings, configSchema);
  if (out.json) out.document({ ...found, settings: shown, errors });
  else {
    const { version, module, sourcePath } = found;
    out.line([name, version, module, ...(sourcePath === null ? [] : [sourcePath])].join("  "));
    for (const line of columns(rowsOf(configSchema, shown))) out.line(`  ${line}`);
    for (const error of errors) out.fault(`  - ${error}`);
  }
  return statuses.done;
}

/** What an extension says of itself. */
interface Found {
  readonly name: string;
  readonly version: string;
  readonly module: string;
  readonly sourcePath: string | null;
  readonly configSchema: Table;
}

/** The first of that name. Loading has ended by the time it is thrown that there is none. */
function pick({ out }: Context, name: string, loaded: LoadedExtensions): Found {
  const named = loaded.extensions.filter((each) => each.name === name);
  const [first] = named;
  if (first === undefined) {
    // One of these may be the one that was meant: settings that don't fit are among them.
    for (const { sourcePath, errorMessage } of loaded.loadErrors) out.fault(`${sourcePath}: ${errorMessage}`);
    for (const { sourcePath, module, errors } of loaded.validationErrors)
      for (const error of errors) out.fault(`${sourcePath ?? module}: ${error}`);
    throw new NotFoundError(`no extension called ${JSON.stringify(name)} could be loaded`, { field: "name" });
  }
  if (named.length > 1)
    out.warn(`${named.length} extensions are called ${name}; this is the first: ${first.module}`);
  const { version, module, sourcePath, configSchema } = first;
  return { name, version, module, sourcePath, configSchema };
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
