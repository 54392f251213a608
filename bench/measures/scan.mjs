/**
 * What a scan of a workspace costs: 20,000 files of 500 bytes to 7 KB in 400 folders, as a large repository has them.
 * The first scan reads them all, against reading and hashing them and nothing else. The second finds nothing changed,
 * against listing the folders and asking the system about each file.
 */
import { hash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openWorkspaceScanner } from "../../dist/workspace/index.js";
import { compare, figure, millisecondsOf, ratioAtMost, valueAtMost } from "../lib/compare.mjs";
import { freshFolder, isShort, scaled } from "../lib/place.mjs";

const FOLDERS = 400;
const FILES = scaled(20_000);
const ROUNDS = isShort ? { rounds: 2 } : { rounds: 7 };

export async function measure() {
  const root = freshFolder("tree");
  makeTree(root);
  await delay(1_100); // A file that was touched within a second is read again by the next scan.
  const first = await firstScan(root);
  const second = await secondScan(root);
  const files = FILES.toLocaleString("en");
  return [
    figure({ name: `first scan of ${files} files`, unit: "ms", ...first, goal: valueAtMost(2_000) }),
    figure({ name: "the same, over reading and hashing", unit: "ms", ...first, goal: ratioAtMost(3) }),
    figure({ name: "scan with nothing changed", unit: "ms", ...second, goal: valueAtMost(150) }),
    figure({ name: "the same, over asking for each file", unit: "ms", ...second, goal: ratioAtMost(1.5) }),
    figure({ name: "the fastest such scan", unit: "ms", value: second.fastest, goal: valueAtMost(150) }),
  ];
}

/** With a cache that is new each time, in a thread that runs already. */
function firstScan(root) {
  return compare(
    async () => {
      const { scanner, end } = await newScanner();
      const milliseconds = await millisecondsOf(async () => (await scanner.open(root, "first")).discard());
      await end();
      return milliseconds;
    },
    () => millisecondsOf(() => visit(root, (file) => hash("sha256", readFileSync(file), "hex"))),
    isShort ? { rounds: 2 } : { rounds: 5 },
  );
}

async function secondScan(root) {
  const { scanner, end } = await newScanner();
  await (await scanner.open(root, "first")).close();
  let fastest = Infinity;
  const measured = await compare(
    async () => {
      let window;
      const milliseconds = await millisecondsOf(async () => (window = await scanner.open(root, "second")));
      fastest = Math.min(fastest, milliseconds);
      const { coverage } = await window.close();
      if (coverage !== "full") throw new Error(`bench: the coverage of an unchanged tree is ${coverage}`);
      return milliseconds;
    },
    () => millisecondsOf(() => visit(root, (file) => lstatSync(file, { bigint: true }))),
    ROUNDS,
  );
  await end();
  return { ...measured, fastest };
}

async function newScanner() {
  const home = freshFolder("home");
  const scanner = openWorkspaceScanner({
    cacheFile: path.join(home, "scan-cache.db"),
    limits: { timeMs: 60_000 },
  });
  const window = await scanner.open(freshFolder("empty"), "start");
  await window.discard();
  return {
    scanner,
    async end() {
      await scanner.close();
      rmSync(home, { recursive: true });
    },
  };
}

function makeTree(root) {
  for (let index = 0; index < FILES; index += 1) {
    const folder = path.join(root, `d${index % 20}`, `e${index % FOLDERS}`);
    if (index < FOLDERS) mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `f${index}.ts`), randomBytes(500 + ((index * 137) % 6_500)));
  }
}

function visit(folder, look) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const child = path.join(folder, entry.name);
    if (entry.isDirectory()) visit(child, look);
    else look(child);
  }
}
