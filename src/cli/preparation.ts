/**
 * What a session is to be led with, checked before anything is made: a model that nobody knows, a script with a
 * mistake or a wrong configuration leaves neither a home nor a log behind.
 */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { loadConfig, type LoadedConfig } from "../config/index.ts";
import { searchRoots } from "../extensions/index.ts";
import { LemonError, messageOf } from "../errors.ts";
import { parseScript, resolveModel } from "../providers/index.ts";
import { assertExtensions } from "./extension-loading.ts";
import { NoModelError, type SessionOptions } from "../runtime/index.ts";
import { UsageError } from "./errors.ts";
import type { Context } from "./globals.ts";
import type { LeadFlags } from "./flags.ts";
import { askTrust } from "./trust-question.ts";

/**
 * Reads what the flags name and checks it.
 *
 * @param cwd - where the session works
 * @param isNew - a new session needs a model; one that exists has its own
 * @throws UsageError, NoModelError, InvalidScriptError, UnknownModelError, InvalidConfigError
 */
export async function prepare(
  context: Context,
  flags: LeadFlags,
  { cwd, isNew }: { readonly cwd: string; readonly isNew: boolean },
): Promise<SessionOptions> {
  if (isNew) await assertFolder(cwd);
  await assertExtensions(flags.extension);
  const reading = { home: context.home, cwd, env: context.env };
  const found = await loadConfig(reading);
  const loaded = (await askTrust(context, cwd, found)) ? await loadConfig(reading) : found;
  const { config } = loaded;
  const script = flags.script === undefined ? undefined : await readScript(flags.script);
  const model = flags.model ?? (isNew && script === undefined ? config.runtime.model : null);
  if (isNew && model === null && script === undefined) throw new NoModelError();
  const isOfExtension = await mayBeOfExtension(context, cwd, loaded, flags);
  if (model !== null && !isOfExtension) resolveModel(model, { configured: config.models, env: context.env });
  return {
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.approve === undefined ? {} : { approval: flags.approve }),
    ...(script === undefined ? {} : { script }),
    ...(flags.extension === undefined
      ? {}
      : { extensions: flags.extension.map((file) => path.resolve(file)) }),
  };
}

/** A model that nobody knows yet may be one that an extension brings: the session will know once they are loaded. */
async function mayBeOfExtension(
  { home }: Context,
  cwd: string,
  loaded: LoadedConfig,
  { extension = [] }: LeadFlags,
): Promise<boolean> {
  return (await searchRoots({ ...loaded, home, cwd, optionPaths: extension })).length > 0;
}

async function assertFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => null);
  if (found?.isDirectory() === true) return;
  throw new UsageError(
    `--cwd: ${cwd} is ${found === null ? "not there" : "not a folder"}: expected a folder`,
    {
      field: "cwd",
      expected: "a folder",
    },
  );
}

async function readScript(file: string): Promise<{ readonly path: string; readonly text: string }> {
  const absolute = path.resolve(file);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(absolute));
  } catch (error) {
    throw new UsageError(`--script: ${absolute} can't be read: ${messageOf(error)}`, { field: "script" });
  }
  parseScript(parseJson(text, absolute), absolute);
  return { path: absolute, text };
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LemonError("invalid_script", `${file}: expected JSON: ${messageOf(error)}`, { cause: error });
  }
}
