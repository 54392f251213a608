import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Place } from "./place.ts";
import { isCommandThere } from "../../support/command-there.ts";

const hasGit = isCommandThere("git");

/** Bytes and times of everything below a folder. */
function state(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const stats = lstatSync(join(folder, name), { bigint: true });
      const content = stats.isFile() ? readFileSync(join(folder, name)) : "";
      return `${name} ${stats.mtimeNs} ${stats.ctimeNs} ${createHash("sha256").update(content).digest("hex")}`;
    });
}

it.skipIf(!hasGit)("in a repository of a thousand files a shell changes exactly what is listed", async () => {
  const place = new Place();
  const shell = (command: string): void => {
    execFileSync("bash", ["-ec", command], {
      cwd: place.root,
      env: { ...process.env, HOME: place.folder, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "ignore",
    });
  };
  const files = Array.from({ length: 1_000 }, (__, index) => [
    `src/d${index % 25}/f${index}.ts`,
    `export const n = ${index};\n`,
  ]);
  place.write({
    ...Object.fromEntries(files),
    ".gitignore": "dist/\n*.log\n",
    "dist/out.js": "built",
    "run.log": "log",
  });
  shell("git init -q -b main . && git add -A && git -c user.name=n -c user.email=e@x commit -qm first");
  shell(
    "echo changed > src/d0/f0.ts && git checkout -q -b work && git -c user.name=n -c user.email=e@x commit -qam second",
  );

  // The scans alone: nothing of git's, and nothing that is ignored, is touched.
  const git = state(join(place.root, ".git"));
  const ignored = state(join(place.root, "dist"));
  await place.around(() => undefined);
  expect(state(join(place.root, ".git"))).toEqual(git);
  expect(state(join(place.root, "dist"))).toEqual(ignored);

  const after = async (command: string): Promise<string[]> =>
    place.short(await place.around(() => shell(command)));
  expect(await after("sed -i 's/const n/let n/' src/d1/f1.ts src/d2/f2.ts")).toEqual([
    "modified src/d1/f1.ts",
    "modified src/d2/f2.ts",
    "ignored_paths",
  ]);
  expect(await after("git checkout -q main -- src/d0/f0.ts")).toEqual([
    "modified src/d0/f0.ts",
    "ignored_paths",
  ]);
  expect(await after("git stash -q && git checkout -q main")).toEqual(
    ["modified src/d0/f0.ts", "modified src/d1/f1.ts", "modified src/d2/f2.ts", "ignored_paths"].filter(
      (line) => line !== "modified src/d0/f0.ts",
    ),
  );
  expect(
    await after(
      "mkdir -p node_modules/left/lib && echo x > node_modules/left/lib/index.js && echo '{}' > package-lock.json",
    ),
  ).toEqual(["created package-lock.json", "ignored_paths"]);
  expect(
    await after("mv src/d3 lib && chmod +x src/d4/f4.ts && echo more >> run.log && echo more >> dist/out.js"),
  ).toEqual([
    ...Array.from({ length: 40 }, (__, index) => `created lib/f${index * 25 + 3}.ts`).toSorted(),
    ...Array.from({ length: 40 }, (__, index) => `deleted src/d3/f${index * 25 + 3}.ts`).toSorted(),
    "mode src/d4/f4.ts",
    "lib/",
    "ignored_paths",
  ]);
  expect(await after("rm -r lib src/d5")).toHaveLength(81);
});
