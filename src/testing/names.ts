/** Settings stand under an extension's name, and only the extension itself can tell it. */
import path from "node:path";
import {
  bundleExtension,
  createHostWorld,
  discover,
  inProcessHost,
  workerHost,
} from "../extensions/index.ts";
import { silentLogger } from "../ports.ts";
import { startDynamicSupervisor, systemClock as clock } from "../supervision/index.ts";

/** The name of an object; none when it has none that can be used. */
export async function namesOfObject(definition: unknown): Promise<readonly string[]> {
  const host = await inProcessHost(definition, { index: 0, clock, logger: silentLogger });
  await host.end();
  const { name } = host.description;
  return name === null ? [] : [name];
}

/** The names of the extensions in a file or a folder, as far as they can be loaded. */
export async function namesIn(
  place: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const cacheDir = path.join(home, "cache", "extensions");
  const supervisor = await startDynamicSupervisor({}, { name: "names", clock });
  const ignore = (): void => undefined;
  const events = { restarted: ignore, quarantined: ignore, output: ignore };
  const world = createHostWorld({ clock, logger: silentLogger, env, cacheDir, supervisor, events });
  const nameOf = async (file: string): Promise<string | null> => {
    try {
      const bundle = await bundleExtension(file, { cacheDir });
      const host = await workerHost(world, bundle, { module: "name", generation: 0 });
      return host.description.name;
    } catch {
      return null; // the session loads the same file, and its report says what is wrong with it
    }
  };
  try {
    const { files } = await discover([{ path: place, origin: "configured", exists: true }]);
    const names = await Promise.all(files.map(({ sourcePath }) => nameOf(sourcePath)));
    return names.filter((name) => name !== null);
  } finally {
    await world.close();
    await supervisor.shutdown();
  }
}
