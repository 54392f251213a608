/**
 * What docs/reference/facts.md says of each fact beyond what the catalogue and the schemas know. A fact, a member or a
 * shape without words fails the generator, and so do words that belong to nothing.
 */

/**
 * Sections of the page, each with the beginning of the names that stand in it.
 *
 * @type {[string, string[]][]}
 */
export const sections = [
  ["Sessions", ["session."]],
  ["What a caller sends", ["prompt.", "steer.", "follow_up.", "abort."]],
  ["Runs and turns", ["agent.", "turn.", "turn_budget.", "message."]],
  ["Models", ["model."]],
  ["Tool calls", ["tool_call.", "approval."]],
  ["Supervision", ["child.", "supervisor."]],
];

/** Members that mean the same wherever they stand. */
export const commonMembers = {
  callId: "The call. The runtime gives it, so it is unique in the session whatever the provider sent.",
  runId: "The run: `run_` and 16 hexadecimal digits.",
  content: "Text and images.",
  turn: "1 for the first turn of the run.",
  requestSha256:
    "Digest of what the model was sent: the system prompt and each message. Replay builds it again.",
  toolsSha256: "Digest of the tools that were offered with it.",
  usage: "Tokens.",
  model: "`provider/model-id`.",
  approval: "What becomes of a call that asks for approval.",
  maxToolConcurrency: "How many calls may run at once. `null`: no limit.",
  maxToolTurns: "Turns with calls before the run ends as failed. `null`: no limit.",
  script: "A script in place of a model. Its bytes are a blob, so that a resumed session needs no file.",
  "script.path": "Where the script was read.",
  "script.sha256": "Its blob.",
  extensions: "Paths of the extension files that the session was started with.",
  supervisor: "Path in the tree, such as `runtime/services/sessions`.",
  childId: "The child's id in its supervisor.",
  instance: "Grows with every start under one supervisor, so it tells one life of a child from the next.",
  childType: "Whether the child is a supervisor itself.",
  hooks: "How many intercepting hooks judge the call. 0 in this version.",
  idempotent: "Whether the tool may be run again when it is not known whether it ran.",
  details: "For people and programs. The model never sees it.",
  status: "HTTP status, if one refused the request.",
};

