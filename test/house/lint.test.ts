import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** One fault a line, the rule that must find it behind it. Helpers above the faults are sound. */
const anywhere = `
import { createActor } from "xstate"; // eslint(no-restricted-imports)
import { of } from "rxjs";
import { Buffer } from "node:buffer"; // typescript(consistent-type-imports)
const work = async (bytes?: Buffer): Promise<void> => { await Promise.resolve(bytes); };
export function faults(kind: "a" | "b", actor: unknown): unknown {
  work(); // typescript(no-floating-promises)
  of(1).subscribe(async () => { await work(); }); // typescript(no-misused-promises)
  of(1).subscribe({ next: async () => { await work(); } }); // typescript(no-misused-promises)
  [1].forEach(async () => { await work(); }); // typescript(no-misused-promises)
  switch (kind) { case "a": break; } // typescript(switch-exhaustiveness-check)
  const loose: any = 1; // typescript(no-explicit-any)
  console.log(loose); // eslint(no-console)
  return createActor(actor as never);
}
`;

const inPureRooms = `
import "node:fs"; // eslint(no-restricted-imports)
import "crypto"; // eslint(no-restricted-imports)
export const faults = [
  Date.now(), // eslint(no-restricted-globals)
  new Date(0), // eslint(no-restricted-globals)
  Math.random(), // eslint(no-restricted-properties)
  crypto.randomUUID(), // eslint(no-restricted-globals)
  process.pid, // eslint(no-restricted-globals)
  setTimeout(() => undefined, 1), // eslint(no-restricted-globals)
  globalThis.Date, // eslint(no-restricted-globals)
];
`;

const inFolds = `
export function fold(kind: "a" | "b"): number {
  switch (kind) { case "a": return 1; default: return 2; } // typescript(switch-exhaustiveness-check)
}
`;

const texts: Record<string, string> = {
  "src/log/faults.ts": anywhere,
  "src/events/faults.ts": inPureRooms,
  "src/projections/faults.ts": inPureRooms + inFolds,
  "src/hooks/faults.ts": inPureRooms,
  "src/secrets/faults.ts": inPureRooms,
  "src/actors/session/next-batch.ts": inPureRooms,
  "src/actors/tool-runner/machine.ts": inPureRooms + inFolds,
};

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "lemon-lint-"));
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const file of ["tsconfig.json", ".oxlintrc.json"])
    await cp(path.join(root, file), path.join(folder, file));
  for (const [file, text] of Object.entries(texts)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  // What the rooms forbid is fine in a room with effects.
  await writeFile(path.join(folder, "src/log/sound.ts"), "export const at = [Date.now(), Math.random()];\n");
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("lint finds each seeded fault at its line and nothing else", async () => {
  expect((await lint()).toSorted()).toEqual(Object.entries(texts).flatMap(expected).toSorted());
});

function expected([file, text]: [string, string]): string[] {
  return text.split("\n").flatMap(
    (line, at) =>
      /\/\/ (\w+\([\w-]+\))$/
        .exec(line)
        ?.slice(1)
        .map((rule) => `${file}:${at + 1} ${rule}`) ?? [],
  );
}

async function lint(): Promise<string[]> {
  const bin = path.join(root, "node_modules/oxlint/bin/oxlint");
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [bin, "--type-aware", "-f", "unix", "src"], { cwd: folder }, (_error, out) =>
      resolve(out),
    );
  });
  const found = stdout.matchAll(/^(\S+?):(\d+):\d+: .*\[Error\/([^\]]+)\]$/gm);
  return [...new Set([...found].map(([, file, line, rule]) => `${file}:${line} ${rule}`))];
}
