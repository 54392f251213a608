/** A shell at work in a git repository of a thousand files. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { claimsOf, differenceOf, sha256, treeOf, world } from "./support.ts";

const bash = (command: string) => ({ name: "bash", args: { command } });

/** Everything below `.git`, with bytes and times. */
function insidesOf(cwd: string): string[] {
  return readdirSync(path.join(cwd, ".git"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => `${file} ${sha256(readFileSync(file))} ${statSync(file).mtimeMs}`)
    .toSorted();
}

test("receipts name exactly what git and the shell changed, and looking changes nothing", async () => {
  const commands = [
    "sed -i s/line/LINE/ src/d3/*.txt",
    "git checkout -q other",
    "mkdir -p node_modules/x && echo x > node_modules/x/i.js && echo lock > lock.json && echo t > ignored.log",
    "mv src/d5 src/moved && rm -r src/d7",
    "git status --short > /dev/null; ls -R > /dev/null",
  ];
  const here = await world(
    commands.map((command) => [bash(command)]),
    {
      env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" },
    },
  );
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: here.cwd });
  for (let folder = 0; folder < 20; folder += 1) {
    mkdirSync(path.join(here.cwd, `src/d${folder}`), { recursive: true });
    for (let file = 0; file < 50; file += 1)
      writeFileSync(path.join(here.cwd, `src/d${folder}/f${file}.txt`), `line ${folder} ${file}\n`);
  }
  writeFileSync(path.join(here.cwd, ".gitignore"), "*.log\n");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "one");
  git("checkout", "-q", "-b", "other");
  writeFileSync(path.join(here.cwd, "src/d1/f1.txt"), "other\n");
  git("rm", "-q", "src/d2/f2.txt");
  git("commit", "-q", "-a", "-m", "two");
  git("checkout", "-q", "main");
  const insides = [insidesOf(here.cwd)];
  const trees = [treeOf(here.cwd)];
  here.session.subscribe((event) => {
    if (event.type !== "tool_execution_end") return;
    trees.push(treeOf(here.cwd));
    insides.push(insidesOf(here.cwd));
  });
  await here.session.prompt("go");
  const receipts = await here.receipts();
  for (const [index, receipt] of receipts.entries()) {
    const real = differenceOf(trees[index] ?? new Map(), trees[index + 1] ?? new Map());
    const isSeen = (file: string): boolean => !/node_modules|\.log$/.test(file);
    const files = Object.fromEntries(Object.entries(real.files).filter(([file]) => isSeen(file)));
    expect(claimsOf(receipt!)).toEqual({ files, createdDirs: real.createdDirs.filter(isSeen) });
  }
  expect(receipts.map((receipt) => receipt?.files.length)).toEqual([50, 2, 1, 150, 0]);
  expect(receipts.map((receipt) => receipt?.coverage)).toEqual([
    "full",
    "full",
    "partial",
    "partial",
    "partial",
  ]);
  expect(receipts[2]?.coverageReasons).toEqual(["ignored_paths"]);
  // The first call, the third and those after it ran no git that writes: neither did we.
  expect([insides[1], insides[3], insides[4], insides[5]]).toEqual([
    insides[0],
    insides[2],
    insides[2],
    insides[2],
  ]);
  await here.close();
});