/** @type {Record<string, { purpose: string, members?: Record<string, string> }>} */
export const facts = {
  "session.started": {
    purpose:
      "The session exists. The first fact that the root takes; what it says holds until `session.configured`.",
    members: {
      sessionId: "The stream is `session-` and this id.",
      cwd: "Absolute path of the folder where its tools work.",
      systemPrompt:
        "The whole system prompt, so that a later change of its text changes no session that exists.",
    },
  },
  "session.configured": {
    purpose:
      "The settings were changed, for example by `--model` or `--approve` at a resume. All of them stand here.",
  },
  "session.shut_down": {
    purpose: "The session was closed in good order. It can be resumed all the same.",
    members: { reason: "The words of whoever closed it." },
  },

  "prompt.submitted": {
    purpose:
      "A caller asked for something: the first user message of a run, which it opens. It is refused, and not recorded, while a run is open. Version 1 held `text` instead of `content`.",
  },
  "steer.submitted": {
    purpose:
      "A user message for the open run. It waits in the session, and reaches the model as `message.appended` before its next request.",
  },
  "follow_up.submitted": {
    purpose: "A user message for when the open run would end. It then opens another turn instead.",
  },
  "abort.requested": {
    purpose:
      "A caller wants the run to end. The root ends the calls that wait and what is asked of the model; each runner ends its own call.",
    members: { reason: "The words of whoever aborted." },
  },

  "agent.started": { purpose: "A run began." },
  "agent.ended": {
    purpose:
      "The run ended: its outcome. An input only when the session's actors crashed so often that they were given up; then `actor` is `recovery` and the class `session_crashed`.",
    members: {
      status: "How the run ended.",
      stopReason: "Why. The first three belong to `completed`.",
      error: "The failure that ended it, `null` without one. Never a provider's text.",
      "error.class": "Its class, as in [models](models.md), or `session_crashed`.",
      usage: "Tokens of the whole run, failed attempts included.",
      turns: "How many turns it had.",
    },
  },
  "turn.started": { purpose: "A turn began: one request to the model, with what it asks for." },
  "turn.ended": {
    purpose: "The model's answer and all its calls are through.",
    members: { toolCalls: "How many calls the answer held." },
  },
  "turn_budget.exhausted": {
    purpose: "The run has had as many turns with calls as `maxToolTurns` allows, and ends as failed.",
    members: { toolTurns: "How many it had.", maxToolTurns: "How many it may have." },
  },
  "message.appended": {
    purpose:
      "A user message entered the conversation inside a run. The prompt and the model's answers are messages by themselves and have no such fact.",
    members: { source: "Which kind of message it was sent as." },
  },

  "model.requested": {
    purpose:
      "The model is asked. What it is sent is built from the transcript as it stands here, so it need not be recorded.",
    members: {
      attempt:
        "1 for the first. A request that was lost with its process is made again with the same number.",
    },
  },
  "model.responded": {
    purpose:
      "The model's whole answer. Pieces of it are live only; the log never holds half an answer as an answer.",
    members: {
      modelId: "What the provider says answered.",
      content: "Text and thinking, in the order in which they came.",
      calls: "The tool calls, in order. Each of them has exactly one end.",
      finishReason: "Why the model stopped.",
    },
  },
  "model.failed": {
    purpose: "An attempt failed. With a `delayMs` it is tried again; without one the run ends as failed.",
    members: {
      class:
        "The class of the failure ([models](models.md)), or the word of an error ([errors](errors.md)) such as `unknown_model`.",
      retryable: "Whether the class may go away by itself.",
      delayMs: "Milliseconds to wait before the next attempt, chance included. `null`: there is none.",
      partialText: "What had arrived of the text, for people. It is never taken for an answer.",
    },
  },
  "model.lost": {
    purpose:
      "The process died, or the lease was lost, while the model was asked. The session asks again; this counts as no attempt.",
  },
  "model.cancelled": {
    purpose: "The run was aborted while the model was asked, or while it waited to ask again.",
  },
  "model.retry_scheduled": {
    purpose: "The session waits before it asks again.",
    members: {
      attempt: "The attempt to come.",
      delayMs: "Milliseconds to wait, from the failure.",
      dueAt: "Epoch milliseconds. After a restart only what is left of the wait is waited for.",
    },
  },
  "model.retry_due": { purpose: "The wait is over." },

  "tool_call.requested": {
    purpose:
      "The session lets a call of the answer begin, in its turn; its runner exists from here on. The arguments stand in `model.responded`.",
    members: { name: "The tool.", approval: "What the policy says of this call." },
  },
  "tool_call.blocked": {
    purpose: "One of the three ends of a call: it was not allowed to run. Nothing was started.",
    members: { errorType: "`approval_denied`.", reason: "Told to the model." },
  },
  "approval.requested": {
    purpose: "The call waits for a person. A restart lets it go on waiting.",
    members: { name: "The tool." },
  },
  "approval.resolved": {
    purpose: "A person, or a program in their name, answered.",
    members: {
      verdict: "What was said.",
      reason: "Told to the model when the call is denied; `null` for none.",
    },
  },
  "tool_call.started": {
    purpose: "The tool runs once this is durable, and not before.",
    members: { name: "The tool." },
  },
  "tool_call.process_started": {
    purpose:
      "A command's process exists and waits at its gate: it begins only when this is durable. Recovery finds by it what outlived the runtime ([processes](processes.md)).",
    members: {
      pid: "Process id, which is also the id of its group.",
      startTime: "Clock ticks after boot at which it started; `null` where the system does not tell.",
      bootId: "Which boot of the machine; `null` where the system does not tell.",
      host: "Name of the machine.",
    },
  },
  "tool_call.returned": {
    purpose: "What the tool gave back.",
    members: {
      isError: "Whether the tool failed.",
      errorType: "Which failure ([tools](tools.md)), when the runtime wrote the result itself; else `null`.",
      content: "What the model is told.",
      trust: "`untrusted`: the text comes from someone else.",
    },
  },
  "tool_call.completed": {
    purpose:
      "One of the three ends of a call, and the usual one: after `tool_call.returned` by the runner, or by the session itself for a call that could not run or was aborted.",
    members: {
      isError: "Whether it ended without success.",
      reason: "Why it ended without its tool's own result, such as `aborted` or `unknown_tool`; else `null`.",
      content: "What the model is told, if it differs from what the tool returned; else `null`.",
    },
  },
  "tool_call.interrupted": {
    purpose:
      "One of the three ends of a call: it had begun when the process died, or it cannot begin any more. Recovery says so, or the call's own effect. What had begun may have had an effect, and the model is told that.",
    members: {
      reason:
        "`process_died`: it ran. `arguments_not_stored`: its arguments held a secret, which only the old process knew. `tool_missing`: its tool is gone; not given by this version.",
    },
  },

  "child.started": { purpose: "A supervisor started a child for the first time, or because it was told to." },
  "child.exited": {
    purpose: "A child ended, by itself or because it was stopped.",
    members: { reason: "How." },
  },
  "child.restarted": {
    purpose: "A supervisor started a child again, after its own failure or a sibling's.",
    members: { restarts: "Restarts of this child so far." },
  },
  "child.start_failed": {
    purpose: "The start function of a child threw, or gave something that is no child.",
    members: { reason: "What it threw." },
  },
  "child.late_error": {
    purpose: "An error came out of code of a child that had ended. It crashes nothing.",
    members: { reason: "What it was." },
  },
  "supervisor.gave_up": {
    purpose: "More restarts than the intensity allows: the supervisor ended its children and itself.",
    members: {
      reason: "Of the restart that was one too many.",
      intensity: "Restarts that it allows.",
      periodSeconds: "Within so many seconds.",
    },
  },
};

