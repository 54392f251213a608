/**
 * A pipeline of three actors under `rest_for_one`: what comes after a stage depends on it, what comes before does not.
 * The parser crashes on bad input, so the parser and the sink start afresh while the source keeps its count.
 */
import {
  type ActorChild,
  actorChild,
  startSupervisor,
  type SupervisionEvent,
} from "lemon-runtime/supervision";
import { type AnyActorLogic, fromTransition } from "xstate";

type Line = { type: "line"; text: string };
type Amount = { type: "amount"; value: number };

/** Where each stage finds the next one: by name, since a restart puts a new child in its place. */
const stages = new Map<string, ActorChild>();

const source = fromTransition((count: number, line: Line) => {
  void stages.get("parser")?.send(line);
  return count + 1;
}, 0);

const parser = fromTransition((count: number, { text }: Line) => {
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`not a number: ${text}`);
  void stages.get("sink")?.send({ type: "amount", value } satisfies Amount);
  return count + 1;
}, 0);

const sink = fromTransition((sum: number, { value }: Amount) => sum + value, 0);

/** Starts an actor and puts it into its place. */
const stage = (id: string, logic: AnyActorLogic) => ({
  id,
  start: async () => {
    const child = await actorChild(logic);
    stages.set(id, child);
    return child;
  },
});

const say = (event: SupervisionEvent): void => {
  const reason = "reason" in event ? ` (${event.reason.kind})` : "";
  process.stdout.write(`${event.type} ${event.childId}${reason}\n`);
};

const supervisor = await startSupervisor(
  {
    strategy: "rest_for_one",
    intensity: 3,
    children: [stage("source", source), stage("parser", parser), stage("sink", sink)],
  },
  { name: "pipeline", onEvent: say },
);

const feed = async (...texts: string[]): Promise<void> => {
  for (const text of texts) await stages.get("source")?.send({ type: "line", text });
  await new Promise((resolve) => setImmediate(resolve)); // the messages are taken after this turn
};
const contexts = (): string =>
  [...stages].map(([id, { actor }]) => `${id} ${String(actor.getSnapshot().context)}`).join(", ");

await feed("1", "2");
process.stdout.write(`${contexts()}\n`);
await feed("three");
await feed("4");
process.stdout.write(`${contexts()}\n`);
await supervisor.shutdown();
