/** What bash and foreign tools changed, found by a scan before and after. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FactData } from "../../../src/events/index.ts";
import { defineExtension } from "../../../src/extensions/index.ts";
import { rounds } from "../../support/soak.ts";
import { gate } from "../../support/runtimes.ts";
import { claimsOf, differenceOf, sha256, treeOf, world } from "./support.ts";

const bash = (command: string) => ({ name: "bash", args: { command } });

/** An extension of one tool that does what the test says. */
function worker(
  work: (cwd: string, signal: AbortSignal) => Promise<void> | void,
  more: object = {},
): unknown {
  return defineExtension({
    name: "worker",
    version: "1.0.0",
    tools: [
      {
        name: "work",
        description: "does what the test says",
        ...more,
        execute: async (_id, _args, signal, _onUpdate, { cwd }) => {
          await work(cwd, signal);
          return { content: [{ type: "text", text: "done" }] };
        },
      },
    ],
  });
}

describe("a receipt of a scanned call", () => {
  test("names what bash changed, and the bytes before can be had, secrets and all", async () => {
    const here = await world(
      [
        [bash("sed -i s/one/two/ a; rm b; mkdir -p n/m; echo new > n/m/c; chmod 755 d; mv e f")],
        [bash("exit 3")],
        [bash("echo x > g; exit 1")],
      ],
      {
        config: { secrets: { TOKEN: { env: "TOKEN" } } },
        env: { ...process.env, TOKEN: "one-secret-value" },
      },
    );
    for (const name of ["a", "b", "d", "e"])
      writeFileSync(path.join(here.cwd, name), `one-secret-value ${name}\n`);
    const before = treeOf(here.cwd);
    await here.session.prompt("go");
    const [changed, failed, partial] = await here.receipts();
    const after = treeOf(here.cwd);
    after.delete(path.join(here.cwd, "g"));
    expect(claimsOf(changed!)).toEqual(differenceOf(before, after));
    expect(changed).toMatchObject({
      action: "bash",
      outcome: "applied",
      checkpointId: null,
      coverage: "full",
    });
    expect(failed).toMatchObject({ outcome: "none", success: false, files: [] });
    expect(partial).toMatchObject({ outcome: "partial", success: false, files: [{ change: "created" }] });
    const was = await here.runtime.log.getBlob(sha256("one-secret-value a\n"));
    expect(Buffer.from(was).toString()).toBe("one-secret-value a\n");
    await here.close();
  });

  test("says that something of bash still runs", async () => {
    const here = await world([[bash("sleep 60 >/dev/null 2>&1 & echo $! > pid")]]);
    await here.session.prompt("go");
    process.kill(Number(readFileSync(path.join(here.cwd, "pid"), "utf8")));
    expect(await here.receipts()).toMatchObject([
      { coverage: "partial", coverageReasons: ["background_processes"] },
    ]);
    await here.close();
  });

  test("a foreign tool is scanned, a read-only one is not", async () => {
    const work = (cwd: string): void => writeFileSync(path.join(cwd, "made"), "x");
    const scanned = await world([[{ name: "work", args: {} }]], { extensions: [worker(work)] });
    await scanned.session.prompt("go");
    expect(await scanned.receipts()).toMatchObject([{ action: "work", files: [{ change: "created" }] }]);
    await scanned.close();
    const reading = await world([[{ name: "work", args: {} }]], {
      extensions: [worker(() => undefined, { readOnly: true })],
    });
    await reading.session.prompt("go");
    expect(await reading.receipts()).toEqual([null]);
    await reading.close();
  });

  test("calls that overlap name each other", async () => {
    let waiting = 0;
    const both = gate();
    const meet = async (): Promise<void> => {
      waiting += 1;
      if (waiting === 2) both.open();
      await both.promise;
    };
    const call = { name: "work", args: {} };
    const here = await world([[call, call]], { extensions: [worker(meet, { parallelSafe: true })] });
    await here.session.prompt("go");
    const ids = (await here.facts()).flatMap(({ type, data }) =>
      type === "tool_call.returned" ? [(data as FactData<"tool_call.returned">).callId] : [],
    );
    const receipts = await here.receipts();
    expect(receipts.map((receipt) => receipt?.coverageReasons)).toEqual([
      ["overlapping_calls"],
      ["overlapping_calls"],
    ]);
    expect(receipts.map((receipt) => receipt?.overlappingCallIds)).toEqual([[ids[1]], [ids[0]]]);
    await here.close();
  });

  test("of an aborted call follows, before the next prompt", async () => {
    const here = await world([[bash("echo a > a; echo ready; exec sleep 60")]]);
    const ready = gate();
    here.session.subscribe((event) => void (event.type === "tool_execution_update" && ready.open()));
    const ended = here.session.prompt("go");
    await ready.promise;
    await here.session.abort();
    expect(await ended).toMatchObject({ status: "aborted" });
    await here.session.prompt("more");
    const facts = await here.facts();
    const types = facts.map(({ type }) => type);
    expect(types.indexOf("tool_call.receipt_recorded")).toBeGreaterThan(types.indexOf("agent.ended"));
    expect(types.indexOf("tool_call.receipt_recorded")).toBeLessThan(types.lastIndexOf("prompt.submitted"));
    expect(await here.receipts()).toMatchObject([{ outcome: "partial", files: [{ change: "created" }] }]);
    expect(here.events.filter(({ type }) => type === "tool_receipt")).toHaveLength(1);
    await here.close();
  });

  test("of a call whose time is up follows too, and says that its tool goes on if it does", async () => {
    const stubborn = gate();
    const work = async (cwd: string): Promise<void> => {
      writeFileSync(path.join(cwd, "made"), "x");
      await stubborn.promise;
    };
    const here = await world([[{ name: "work", args: {} }]], {
      extensions: [worker(work, { timeoutMs: 50 })],
    });
    await here.session.prompt("go");
    await here.session.shutdown();
    stubborn.open();
    const facts: unknown[] = [];
    for await (const { type, data } of here.runtime.log.read(`session-${here.session.id}`))
      if (type === "tool_call.receipt_recorded") facts.push(data);
    expect(facts).toMatchObject([
      { receipt: { files: [{ change: "created" }], coverageReasons: ["background_processes"] } },
    ]);
    await here.close();
  });
});

