/** Settings stand under an extension's name, and only the extension itself can tell it. */
import path from "node:path";
import { bundleExtension, createHostWorld, inProcessHost, workerHost } from "../extensions/index.ts";
import { silentLogger } from "../ports.ts";
import { startDynamicSupervisor, systemClock as clock } from "../supervision/index.ts";

/** The name of an object; `null` when it has none that can be used. */
export async function nameOfObject(definition: unknown): Promise<string | null> {
  const host = await inProcessHost(definition, { index: 0, clock, logger: silentLogger });
  await host.end();
  return host.description.name;
}

/** The name of a file's extension; `null` when it has none or can't be loaded, which loading it will tell. */
export async function nameOfFile(
  file: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const cacheDir = path.join(home, "cache", "extensions");
  const supervisor = await startDynamicSupervisor({}, { name: "names", clock });
  const ignore = (): void => undefined;
  const events = { restarted: ignore, quarantined: ignore, output: ignore };
  const world = createHostWorld({ clock, logger: silentLogger, env, cacheDir, supervisor, events });
  try {
    const bundle = await bundleExtension(file, { cacheDir });
    const host = await workerHost(world, bundle, { module: "name", generation: 0 });
    return host.description.name;
  } catch {
    return null; // the session loads the same file, and its report says what is wrong
  } finally {
    await world.close();
    await supervisor.shutdown();
  }
}
