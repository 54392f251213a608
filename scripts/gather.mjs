/**
 * Puts the modules between the command and a log together into a few. Node needs about a millisecond for each that it
 * loads, and `lemon sessions` would load fifty. These rooms are entered by their doors alone (`npm run layers`), so
 * nothing is there twice; what is imported lazily stays apart. Rooms that decide stay a file for each machine.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const ROOMS = /^(cli|events|log|projections|replay)[\\/]/;
const DOORS = [
  "cli/demo",
  "cli/main",
  "events/index",
  "events/public",
  "log/index",
  "projections/index",
  "replay/index",
];
/** What goes together: every command, every fact, every reader of a log. */
const PARTS = [
  { name: "command", test: /\bcli[\\/](errors|globals|interrupts|output|printable)\.js$/ },
  { name: "events", test: /\bevents[\\/](catalogue|index|json|upcast|usage)\.js$/ },
  { name: "log", test: /\b(log[\\/].*|replay[\\/](index|session-list|errors)|cli[\\/]reading)\.js$/ },
];

/** Gathers those rooms of a compiled tree, in place. Declarations stay where they are. */
export async function gatherRooms(folder) {
  const inRooms = (id) => ROOMS.test(path.relative(folder, id));
  const bundle = await rolldown({
    input: Object.fromEntries(DOORS.map((door) => [door, path.join(folder, `${door}.js`)])),
    platform: "node",
    external: (id, _importer, isResolved) => isResolved && !inRooms(id),
    plugins: [{ name: "maps-to-typescript", load: withMap }],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    chunkFileNames: "parts/[name].js",
    codeSplitting: { groups: PARTS },
  });
  await bundle.close();
  const written = new Set(output.map(({ fileName }) => path.join(folder, fileName)));
  for (const id of output.flatMap(({ moduleIds = [] }) => moduleIds)) {
    if (!inRooms(id) || written.has(id)) continue;
    for (const file of [id, `${id}.map`]) rmSync(file, { force: true });
  }
}

/**
 * Puts the first file of an extension's worker together with all that it needs: each worker loads it anew. What bundled
 * extensions import by its own address has to stay one module.
 */
export async function gatherWorker(folder) {
  const dir = path.join(folder, "extensions/worker");
  if (!existsSync(dir)) return;
  const stays = path.join(dir, "meta.js");
  const bundle = await rolldown({
    input: { bootstrap: path.join(dir, "bootstrap.js") },
    platform: "node",
    external: (id, _importer, isResolved) =>
      isResolved && (id === stays || path.relative(folder, id).startsWith("..")),
    plugins: [{ name: "maps-to-typescript", load: withMap }],
  });
  await bundle.write({ dir, format: "esm", sourcemap: true, chunkFileNames: "parts/[name].js" });
  await bundle.close();
}

/** A compiled module with the compiler's own map, so that the new maps lead to src. */
function withMap(id) {
  const map = `${id}.map`;
  return existsSync(map) ? { code: readFileSync(id, "utf8"), map: readFileSync(map, "utf8") } : null;
}