const name = fc.constantFrom("a", "b", "c/d", "c/e", "f/g/h");
const text = fc.constantFrom("one\n", "two\n", "three\n");
const step = fc.oneof(
  fc.record({ path: name, content: text }).map((args) => ({ name: "write", args })),
  fc
    .record({ path: name, oldText: fc.constantFrom("one", "two"), newText: fc.constantFrom("two", "three") })
    .map((args) => ({ name: "edit", args })),
  fc.tuple(name, name).map(([from, to]) => ({
    name: "patch",
    args: {
      patch: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n*** Add File: new-${to}\n+x\n*** End Patch`,
    },
  })),
  name.map((file) => ({
    name: "patch",
    args: { patch: `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch` },
  })),
  fc.tuple(name, name).map(([from, to]) => bash(`mkdir -p $(dirname ${to}); mv ${from} ${to}`)),
  name.map((file) =>
    bash(`rm -r $(dirname ./${file}) 2>/dev/null; mkdir -p $(dirname ${file}); echo bash > ${file}`),
  ),
  name.map((file) => bash(`chmod 600 ${file}`)),
);

test("the receipt of each call is the difference between the tree before and after it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const trees: ReturnType<typeof treeOf>[] = [];
      const here = await world(steps.map((each) => [each]));
      mkdirSync(path.join(here.cwd, "c"));
      writeFileSync(path.join(here.cwd, "a"), "one\n");
      trees.push(treeOf(here.cwd));
      here.session.subscribe((event) => {
        if (event.type === "tool_execution_end") trees.push(treeOf(here.cwd));
      });
      await here.session.prompt("go");
      const receipts = await here.receipts();
      expect(receipts).toHaveLength(steps.length);
      for (const [index, receipt] of receipts.entries()) {
        const real = differenceOf(trees[index] ?? new Map(), trees[index + 1] ?? new Map());
        if (receipt === null) expect(real).toEqual({ files: {}, createdDirs: [] });
        else expect(claimsOf(receipt)).toEqual(real);
      }
      expect((await here.runtime.replay.verify(here.session.id)).divergences).toEqual([]);
      await here.close();
    }),
    { numRuns: rounds(12, 60, 400) },
  );
});
