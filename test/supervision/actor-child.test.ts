import { expect, test } from "vitest";
import { createMachine, fromCallback, fromPromise, fromTransition } from "xstate";
import {
  type ActorChild,
  actorChild,
  call,
  type CallError,
  MailboxFullError,
  type Reply,
  startSupervisor,
  type Supervisor,
} from "../../src/supervision/index.ts";
import { settled } from "./support/fake-child.ts";
import { exitOf, refusal, stage } from "./support/harness.ts";

type CounterEvent =
  | { type: "add" }
  | { type: "boom" }
  | { type: "get"; reply: Reply }
  | { type: "hush"; reply: Reply };
const counter = fromTransition((count: number, event: CounterEvent) => {
  if (event.type === "boom") throw new Error("boom");
  if (event.type === "get") event.reply.answer(count);
  return event.type === "add" ? count + 1 : count;
}, 0);

async function actorOf(supervisor: Supervisor, id: string): Promise<ActorChild<typeof counter>> {
  return (await supervisor.whichChild(id)).child as ActorChild<typeof counter>; // it was started from that logic
}

test("an actor logic in a spec is started as a root actor and restarted with fresh state after a throw", async () => {
  const supervisor = await startSupervisor({ children: [{ id: "counter", start: counter }] });
  const first = await actorOf(supervisor, "counter");
  void first.send({ type: "add" });
  await settled();
  expect(first.actor.getSnapshot().context).toBe(1);
  void first.send({ type: "boom" });
  void first.send({ type: "add" });
  await settled();
  expect(await exitOf(first)).toMatchObject({ kind: "crash", detail: { message: "boom" } });
  const second = await actorOf(supervisor, "counter");
  expect(second).not.toBe(first);
  expect(second.actor.getSnapshot().context).toBe(0);
  await supervisor.shutdown();
  expect(await exitOf(second)).toEqual({ kind: "shutdown" });
});

test("input reaches the logic, and an extra argument is laid over the template's input", async () => {
  const echo = fromTransition(
    (state: object) => state,
    ({ input }: { input: object }) => input,
  );
  const supervisor = await startSupervisor({
    strategy: "simple_one_for_one",
    children: [{ id: "e", start: { logic: echo, input: { host: "a", port: 1 } } }],
  });
  const { child } = await supervisor.startChild<ActorChild<typeof echo>>([{ port: 2 }]);
  expect(child?.actor.getSnapshot().context).toEqual({ host: "a", port: 2 });
});

test("a machine that reaches its final state ends normal; a promise logic that rejects ends as a crash", async () => {
  const machine = createMachine({
    initial: "on",
    states: { on: { on: { stop: "off" } }, off: { type: "final" } },
  });
  const child = await actorChild(machine);
  void child.send({ type: "stop" });
  expect(await child.exited).toEqual({ kind: "normal" });
  const failing = await actorChild(fromPromise(() => Promise.reject(new Error("no"))));
  expect(await failing.exited).toMatchObject({ kind: "crash", detail: { message: "no" } });
});

test("a logic that throws for its initial state refuses the start", async () => {
  const broken = fromTransition(
    (state: number) => state,
    () => {
      throw new Error("no state");
    },
  );
  const supervisor = await startSupervisor({});
  expect(await refusal(supervisor.startChild({ id: "b", start: broken }))).toMatchObject({
    reason: "start_failed",
    cause: { message: "no state" },
  });
});

test("a shutdown runs the cleanup of callback logic and ends shutdown, a kill ends killed", async () => {
  const done: string[] = [];
  const callback = fromCallback(() => () => void done.push("cleaned"));
  const asked = await actorChild(callback);
  asked.shutdown({ kind: "shutdown", detail: "enough" });
  expect(await asked.exited).toEqual({ kind: "shutdown", detail: "enough" });
  const killed = await actorChild(callback);
  killed.kill();
  expect(await killed.exited).toEqual({ kind: "killed" });
  expect(done).toEqual(["cleaned", "cleaned"]);
});

