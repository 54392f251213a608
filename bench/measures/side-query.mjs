/**
 * A turn that streams for about half a second, of a session with a long conversation, while side queries are asked about it, against the
 * same turn left alone. What the queries' model takes is waiting; what is measured is what they take from the turn.
 */
import path from "node:path";
import { createRuntime } from "../../dist/index.js";
import { compare, figure, millisecondsOf, ratioAtMost } from "../lib/compare.mjs";
import { freshFolder, scaled } from "../lib/place.mjs";

const pieces = 100;
const pieceMs = 5;
/** Asked one after the other from the first piece on. */
const queries = 4;
const queryMs = 50;

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const answer = (text) => ({
  type: "answered",
  content: [{ type: "text", text }],
  calls: [],
  finishReason: "stop",
  usage,
  modelId: "bench",
});
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function measure() {
  const folder = freshFolder("side-query");
  let isShort = true;
  let began = () => undefined;
  const streaming = {
    ref: "bench/stream",
    request: async (_context, { onDelta }) => {
      if (isShort) return answer("x".repeat(2_000));
      for (let piece = 0; piece < pieces; piece += 1) {
        await wait(pieceMs);
        onDelta({ type: "text", text: "a piece of it " });
        if (piece === 0) began();
      }
      return answer("a piece of it ".repeat(pieces));
    },
  };
  const asked = {
    ref: "asked/one",
    request: async () => {
      await wait(queryMs);
      return answer("So.");
    },
  };
  const runtime = await createRuntime({
    home: folder,
    cwd: folder,
    log: path.join(folder, "log.db"),
    models: { bench: streaming, asked },
    env: { LEMON_CHECKPOINTS_EXPORT: "false" },
  });
  const session = await runtime.sessions.start({ model: "bench/stream" });
  for (let run = 0; run < scaled(100); run += 1)
    await session.prompt(`Do the ${run}th thing. ${"y".repeat(500)}`);
  isShort = false;
  let answered = 0;
  let slowest = 0;
  const turn = async (count) => {
    const beginning = new Promise((resolve) => (began = resolve));
    let asking = Promise.resolve();
    const milliseconds = await millisecondsOf(async () => {
      const running = session.prompt("Go on.");
      await beginning;
      asking = ask(count);
      await running;
    });
    await asking;
    return milliseconds;
  };
  const ask = async (count) => {
    for (let query = 0; query < count; query += 1) {
      const { durationMs } = await runtime.sideQuery.ask(session, "What are you at?", { model: "asked/one" });
      answered += 1;
      slowest = Math.max(slowest, durationMs - queryMs);
    }
  };
  const measured = await compare(
    () => turn(queries),
    () => turn(0),
    { rounds: 9, warmups: 2 },
  );
  await runtime.close();
  return [
    figure({
      name: `a streaming turn beside ${queries} side queries`,
      unit: "ms",
      ...measured,
      goal: ratioAtMost(1.05),
      note: `${answered} answered; at most ${slowest} ms beyond their model's ${queryMs} ms`,
    }),
  ];
}
