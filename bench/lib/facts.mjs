/** Facts of a tool call as a session records them, for measures of the log alone. Known types: the log checks them. */
const callId = "call_0123456789abcdef";
const name = "bash";
const mode = "normal";
const output = "src/index.ts\nsrc/errors.ts\nsrc/ports.ts\nsrc/log/index.ts\nsrc/log/open.ts\n";

const shapes = [
  ["model.requested", "decision", { turn: 12, attempt: 1, mode, mayCompact: true }],
  [
    "tool_call.requested",
    "decision",
    { callId, name, approval: "auto", hooks: 0, resultHooks: 0, idempotent: false, mode },
  ],
  ["tool_call.started", "decision", { callId, name, idempotent: false, args: null, mode }],
  [
    "tool_call.returned",
    "input",
    {
      callId,
      isError: false,
      errorType: null,
      isThrown: false,
      content: [{ type: "text", text: output }],
      details: { exitCode: 0 },
      trust: "trusted",
      receipt: null,
    },
  ],
  ["tool_call.completed", "decision", { callId, isError: false, reason: null, content: null, details: null }],
  ["turn.ended", "decision", { turn: 12, toolCalls: 1 }],
];

/** The n-th fact of an endless session. Its data is an object of its own: nothing may be checked once for all. */
function factAt(n) {
  const [type, kind, data] = shapes[n % shapes.length];
  return {
    type,
    kind,
    at: 1_700_000_000_000 + n,
    actor: "sessions/s1/tool_runner/call_0123456789abcdef",
    causation: n === 0 ? null : n,
    correlation: "run_0123456789abcdef",
    data: structuredClone(data),
  };
}

/** @param from - index of the first */
export function factsFrom(from, count) {
  return Array.from({ length: count }, (_, index) => factAt(from + index));
}
