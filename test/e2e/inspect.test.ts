import { chmod, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Place, type Json } from "./support/command.ts";

const script = [
  { toolCalls: [{ name: "bash", args: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] },
  { text: "done" },
];

async function asking(url: string): Promise<(question: string) => Promise<Json>> {
  const [base = "", token = ""] = url.trim().split("/#token=");
  return async (question) => {
    const response = await fetch(`${base}/api${question}`, { headers: { Authorization: `Bearer ${token}` } });
    return (await response.json()) as Json;
  };
}

test("a session that another process runs is followed to its end, and Ctrl-C ends the command", async () => {
  const place = await Place.make();
  const run = place.start([
    "run",
    "wait",
    "--session",
    "s1",
    "--approve",
    "auto",
    "--script",
    await place.script(script),
  ]);
  await waitFor(async () => (await place.lemon("show", "s1")).status === 0);
  const inspect = place.start(["inspect", "s1", "--json"]);
  await inspect.printed("\n");
  const { url, port } = JSON.parse(inspect.stdout()) as { url: string; port: number };
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#token=[\\w-]{43}$`));
  const ask = await asking(url);
  await waitFor(async () => (await ask("/sessions/s1/calls"))["calls"]?.[0]?.state === "running");
  expect(await ask("/sessions/s1")).toMatchObject({ isLive: true, status: "running" });
  await writeFile(`${place.cwd}/go`, "");
  expect((await run.ended).status).toBe(0);
  await waitFor(async () => (await ask("/sessions/s1"))["status"] === "shut_down");
  expect((await ask("/sessions/s1/calls"))["calls"]).toMatchObject([{ tool: "bash", outcome: "completed" }]);
  expect(await ask("/sessions/s1/verify")).toMatchObject({ divergences: [] });
  inspect.process.kill("SIGINT");
  expect((await inspect.ended).status).toBe(130);
});

test("what is asked of it wrongly is refused, and a log that can't be written is served", async () => {
  const place = await Place.make();
  expect((await place.lemon("inspect")).status).toBe(3);
  const lines = [{ text: "hello" }];
  await place.lemon("run", "hi", "--session", "s1", "--script", await place.script(lines));
  for (const [args, status] of [
    [["inspect", "nope"], 3],
    [["inspect", "--port", "99999"], 2],
    [["inspect", "--prices", "missing.json"], 2],
    [["inspect", "--nothing"], 2],
  ] as const)
    expect([args, (await place.lemon(...args)).status]).toEqual([args, status]);
  await chmod(place.log, 0o444);
  const inspect = place.start(["inspect", "--open"], { env: { PATH: "/nonexistent" } });
  await inspect.printed("\n");
  const ask = await asking(inspect.stdout());
  expect(await ask("/sessions")).toMatchObject({
    selected: null,
    sessions: [{ sessionId: "s1", title: "hi" }],
  });
  inspect.process.kill("SIGTERM");
  const { status, stderr } = await inspect.ended;
  expect([status, stderr]).toEqual([130, expect.stringContaining("no browser could be opened")]);
});

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
