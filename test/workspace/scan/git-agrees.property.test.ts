import { execFileSync } from "node:child_process";
import { relative } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../support/soak.ts";
import { Place } from "./place.ts";
import { isCommandThere } from "../../support/command-there.ts";

const hasGit = isCommandThere("git");

const words = ["a", "b", "ab", "c.x", "d.x"];
const pattern = fc
  .tuple(
    fc.constantFrom("", "", "!"),
    fc.constantFrom("", "", "/", "**/"),
    fc.array(fc.constantFrom(...words, "*", "?", "*.x", "[ab]"), { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", "", "/", "/*", "/**"),
  )
  .map(([not, anchor, parts, end]) => `${not}${anchor}${parts.join("/")}${end}`);
const ruleFile = fc.array(pattern, { maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`);
const folder = fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 2 }).map((parts) => parts.join("/"));

it.skipIf(!hasGit)("the same paths are ignored as git ignores", async () => {
  await fc.assert(
    fc.asyncProperty(
      ruleFile,
      fc.array(fc.tuple(folder, ruleFile), { maxLength: 3 }),
      fc.array(fc.tuple(folder, fc.constantFrom("c.x", "d.x", "e")), { minLength: 1, maxLength: 12 }),
      async (exclude, ruleFiles, files) => {
        const place = new Place();
        execFileSync("git", ["init", "-q", "--template=", place.root]);
        place.write({ ".git/info/exclude": exclude });
        for (const [at, text] of ruleFiles) place.write({ [`${at}/.gitignore`]: text });
        const window = await place.open();
        for (const [at, name] of files) place.write({ [`${at}/${name}`]: "x" });
        const outcome = await window.close();
        const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], {
          cwd: place.root,
          encoding: "utf8",
          env: { ...process.env, HOME: place.folder, GIT_CONFIG_NOSYSTEM: "1" },
        });
        const untracked = listed.split("\0").filter((name) => name !== "" && !name.endsWith(".gitignore"));
        expect(outcome.files.map(({ path }) => relative(place.root, path))).toEqual(untracked.toSorted());
        await place.end();
      },
    ),
    { numRuns: rounds(25, 250, 2_000) },
  );
});
