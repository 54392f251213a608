import childProcess, { type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { bundleOf } from "./bundle-support.ts";

const spawn = vi.spyOn(childProcess, "spawn");

/** esbuild's child of now, and how many there have been. */
function service(): { readonly child: ChildProcess; readonly count: number } {
  const started = spawn.mock.calls.flatMap((call, index) =>
    JSON.stringify(call).includes("--service=") ? [spawn.mock.results[index]?.value as ChildProcess] : [],
  );
  const child = started.at(-1);
  if (child === undefined) throw new Error("no service was started");
  return { child, count: started.length };
}

test("a service that went away is started again, once for all who lost it", async () => {
  await bundleOf({ "e.ts": "export default 1;" });
  const { child, count } = service();
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  const bundles = await Promise.all(
    [1, 2, 3, 4].map(async (n) => bundleOf({ "e.ts": `export default ${n};` })),
  );
  expect(bundles.map(({ exports }) => exports)).toEqual([["default"], ["default"], ["default"], ["default"]]);
  expect(service().count).toBe(count + 1);
});

test("a service that goes away in the middle of builds costs none of them", async () => {
  const builds = [1, 2, 3, 4].map(async (n) => bundleOf({ "e.ts": `export default ${n} + 1;` }));
  service().child.kill("SIGKILL");
  const bundles = await Promise.all(builds);
  expect(bundles.every(({ exports }) => exports[0] === "default")).toBe(true);
});
