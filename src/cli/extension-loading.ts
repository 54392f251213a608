/** Loads extensions without a session, for the commands that look at them. No log and no home is needed or made. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { LoadedExtensions, Runtime } from "../runtime/index.ts";
import { createRuntime } from "../runtime/index.ts";
import { UsageError } from "./errors.ts";
import type { ExtensionFlags } from "./flags.ts";
import type { Context } from "./globals.ts";
import { loggerOf } from "./logger.ts";

/** Loads what a session in the working directory would load, shows it, and ends it again. */
export async function withExtensions<Result>(
  context: Context,
  { extension = [] }: ExtensionFlags,
  use: (loaded: LoadedExtensions, runtime: Runtime) => Result | Promise<Result>,
): Promise<Result> {
  const { home, cwd, env, out } = context;
  await assertExtensions(extension);
  const runtime = await createRuntime({
    home,
    cwd,
    env,
    log: ":memory:",
    logger: loggerOf(out),
    onExtensionOutput: (module, line) => out.note(`[${module}] ${line}`),
  });
  try {
    return await use(await runtime.extensions.load(null, { extensions: extension }), runtime);
  } finally {
    context.leftBehind(await runtime.close());
  }
}

/** What a flag names has to be there. @throws UsageError */
export async function assertExtensions(named: readonly string[] = []): Promise<void> {
  for (const place of named) {
    const absolute = path.resolve(place);
    const isThere = await stat(absolute).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    throw new UsageError(`--extension: ${absolute} is not there: expected a file or a folder`, {
      field: "extension",
      expected: "a file or a folder",
    });
  }
}