/** Shapes that several facts share. `of` finds one in the schemas. */
export const shapes = {
  ContentBlock: {
    of: (schemas) => schemas["prompt.submitted"].shape.content.element,
    purpose: "A piece of a message.",
    members: { text: "The text.", data: "The bytes in base64.", mimeType: "Such as `image/png`." },
  },
  AssistantPart: {
    of: (schemas) => schemas["model.responded"].shape.content.element,
    purpose: "A piece of an answer.",
    members: {
      text: "The text.",
      providerMetadata: "What the provider wants back with it, such as a signature; opaque.",
    },
  },
  ModelCall: {
    of: (schemas) => schemas["model.responded"].shape.calls.element,
    purpose: "A call as the model wrote it, and what was known of its tool when the answer arrived.",
    members: {
      providerCallId: "What the provider called it; never sent back.",
      name: "The tool, under its own name if it is known.",
      args: "The arguments; `null` when their text is no JSON object.",
      argumentsText: "Their text, when `args` is `null`.",
      providerMetadata: "What the provider wants back with it; opaque.",
      refusal: "Why the call cannot run: an unknown tool or bad arguments. `null`: it can.",
      "refusal.errorType": "Which fault ([tools](tools.md)).",
      "refusal.message": "Told to the model.",
      "refusal.errors": "Each fault of the arguments.",
      masked: "The arguments held a secret: the log has the masked form, only this process the real one.",
      parallelSafe: "Whether the call may overlap with others like it.",
      approval: "What the policy says of this call.",
    },
  },
  Usage: {
    of: (schemas) => schemas["model.responded"].shape.usage,
    purpose: "Tokens, as the provider counts them.",
    members: {
      inputTokens: "All that was sent.",
      outputTokens: "All that came back.",
      cachedInputTokens: "The part of the input that was read from the provider's cache.",
      reasoningTokens: "The part of the output that was thinking.",
    },
  },
  ApprovalMode: {
    of: (schemas) => schemas["session.configured"].shape.approval,
    purpose: "`auto`: runs without asking. `ask`: waits for a person. `deny`: is blocked.",
  },
  ExitReason: {
    of: (schemas) => schemas["child.exited"].shape.reason,
    purpose: "How a supervised child ended.",
    members: {
      kind: "Which way.",
      detail: "Text, or an error as `{ name, message, code?, cause? }`; never a stack.",
    },
  },
};
