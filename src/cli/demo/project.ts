/** The small project that the demo works on, and the script of the session that mends it. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defaultHome } from "../../home.ts";

/** Folders of one demo. */
export interface Project {
  /** Everything below is in it. */
  readonly folder: string;
  readonly home: string;
  readonly work: string;
  readonly script: string;
  /** One line for each time that the command which is killed was begun. */
  readonly attempts: string;
}

/** What the model is asked to do. */
export const TASK = "The test of this project fails. Find out why, mend it, and prove it with `node --test`.";

const files = {
  "package.json": '{ "name": "cart", "type": "module", "private": true }\n',
  "src/cart.js": `/** The sum of the prices, less a discount between 0 and 1. */
export function total(prices, discount = 0) {
  const sum = prices.reduce((all, price) => all + price, 0);
  return sum + sum * discount;
}
`,
  "test/cart.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../src/cart.js";

test("a discount makes it cheaper", () => {
  assert.equal(total([60, 40], 0.25), 75);
});
`,
};

const call = (name: string, args: object): object => ({ name, args });

/** The command that is killed: it leaves a mark, says so, and would take ten minutes. */
const slowProof = 'echo begun >> "../attempts"; echo begun; sleep 600; node --test';

const script = {
  turns: [
    { text: "I look for where the discount is used.", toolCalls: [call("grep", { pattern: "discount" })] },
    { toolCalls: [call("read", { path: "src/cart.js" }), call("read", { path: "test/cart.test.js" })] },
    {
      text: "The discount is added instead of taken off.",
      toolCalls: [
        call("edit", {
          path: "src/cart.js",
          oldText: "sum + sum * discount",
          newText: "sum - sum * discount",
        }),
      ],
    },
    { text: "Now the proof.", toolCalls: [call("bash", { command: slowProof })] },
    {
      text: "That was interrupted, and I can't know how far it came. I run the tests alone.",
      toolCalls: [call("bash", { command: "node --test" })],
    },
    { text: "total() added the discount; it takes it off now, and `node --test` passes." },
  ],
};

/** Makes the folders and writes the files. */
export function makeProject(): Project {
  const folder = mkdtempSync(path.join(tmpdir(), "lemon-demo-"));
  const within = (name: string): string => path.join(folder, name);
  const project = {
    folder,
    home: within("home"),
    work: within("cart"),
    script: within("script.json"),
    attempts: within("attempts"),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(project.work, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(project.script, JSON.stringify(script, null, 2));
  mkdirSync(project.home);
  return project;
}

/** A real model may be one of the user's own servers, which only their configuration knows. */
export function borrowConfiguration({ home }: Project): void {
  const config = path.join(defaultHome(), "config.toml");
  if (existsSync(config)) copyFileSync(config, path.join(home, "config.toml"));
}

/** How often the command that was killed was begun. */
export function attemptsOf({ attempts }: Project): number {
  return existsSync(attempts) ? readFileSync(attempts, "utf8").split("\n").length - 1 : 0;
}
