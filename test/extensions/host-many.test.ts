/** Many extensions at once, good and hostile, and one that is loaded over and over. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { callTool, testWorld, textOf, threadCount, withTools } from "./worker-support.ts";

const good = withTools({ ok: "return text('ok')" });
const hostile: Record<string, string> = {
  syntax: "export default {",
  throws: "throw new Error('no')",
  exits: "process.exit(1)",
  missing: "import 'no-such-package-at-all'; export default {}",
  flood:
    "for (let i = 0; i < 20000; i += 1) console.log('x'.repeat(200)); export default { name: 'flood', version: '1.0.0' }",
  rejects: "Promise.reject(new Error('x')); export default { name: 'rejects', version: '1.0.0' }",
  patched:
    "Promise.prototype.then = () => { throw new Error('mine') }; export default { name: 'then', version: '1.0.0' }",
  loop: "export default { name: 'loop', version: '1.0.0', hooks: { onTurnStart() { for (;;); } } }",
  none: "",
  text: "export default 'text'",
};

it("ten good extensions answer beside ten hostile ones, and no thread is left", async () => {
  await using warm = await testWorld();
  await warm.load(good, "warm");
  await warm.world.close();
  const before = threadCount();
  await using t = await testWorld();
  const bad = Object.entries(hostile).map(async ([name, source]) => {
    const host = await t.load(source, name).catch(() => undefined);
    const members = await host?.collect("/", {});
    return members?.runHooks("onTurnStart", [], { handlerMs: 100, eventMs: null, untilBlocked: false });
  });
  const fine = Array.from({ length: 10 }, async (_, index) => {
    const { members } = await t.open(good, `good-${index}`);
    return textOf(callTool(members, "ok"));
  });
  expect(await Promise.all(fine)).toEqual(Array.from({ length: 10 }, () => "ok"));
  await Promise.allSettled(bad);
  expect(await t.world.close()).toEqual([]);
  await t.until(() => threadCount() <= before);
});

it("reloads leave no threads and no files open", async () => {
  await using t = await testWorld();
  const rounds = process.env["LEMON_SOAK"] === undefined ? 15 : 200;
  const filesOpen = (): number => readdirSync("/proc/self/fd").length;
  let before: { threads: number; files: number } | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const { host, members } = await t.open(withTools({ ok: `return text(${round})` }));
    expect(await textOf(callTool(members, "ok"))).toBe(String(round));
    await host.end();
    await t.until(() => t.world.zombies().length === 0);
    before ??= { threads: threadCount(), files: filesOpen() };
  }
  await t.until(() => threadCount() <= (before?.threads ?? 0) && filesOpen() <= (before?.files ?? 0));
});
