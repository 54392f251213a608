/** A supervisor over an XState actor and a promise task: what crashes comes back, and the end is orderly. */
import {
  actorChild,
  call,
  monitor,
  promiseChild,
  type Reply,
  startSupervisor,
  type SupervisionEvent,
} from "lemon-runtime/supervision";
import { fromTransition } from "xstate";

// An actor: any XState v5 logic. An event that is a call carries `reply`.
type CounterEvent = { type: "add"; by: number } | { type: "get"; reply: Reply };
const counter = fromTransition((count: number, event: CounterEvent) => {
  if (event.type === "get") {
    event.reply.answer(count);
    return count;
  }
  if (event.by < 0) throw new Error("only forwards");
  return count + event.by;
}, 0);

// A task: an async function that ends when its signal fires.
const heartbeat = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => undefined, 1000);
    signal.addEventListener("abort", () => resolve(clearInterval(timer)), { once: true });
  });

const say = (event: SupervisionEvent): void => {
  const reason = "reason" in event ? ` (${event.reason.kind})` : "";
  process.stdout.write(`${event.type} ${event.supervisor}/${event.childId}${reason}\n`);
};

const supervisor = await startSupervisor(
  {
    strategy: "one_for_one",
    intensity: 3, // at most three restarts
    periodSeconds: 10, // within ten seconds, or it gives up
    children: [
      { id: "counter", start: () => actorChild(counter) },
      { id: "heartbeat", restart: "transient", shutdown: 1000, start: () => promiseChild(heartbeat) },
    ],
  },
  { name: "app", onEvent: say },
);

const findCounter = async () => {
  const { child } = await supervisor.whichChild("counter");
  return child as Awaited<ReturnType<typeof actorChild<typeof counter>>>; // what its start gives
};

const first = await findCounter();
void first.send({ type: "add", by: 2 });
process.stdout.write(`count ${await call<number>(first, { type: "get" }, { timeoutMs: 1000 })}\n`);

const down = new Promise((resolve) => monitor(first, resolve));
void first.send({ type: "add", by: -1 }); // throws: the actor crashes and is started again
await down;

const second = await findCounter();
process.stdout.write(`count ${await call<number>(second, { type: "get" })}\n`);

for (const { id, state, instance, restarts } of supervisor.tree().children) {
  process.stdout.write(`${id}: ${state}, instance ${instance}, restarts ${restarts}\n`);
}
await supervisor.shutdown();
