/**
 * A model server in a process of its own: the OpenAI chat protocol, streamed. It asks for `calls` calls, one an answer,
 * and then says that it is done. Which answer is due it reads off the request, so any number of sessions may ask.
 *
 * Sends its port to its parent.
 */
import { createServer } from "node:http";
import { callAt } from "../lib/tool-work.mjs";

const calls = Number(process.argv[2]);

const server = createServer((request, response) => {
  const body = [];
  request.on("data", (bytes) => body.push(bytes));
  request.on("end", () => {
    const { messages } = JSON.parse(Buffer.concat(body).toString("utf8"));
    answer(response, messages.filter(({ role }) => role === "assistant").length);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());

function answer(response, turn) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choices, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: `a${turn}`, object: "chat.completion.chunk", created: 1, model: "mock", choices, ...more })}\n\n`,
    );
  const delta = (change, finish = null) => send([{ index: 0, delta: change, finish_reason: finish }]);
  delta({ role: "assistant", content: "" });
  if (turn >= calls) {
    for (const word of ["All ", "is ", "done."]) delta({ content: word });
    delta({}, "stop");
  } else {
    for (const word of ["I ", "take ", "the ", "next ", "step."]) delta({ content: word });
    const { name, args } = callAt(turn);
    delta({
      tool_calls: [{ index: 0, id: `call_${turn}`, type: "function", function: { name, arguments: "" } }],
    });
    for (const piece of piecesOf(JSON.stringify(args))) {
      delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    delta({}, "tool_calls");
  }
  send([], { usage: { prompt_tokens: 100 + turn, completion_tokens: 20, total_tokens: 120 + turn } });
  response.end("data: [DONE]\n\n");
}

function piecesOf(text) {
  return text.match(/.{1,16}/gsu) ?? [];
}