test("a shutdown event lets the actor end by itself, within its deadline", async () => {
  const { clock } = stage();
  const polite = createMachine({
    initial: "on",
    states: { on: { on: { bye: "off" } }, off: { type: "final" } },
  });
  const deaf = createMachine({ initial: "on", states: { on: {} } });
  for (const [machine, kind] of [
    [polite, "normal"],
    [deaf, "killed"],
  ] as const) {
    const start = (): Promise<ActorChild> => actorChild(machine, { shutdownEvent: { type: "bye" } });
    const supervisor = await startSupervisor({ children: [{ id: "m", shutdown: 500, start }] }, { clock });
    const { child } = await supervisor.whichChild("m");
    const ended = supervisor.shutdown();
    await settled();
    clock.advance(500);
    await ended;
    expect(await (child as ActorChild).exited).toEqual({ kind });
  }
});

test("a reducer that throws on events it does not know still ends shutdown: it never sees XState's own stop", async () => {
  const seen: string[] = [];
  const strict = fromTransition((state: null, event: { type: "known" }) => {
    seen.push(event.type);
    if (event.type !== "known") throw new Error(`unknown event`);
    return state;
  }, null);
  const child = await actorChild(strict);
  void child.send({ type: "known" });
  await settled();
  child.shutdown({ kind: "shutdown" });
  expect(await child.exited).toEqual({ kind: "shutdown" });
  expect(seen).toEqual(["known"]);
});

test("`after` transitions of an actor follow the supervisor's clock", async () => {
  const { clock } = stage();
  const machine = createMachine({ initial: "a", states: { a: { after: { 1000: "b" } }, b: {} } });
  const supervisor = await startSupervisor({ children: [{ id: "m", start: machine }] }, { clock });
  const { child } = await supervisor.whichChild("m");
  clock.advance(1000);
  await settled();
  expect((child as ActorChild<typeof machine>).actor.getSnapshot().value).toBe("b");
});

test("a full mailbox refuses the sender, drops the oldest, or makes the sender wait, as its policy says", async () => {
  const seen: unknown[] = [];
  const log = fromTransition((state: null, event: { type: string }) => (seen.push(event.type), state), null);
  const rejecting = await actorChild(log, { mailbox: { capacity: 2 } });
  void rejecting.send({ type: "1" });
  void rejecting.send({ type: "2" });
  expect(() => rejecting.send({ type: "3" })).toThrow(MailboxFullError);
  expect(rejecting.mailboxLength).toBe(2);
  await settled();
  expect(seen.splice(0)).toEqual(["1", "2"]);

  const dropping = await actorChild(log, { mailbox: { capacity: 2, overflow: "drop_oldest" } });
  for (const type of ["1", "2", "3"]) void dropping.send({ type });
  await settled();
  expect(seen.splice(0)).toEqual(["2", "3"]);
  expect(dropping.dropped).toBe(1);

  const waiting = await actorChild(log, { mailbox: { capacity: 1, overflow: "wait" } });
  expect(waiting.send({ type: "1" })).toBeUndefined();
  const accepted = waiting.send({ type: "2" });
  expect(accepted).toBeInstanceOf(Promise);
  await accepted;
  await settled();
  expect(seen).toEqual(["1", "2"]);
});

test("a call is answered, times out by the injected clock, fails when the child ends, and finds nobody at once", async () => {
  const { clock } = stage();
  const child = await actorChild(counter);
  void child.send({ type: "add" });
  expect(await call(child, { type: "get" }, { clock })).toBe(1);
  const slow = call(child, { type: "hush" }, { timeoutMs: 100, clock });
  const timedOut = expect(slow).rejects.toMatchObject({ reason: "call_timeout", code: "LEMON_CALL_TIMEOUT" });
  clock.advance(100);
  await timedOut;
  const doomed = call(child, { type: "hush" }, { timeoutMs: "infinity", clock });
  const exited = expect(doomed).rejects.toMatchObject({
    reason: "call_exited",
    exit: { kind: "crash" },
  } satisfies Partial<CallError>);
  void child.send({ type: "boom" });
  await exited;
  expect(await refusal(call(child, { type: "get" }, { clock }))).toMatchObject({ reason: "noproc" });
  expect(clock.pending).toBe(0);
});

test("messages that an actor sends itself get their turn without starving timers", async () => {
  let isOver = false;
  let count = 0;
  const box: { child?: ActorChild } = {};
  const loop = fromTransition((state: null) => {
    count += 1;
    if (!isOver) void box.child?.send({ type: "again" });
    return state;
  }, null);
  box.child = await actorChild(loop);
  void box.child.send({ type: "again" });
  await new Promise((resolve) => setTimeout(resolve, 0)); // fires only when the mailbox yields
  isOver = true;
  expect(count).toBeGreaterThan(0);
  box.child.kill();
});
