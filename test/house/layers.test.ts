import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

/** One seeded fault a file: what it says, and the rule that must refuse it. */
const faults: Record<string, { text: string; rule: string }> = {
  "src/log/upwards.ts": { text: 'import "../actors/index.ts";', rule: "room-log" },
  "src/config/sideways.ts": { text: 'import "../log/index.ts";', rule: "room-config" },
  "src/tools/value.ts": {
    text: 'import { x } from "../providers/index.ts";\nx();',
    rule: "room-tools-types-only",
  },
  "src/actors/side-door.ts": { text: 'import "../log/engine.ts";', rule: "by-the-door" },
  "src/replay/shell.ts": { text: 'import "../actors/journaled.ts";', rule: "replay-sees-deciders-only" },
  "src/events/disk.ts": { text: 'import "node:fs";', rule: "pure-rooms" },
  "src/projections/late.ts": {
    text: 'export const late = (): unknown => import("node:fs");',
    rule: "pure-rooms",
  },
  "src/hooks/package.ts": { text: 'import "pino";', rule: "pure-rooms-packages" },
  "src/actors/session/machine.ts": { text: 'import "./effects.ts";', rule: "pure-machines" },
  "src/actors/shell.ts": { text: 'import { createActor } from "xstate";\ncreateActor();', rule: "xstate" },
  "src/log/undeclared.ts": { text: 'import "vitest";', rule: "declared-packages" },
  "src/log/one.ts": { text: 'import "./two.ts";', rule: "no-cycle" },
  "src/misc/helpers.ts": { text: 'import "../errors.ts";', rule: "known-room-from" },
  "src/cli/face.ts": { text: 'import "../index.ts";', rule: "public-face" },
};

const sound: Record<string, string> = {
  "src/index.ts": "export {};",
  "src/errors.ts": "export {};",
  "src/log/index.ts": 'import "../errors.ts";\nimport "./engine.ts";',
  "src/log/engine.ts": "export {};",
  "src/log/two.ts": 'import "./one.ts";',
  "src/providers/index.ts": "export const x = (): void => undefined;",
  "src/tools/types.ts": 'import type { x } from "../providers/index.ts";\nexport type X = typeof x;',
  "src/actors/index.ts": 'import "../log/index.ts";',
  "src/actors/journaled.ts": "export {};",
  "src/actors/session/effects.ts": "export {};",
  "src/actors/tool-runner/machine.ts": 'import { setup } from "xstate";\nsetup({});',
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "lemon-layers-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("each import against the grain is refused by the rule that forbids it, and sound ones are not", async () => {
  const seeded = Object.entries(faults).map(([file, { text }]) => [file, text] as const);
  await symlink(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const manifest = { dependencies: { pino: "*", xstate: "*" }, devDependencies: { vitest: "*" } };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await write([...seeded, ...Object.entries(sound)]);

  const { status, report } = await checkLayers(folder);

  expect(status).toBe(1);
  for (const [file, { rule }] of Object.entries(faults)) {
    expect(report, `${file} should break ${rule}`).toMatch(
      new RegExp(`^${file.replaceAll(/[.]/g, "\\.")} → .*\n {4}${rule}:`, "m"),
    );
  }
  for (const file of Object.keys(sound).filter((name) => name !== "src/log/two.ts")) {
    expect(report).not.toMatch(new RegExp(`^${file.replaceAll(/[.]/g, "\\.")} →`, "m"));
  }
});

test("a check that read no import is not believed", async () => {
  const empty = path.join(folder, "empty");
  await cp(new URL("../../src/errors.ts", import.meta.url), path.join(empty, "src/errors.ts"));

  const { status, report } = await checkLayers(empty);

  expect(status).toBe(1);
  expect(report).toContain("no import was seen in any file");
});

async function write(files: readonly (readonly [string, string])[]): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), `${text}\n`);
  }
}

function checkLayers(where: string): Promise<{ status: number; report: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["scripts/layers.mjs", where], (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), report: stdout + stderr });
    });
  });
}
