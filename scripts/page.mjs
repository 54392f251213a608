/**
 * Builds the page of `lemon inspect` with Vite into FOLDER/inspector/page. What was built before from the same sources, by
 * the same packages, is taken from the cache: a build of the house then costs nothing for it.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const source = path.join(root, "src/inspector/page");
const cache = path.join(root, "node_modules/.cache/lemon-page");
/** Their code is in the page. */
const bundled = ["preact", "uplot", "@tanstack/virtual-core"];
const packages = ["vite", ...bundled];

/** @param folder what becomes dist */
export async function buildPage(folder) {
  const built = path.join(cache, keyOfSources());
  if (!existsSync(built)) await buildInto(built);
  cpSync(built, path.join(folder, "inspector/page"), { recursive: true });
}

async function buildInto(place) {
  // Loaded here, since it takes longer than all the rest when the page is in the cache.
  const { build } = await import("vite");
  const fresh = path.join(cache, `new-${process.pid}`);
  await build({
    configFile: false,
    root: source,
    base: "./",
    logLevel: "warn",
    // One rule for all: scripts, styles and pictures come from files of their own, so that the policy for content can say so.
    build: {
      outDir: fresh,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: "es2023",
      cssTarget: "chrome123",
    },
  });
  writeFileSync(path.join(fresh, "third-party-notices.txt"), noticesOf(bundled));
  rmSync(place, { recursive: true, force: true });
  forgetOlder();
  try {
    renameSync(fresh, place);
  } catch (error) {
    // Another build made the same at this moment.
    if (!existsSync(place)) throw error;
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The licences of what is bundled, which have to go where the code goes. */
function noticesOf(names) {
  return names
    .map((name) => {
      const license = readFileSync(path.join(root, "node_modules", name, "LICENSE"), "utf8");
      return `${name}\n\n${license.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** A cache of one: what was built from older sources is not wanted again. */
function forgetOlder() {
  for (const name of readdirSync(cache))
    if (!name.startsWith("new-")) rmSync(path.join(cache, name), { recursive: true, force: true });
}

/** SHA-256 over the sources, this file, and the versions of the packages that go in. */
function keyOfSources() {
  mkdirSync(cache, { recursive: true });
  const hash = createHash("sha256");
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  for (const file of [...files, fileURLToPath(import.meta.url)])
    hash.update(`${path.relative(root, file)}\n`).update(readFileSync(file));
  for (const name of packages)
    hash.update(
      `${name} ${JSON.parse(readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8")).version}\n`,
    );
  return hash.digest("hex");
}
