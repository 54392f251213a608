/** Debian's Chromium, driven by playwright-core: one for a file of tests. */
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The browser on the path. @returns null where there is none */
function chromiumOnPath(): string | null {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const places = folders.flatMap((folder) =>
    ["chromium", "chromium-browser", "google-chrome"].map((name) => path.join(folder, name)),
  );
  return places.find(isExecutable) ?? null;
}

/** Whether tests of the page are to run: a machine without a browser skips them and says so, unless they are required. */
export function hasBrowser(): boolean {
  if (chromiumOnPath() !== null) return true;
  if (process.env["LEMON_BROWSER"] === "required")
    throw new Error("LEMON_BROWSER is required and no Chromium is on the path.");
  process.stderr.write("SKIPPED: no Chromium is on the path, so the page of lemon inspect is not tested.\n");
  return false;
}

/** Starts it. Chromium's own sandbox wants a user other than root. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumOnPath() ?? "", args: ["--no-sandbox"] });
}

/** Keeps a picture for the documentation, in the folder that LEMON_PICTURES names. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["LEMON_PICTURES"];
  if (folder === undefined) return;
  await page.mouse.move(0, 0);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.screenshot({
    path: path.join(folder, `${name}.png`),
    animations: "disabled",
    // The upper part says it; a file stays below 150 KB.
    clip: { x: 0, y: 0, width, height: width > 1000 ? 620 : height },
  });
}

/** What axe finds serious or critical, one line each. */
export async function faultsOf(page: Page): Promise<string[]> {
  // The page's policy for content refuses scripts from elsewhere; what playwright evaluates is not asked.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource());
  const found = await page.evaluate<AxeResult>("axe.run({ resultTypes: ['violations'] })");
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[] }[];
  }[];
}

async function axeSource(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(axe, "utf8");
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
