/** The page of `lemon inspect` in a real browser, served by the built command over sessions of a scripted model. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inspectedPlace, makeInspectedSessions, SESSION } from "../support/inspected-sessions.ts";
import { faultsOf, hasBrowser, picture, startBrowser } from "./support/browser.ts";
import { Place, start, type Running } from "./support/command.ts";
import { isStored, tamperedCopy } from "./support/log-by-hand.ts";

const PANELS = [
  "Conversation",
  "Calls",
  "Files",
  "Work",
  "State",
  "Supervision",
  "Usage",
  "Verify",
  "Compare",
] as const;

describe.skipIf(!hasBrowser())("the page", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let home: string;
  let url: string;
  let server: Running;
  const problems: string[] = [];

  const serve = async (args: readonly string[]): Promise<{ url: string; server: Running }> => {
    const running = start(["inspect", "--json", ...args]);
    await running.printed("\n");
    return { url: (JSON.parse(running.stdout()) as { url: string }).url, server: running };
  };

  beforeAll(async () => {
    folder = (await Place.make()).folder;
    const place = inspectedPlace(folder);
    ({ home } = place);
    const [, launched] = await Promise.all([makeInspectedSessions(place), startBrowser()]);
    browser = launched;
    ({ url, server } = await serve([SESSION, "--home", home, "--prices", place.prices]));
    page = await opened(url);
  });

  afterAll(async () => {
    await browser?.close();
    server?.process.kill("SIGINT");
    await server?.ended;
  });

  async function opened(address: string, width = 1280): Promise<Page> {
    const fresh = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: "light" });
    fresh.setDefaultTimeout(10_000);
    fresh.on("pageerror", (error) => problems.push(error.message));
    await fresh.goto(address);
    return fresh;
  }

  const slider = (on: Page = page) => on.getByRole("slider", { name: "Selected fact" });
  const at = async (on: Page = page): Promise<number> =>
    Number(await slider(on).getAttribute("aria-valuenow"));
  const last = async (on: Page = page): Promise<number> =>
    Number(await slider(on).getAttribute("aria-valuemax"));
  const isAt = (version: number, on: Page = page): Promise<unknown> =>
    vi.waitFor(async () => expect(await at(on)).toBe(version), { timeout: 10_000 });
  const open = async (panel: string, on: Page = page): Promise<void> => {
    await on.getByRole("tab", { name: panel, exact: true }).click();
    await vi.waitFor(async () => expect(await on.locator("#panel-body [aria-busy=true]").count()).toBe(0));
  };

  test("shows the session that was named, with the token out of the address", async () => {
    await page.locator(".facts-scroll [role=option]").first().waitFor();
    expect(page.url()).not.toContain("token");
    expect(await last()).toBeGreaterThan(50);
    expect(await at()).toBe(await last());
    await page.getByText("Two tests, both pass.").first().waitFor();
    await picture(page, "conversation");
  });

  test("each panel shows its part, and axe finds nothing serious in it, light or dark", async () => {
    const words: Readonly<Record<(typeof PANELS)[number], string>> = {
      Conversation: "Two tests, both pass.",
      Calls: "git push --force",
      Files: "CHANGES.md",
      Work: "4 of 4 done",
      State: "demo/coder",
      Supervision: "sessions",
      Usage: "demo/coder",
      Verify: "Feeds the inputs",
      Compare: "Keep one side first",
    };
    const faults: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const panel of PANELS) {
        await open(panel);
        await page.locator("#panel-body").getByText(words[panel]).first().waitFor();
        faults.push(...(await faultsOf(page)).map((fault) => `${panel}, ${colorScheme}: ${fault}`));
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    expect(faults).toEqual([]);
  });

  test("keys scrub, and what is shown is the past", async () => {
    await open("Conversation");
    await slider().focus();
    await page.keyboard.press("Home");
    await isAt(1);
    await page.getByText("Nothing has been said yet").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await isAt(3);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    await isAt(1);
    await page.keyboard.press("PageDown");
    await isAt(11);
    await page.keyboard.press("PageUp");
    await isAt(1);
    await page.keyboard.press("End");
    await isAt(await last());
    await page.getByText("Two tests, both pass.").first().waitFor();
  });

  test("the mouse scrubs, by press and by drag", async () => {
    const box = await slider().boundingBox();
    if (box === null) throw new Error("The timeline is not drawn.");
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width / 4, middle);
    await page.mouse.down();
    const pressed = await vi.waitFor(async () => {
      const version = await at();
      expect(version).toBeLessThan((await last()) / 2);
      return version;
    });
    await page.mouse.move(box.x + box.width / 2, middle, { steps: 5 });
    await page.mouse.up();
    await vi.waitFor(async () => expect(await at()).toBeGreaterThan(pressed));
    await page.locator(".facts-scroll [role=option][aria-selected=true]").waitFor();
  });

  test("/ filters the facts, ? tells the keys", async () => {
    await slider().focus();
    await page.keyboard.press("/");
    await page.keyboard.type("tool:grep");
    await page.getByText(/^\d+ of [\d,]+$/).waitFor();
    await page.locator(".facts-scroll [role=option]").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#filter").fill("");
    await slider().focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys and marks" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("a fact shows its data and its decision tree, and a row of the tree leads to that fact", async () => {
    await page.locator("#filter").fill("type:hook");
    await page.getByText(/^\d+ of [\d,]+$/).waitFor();
    await page.locator(".facts-scroll [role=option]").first().click();
    const fact = page.getByRole("region", { name: "Selected fact" });
    await fact.getByRole("heading", { name: /^hook/ }).waitFor();
    const tree = fact.getByRole("list", { name: "Decision tree" });
    const first = tree.getByRole("button").first();
    const version = Number(await first.locator(".fact-version").textContent());
    await first.click();
    await isAt(version);
    await page.locator("#filter").fill("");
  });

  test("calls tell the verdicts of hooks, files differ between two facts", async () => {
    await slider().focus();
    await page.keyboard.press("End");
    await isAt(await last());
    await open("Calls");
    await page.getByRole("button", { name: /git push --force/ }).click();
    await page.getByText("Pushing with force is not for agents.").first().waitFor();
    await page.getByText("git-guard").first().waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await picture(page, "calls-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await open("Files");
    await page.getByRole("button", { name: /price\.ts/ }).click();
    await page.getByText("Number.isFinite(value)").first().waitFor();
    await picture(page, "files");
  });

  test("two versions are compared side by side", async () => {
    await open("Compare");
    await page.getByLabel(/^Side A/).fill(`${SESSION}@10`);
    await page.keyboard.press("Enter");
    const todos = page.getByRole("region", { name: "todos" });
    await todos.waitFor();
    await page.getByRole("region", { name: "Conversations" }).waitFor();
    await picture(page, "compare");
    expect(await faultsOf(page)).toEqual([]);
  });

  test("a log that is as it was written replays, a changed decision is found at its fact", async () => {
    await open("Verify");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("no divergence").waitFor();
    const { copy, version } = await tamperedCopy(home, folder);
    const other = await serve([SESSION, "--log", copy, "--home", home]);
    const tampered = await opened(`${other.url}&panel=verify`);
    await open("Verify", tampered);
    await tampered.getByRole("button", { name: "Replay" }).click();
    const found = tampered.getByRole("article", { name: `Divergence at fact ${version}` });
    await found.waitFor();
    const cells = found.getByRole("row", { name: /callId/ }).getByRole("cell");
    expect((await cells.allTextContents()).map((text) => text.includes("call_of_another"))).toEqual([
      false,
      true,
    ]);
    await picture(tampered, "divergence");
    expect(await faultsOf(tampered)).toEqual([]);
    await found.getByRole("button", { name: `fact ${version}` }).click();
    await isAt(version, tampered);
    // The server ends: the page says so and keeps what it knows.
    other.server.process.kill("SIGINT");
    await other.server.ended;
    await tampered.getByText("The server is gone").waitFor();
    await tampered.close();
  });

  test("a session that another process runs is followed", async () => {
    const script = path.join(folder, "live.json");
    const turns = [
      { toolCalls: [{ name: "bash", args: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] },
      { text: "went on" },
    ];
    await writeFile(script, JSON.stringify({ turns }));
    const cwd = path.join(folder, "shop");
    const run = start(
      ["run", "wait for it", "--session", "live", "--approve", "auto", "--script", script, "--home", home],
      { cwd },
    );
    await vi.waitFor(() => expect(isStored(home, "live")).toBe(true), { timeout: 20_000 });
    const live = await opened(`${url}&session=live`);
    await live.getByText("wait for it").first().waitFor();
    const follow = live.getByRole("button", { name: /^Follow/ });
    if ((await follow.getAttribute("aria-pressed")) !== "true") await follow.click();
    await writeFile(path.join(cwd, "go"), "");
    await live.getByText("went on").first().waitFor();
    await run.ended;
    await vi.waitFor(async () => expect(await at(live)).toBe(await last(live)));
    await live.close();
  });

  test("a session is forked from the fact that is looked at", async () => {
    await page.locator(".session-button").waitFor();
    await slider().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("f");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Fork", exact: true }).click();
    await dialog.getByRole("heading", { name: "Forked" }).waitFor();
    await dialog.getByRole("button", { name: "Look at it" }).click();
    await page.getByText(`of ${SESSION} at`).first().waitFor();
    await open("Conversation");
    await page.getByText("Two tests, both pass.").first().waitFor();
  });

  test("on a narrow screen every panel fits, with the facts and the fact among them", async () => {
    const narrow = await opened(url, 390);
    const faults: string[] = [];
    for (const panel of ["Facts", "Fact", ...PANELS]) {
      await open(panel, narrow);
      const over = await narrow.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      expect([panel, Math.max(0, over)]).toEqual([panel, 0]);
      faults.push(...(await faultsOf(narrow)).map((fault) => `${panel}: ${fault}`));
    }
    expect(faults).toEqual([]);
    await open("Conversation", narrow);
    await picture(narrow, "narrow");
    await narrow.close();
  });

  test("a wrong token is told", async () => {
    const wrong = await opened(url.replace(/token=.*/, "token=wrong"));
    await wrong.getByText("The server does not know this token").first().waitFor();
    await wrong.close();
    expect(problems).toEqual([]);
  });
});
