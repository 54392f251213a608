/**
 * The page of the inspector over a long session, in Chromium: until it can be used, and how many frames a second it draws
 * while a mouse scrubs, against what the same browser draws where nothing moves. Without a Chromium there is nothing to measure.
 */
import { spawnSync } from "node:child_process";
import { Inspector } from "../../dist/inspector/index.js";
import { openEventLog } from "../../dist/log/index.js";
import { systemClock } from "../../dist/runtime/index.js";
import { bigSession, sessionId } from "../lib/big-session.mjs";
import { figure, median, valueAtLeast, valueAtMost } from "../lib/compare.mjs";

const SCRUB_MS = 4000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const fork = () => Promise.reject(new Error("nothing is forked here"));

export async function measure() {
  const executablePath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
  if (executablePath === "") {
    console.error("inspector-page: no Chromium is on the path");
    return [];
  }
  const { chromium } = await import("playwright-core");
  const log = await openEventLog(await bigSession(), { readOnly: true });
  const inspector = await Inspector.listen({ log, clock: systemClock, logger: silent, fork });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const still = await context.newPage();
    const floor = await still.evaluate(framesWhile, { ms: 1500, scrubs: false });
    await still.close();
    const opened = [];
    for (let round = 0; round < 3; round += 1) opened.push(await open(context, inspector.url));
    const { page } = opened[0];
    const facts = Number(await page.getByRole("slider").getAttribute("aria-valuemax"));
    const scrubbed = await scrub(page);
    const note = `${facts.toLocaleString("en")} facts`;
    return [
      figure({
        name: "page: usable at first, the session read with it",
        unit: "ms",
        value: opened[0].tookMs,
        goal: valueAtMost(2000),
        note,
      }),
      figure({
        name: "page: usable when opened again",
        unit: "ms",
        value: median(opened.slice(1).map(({ tookMs }) => tookMs)),
        goal: valueAtMost(2000),
        note,
      }),
      figure({
        name: "page: frames while scrubbing",
        unit: "1/s",
        value: scrubbed.frames,
        floor: floor.frames,
        ratio: scrubbed.frames / floor.frames,
        goal: valueAtLeast(30),
        note: `longest frame ${Math.round(scrubbed.longestMs)} ms; ${scrubbed.answers} states shown on the way`,
      }),
    ];
  } finally {
    await browser.close();
    await inspector.close();
    await log.close();
  }
}

/** Until the last fact is selected, its row is in the list, and the conversation is there. */
async function open(context, url) {
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(`${url}&session=${sessionId}`);
  await page.locator(".fact-row[aria-selected=true] .fact-type").waitFor();
  await page.locator(".message.newest").waitFor();
  return { page, tookMs: performance.now() - began };
}

async function scrub(page) {
  await page.bringToFront();
  const { x, y, width } = await page.getByRole("slider").boundingBox();
  let answers = 0;
  page.on("response", (response) => (answers += /\/messages/.test(response.url()) ? 1 : 0));
  await page.mouse.move(x + width / 2, y + 60);
  await page.mouse.down();
  const drawn = await page.evaluate(framesWhile, { ms: SCRUB_MS, scrubs: true });
  await page.mouse.up();
  return { ...drawn, answers };
}

/** Runs in the page: moves the pointer with each frame when it is to scrub, and counts the frames. */
function framesWhile({ ms, scrubs }) {
  const slider = document.querySelector("[role=slider]");
  const box = slider?.getBoundingClientRect();
  return new Promise((resolve) => {
    const began = performance.now();
    let [frames, before, longestMs] = [0, began, 0];
    const step = () => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - before);
      before = now;
      frames += 1;
      if (scrubs) {
        // To and fro over the whole session, once in two seconds.
        const place = Math.abs((((now - began) / 1000) % 2) - 1);
        const clientX = box.left + place * (box.width - 1);
        slider.dispatchEvent(
          new PointerEvent("pointermove", { bubbles: true, pointerId: 1, clientX, clientY: box.top + 60 }),
        );
      }
      if (now - began < ms) requestAnimationFrame(step);
      else resolve({ frames: (frames * 1000) / (now - began), longestMs });
    };
    requestAnimationFrame(step);
  });
}
