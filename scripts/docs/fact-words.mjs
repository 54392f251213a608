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
  ["Sessions", ["session.s", "session.forked", "session.configured", "plan_mode."]],
  ["What a caller sends", ["prompt.", "steer.", "follow_up.", "abort."]],
  ["Runs and turns", ["agent.", "turn.", "turn_budget.", "message."]],
  ["Models", ["model."]],
  ["Compaction", ["compaction.", "session.compacted"]],
  ["Tool calls", ["tool_call.", "approval.", "plan."]],
  ["Todos and checkpoints", ["todos.", "checkpoint."]],
  ["Feature requirements", ["features.", "feature_file.", "feature."]],
  ["Background runs", ["background_run."]],
  ["Hooks", ["hook.", "hook_context."]],
  ["Extensions", ["extensions.", "extension.", "extension_status_report.", "tool.", "provider."]],
  ["Supervision", ["child.", "supervisor."]],
  ["Subagents", ["subagent."]],
  ["Introspection", ["introspection."]],
  ["Side queries", ["side_query."]],
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
  extensions: "Files and folders of extensions that the session was given beside those that are configured.",
  extensionPaths: "In place of those that are configured. `null`: the configuration holds.",
  disabled: "Names of tools that are not offered.",
  enabledOnly: "The only tools that are offered; then `disabled` has no effect. `null`: all.",
  includeExtensions: "Whether extensions take part in the session at all.",
  lineage: "Whose work the session is, and who asked for it.",
  "lineage.origin": "`session`, `background` for a background run, `subagent` for a subagent.",
  "lineage.sessionKey":
    "`session:` and the id unless the caller gave another; `background:` or `task:` and the id.",
  "lineage.parentSessionId": "The session that asked for it.",
  "lineage.parentSessionKey": "The key under which it asked; a caller may give it.",
  "lineage.agentId": "A name that the caller gave.",
  "lineage.depth": "How many subagents deep it is.",
  "lineage.ownSystemPrompt": "The caller gave the system prompt.",
  thinkingLevel: "How much the model is to think before it answers; `null`: as it does by itself.",
  ranMs: "Milliseconds of work, over all attempts so far.",
  partialText:
    "What the model had written by then, where the session's own facts do not hold it; else `null`.",
  toolPolicy: "Which tools are offered, and which calls have to be approved ([policy](policy.md)).",
  "toolPolicy.allow": "`all`, or the only tools that are offered.",
  "toolPolicy.deny": "Tools that are not offered.",
  "toolPolicy.blockedTools": "The same.",
  "toolPolicy.requireApproval": "Tools whose calls ask at least.",
  "toolPolicy.approvals": "Modes by the name of a tool, or by the beginning of names with `*` after it.",
  load: "One load: the extensions for one working directory and one list of places.",
  generation: "Grows with each reload in the runtime: what is loaded together has one generation.",
  module: "The id of the extension.",
  sourcePath: "Its file; `null` for an object of the program.",
  sha256: "Digest of the code that ran; `null` for an object of the program.",
  handler: "Its place among the handlers of this hook and extension, from 0.",
  durationMs: "Milliseconds.",
  kind: "How it failed: `invalid` is an answer that is no JSON, `crash` the end of its worker, `quarantined` one that was not asked.",
  supervisor: "Path in the tree, such as `runtime/services/sessions`.",
  childId: "The child's id in its supervisor.",
  instance: "Grows with every start under one supervisor, so it tells one life of a child from the next.",
  childType: "Whether the child is a supervisor itself.",
  hooks: "How many handlers of `onToolCall` judge the call.",
  resultHooks: "How many handlers of `onToolResult` review its result.",
  idempotent: "Whether the tool may be run again when it is not known whether it ran.",
  details: "For people and programs. The model never sees it.",
  status: "HTTP status, if one refused the request.",
  tokens: "What the request is taken to have.",
  window: "What the model is taken to have room for, its answer included.",
};

/** @type {Record<string, { purpose: string, members?: Record<string, string> }>} */
export const facts = {
  "hook.requested": {
    purpose: "Handlers of this hook are asked about a call, or about its result. Only where there are any.",
    members: { hook: "Which hook." },
  },
  "hook.answered": {
    purpose:
      "What each handler answered. What follows from it is a fold over these answers ([hooks](hooks.md)), so replay needs no extension.",
    members: {
      hook: "Which hook.",
      masked: "Whether the answers held a secret: then the log has their masked form.",
      answers:
        "In registration order, each with `module`, `sha256`, `handler`, `durationMs`, and `answer` (what it returned, as JSON) or `failure` (`kind`, `class`, `message`). Handlers after one that blocked did not run and are not there.",
    },
  },
  "hook.failed": {
    purpose: "A handler of a hook that only observes failed. Nothing else follows from it.",
    members: {
      hook: "Which hook.",
      class: "The class that was thrown, else the kind.",
      message: "What it said.",
      callId: "The call that it was about; `null` for none.",
    },
  },
  "hook_context.appended": {
    purpose:
      "What handlers of `onSessionStart` gave the model to know entered the conversation. In an open batch of calls it follows their results.",
    members: {
      hook: "Which hook.",
      text: "What the model is shown, label line included.",
      from: "Which handlers had a part in it, in their order: `module`, `sha256`, `handler`.",
    },
  },
  "extension_status_report.published": {
    purpose:
      "How the extensions are, after the start of the session, after a reload, and when one was quarantined ([status report](status-report.md)).",
    members: { report: "The report." },
  },
  "extensions.requested": {
    purpose:
      "A load begins: these files and objects were found. Stands in `extensions-<runtime id>`, as all that follows.",
    members: {
      cwd: "The working directory.",
      searchPaths:
        "Where was looked, in that order: `path`, `origin` (`configured`, `global`, `project`, `option`), `exists`.",
      candidates:
        "What was found, in search order; objects of the program stand last. Of equal modules the last is kept.",
    },
  },
  "extension.overridden": {
    purpose: "It gave way to another of its module, and none of its code ran.",
    members: { keptSourcePath: "The file that was kept; `null` for an object." },
  },
  "extension.loaded": {
    purpose: "It loaded, and is valid.",
    members: {
      name: "Its name.",
      version: "Its version.",
      capabilities: "The words that it declares.",
      configSchema: "JSON Schema of its settings.",
    },
  },
  "extension.load_failed": {
    purpose: "A file could not be loaded. All others load.",
    members: { error: "What is known of it.", errorMessage: "For people." },
  },
  "extension.validation_failed": {
    purpose: "It loaded, and can't be used.",
    members: { errors: "Every fault, in the order of its members." },
  },
  "extension.warned": {
    purpose: "Something is odd about it; it is used all the same.",
    members: { warnings: "What is odd." },
  },
  "extensions.collected": {
    purpose: "All that the extensions of a load bring. Who wins is decided on it.",
    members: {
      replaces: "The load whose place it takes in one session; `null` for a first one.",
      releases: "Whether nobody else used that one.",
      loadedAt: "Epoch milliseconds.",
      builtIn: "Built-in tools, in their order.",
      tools: "Tools of extensions: `module`, `sourcePath`, `name`.",
      providers: "Providers of extensions: `type`, `name`, `module`, `sourcePath`.",
      core: "Providers that were there before any extension: `type`, `name`.",
    },
  },
  "tool.shadowed": {
    purpose: "A tool lost its name to another.",
    members: { name: "The name.", winner: "Who has it.", loser: "Who lost it." },
  },
  "provider.registered": {
    purpose: "A provider of an extension can be used. Loads that bring the same one share it.",
    members: { type: "What it provides.", name: "Its name." },
  },
  "provider.conflicted": {
    purpose: "More than one wanted a name.",
    members: {
      type: "What they provide.",
      name: "The name.",
      winner: "The module that has it, or `builtin`.",
      shadowed: "Modules that lost.",
    },
  },
  "provider.unregistered": {
    purpose: "Its last load has gone.",
    members: { type: "What it provided.", name: "Its name." },
  },
  "extensions.reloaded": {
    purpose: "A load took the place of another. Once this is durable, the session that asked works with it.",
  },
  "extensions.released": { purpose: "Nobody uses the load any more." },
  "extension.restarted": {
    purpose: "A worker ended by itself, at a deadline, or for its memory, and was started again.",
    members: { cause: "Why it ended.", restarts: "How often so far." },
  },
  "extension.quarantined": {
    purpose: "A worker ended too often: nothing of the extension runs until a reload.",
    members: {
      reason: "Why it ended the last time.",
      since: "Epoch milliseconds.",
      restarts: "How often it was started again.",
    },
  },
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
  "session.forked": {
    purpose:
      "The session exists as a fork of another: it goes on from what that one was at a version. Always the first fact of its stream.",
    members: {
      sessionId: "The stream is `session-` and this id.",
      cwd: "Absolute path of the folder where its tools work.",
      from: "Id of the session that it was forked from, its parent.",
      at: "Version of the parent's last fact that belongs to its history.",
      runId:
        "The run that was open there, which the fork goes on with when it is resumed or prompted; `null` for none.",
      systemPrompt: "In place of the parent's, which names another folder; `null`: the parent's holds.",
      lineage: "As in `session.started`; a fork is a session of its own, whatever its parent was.",
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

  "plan_mode.entered": {
    purpose:
      "Plan mode is on from here: the next request offers its tools, and calls that have not started are [plan calls](plan-mode.md#during-a-run).",
  },
  "plan_mode.exited": { purpose: "Plan mode is off: the next request offers the session's tools again." },

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
      mode: "Whose tools the model is offered: the session's, or those of [plan mode](plan-mode.md).",
      mayCompact:
        "Whether the conversation may be [compacted](compaction.md) instead, which it is at most once in a turn.",
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
    purpose:
      "An attempt failed. With a `delayMs` it is tried again, with a `compaction` once the conversation is shorter; with neither the run ends as failed. Version 1 knew no `compaction`.",
    members: {
      class:
        "The class of the failure ([models](models.md)), or the word of an error ([errors](errors.md)) such as `unknown_model`.",
      retryable: "Whether the class may go away by itself.",
      delayMs: "Milliseconds to wait before the next attempt, chance included. `null`: there is none.",
      partialText: "What had arrived of the text, for people. It is never taken for an answer.",
      compaction: "It was refused as too long, and the conversation is compacted; else `null`.",
    },
  },
  "model.lost": {
    purpose:
      "The process died, or the lease was lost, while the model was asked. The session asks again; this counts as no attempt.",
  },
  "model.cancelled": {
    purpose:
      "The run was aborted while the model was asked, for an answer or a summary, or while it waited to ask again.",
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

  "compaction.due": {
    purpose: "The model was not asked: the request would be too long, and there is something to compact.",
  },
  "compaction.requested": {
    purpose: "The model is asked for a summary of the older part of the conversation.",
    members: { reason: "`refused`: the provider refused the request as too long." },
  },
  "session.compacted": {
    purpose: "From here on the model is sent a summary in the place of older messages.",
    members: {
      summary: "The model's words.",
      messages: "So many messages of the transcript, its first, are no longer sent; earlier summaries count.",
      kept: "Places of those among them that are sent all the same; the first message has 0.",
      room: "Tokens that the text to be summarised could have.",
      leftOut: "How many messages did not fit in there, and are in no summary.",
      tokensBefore: "What the request had been taken to have.",
      tokensAfter: "What the next one is taken to have.",
      modelId: "What the provider says answered.",
      requestSha256: "Digest of the request for the summary. Replay builds it again.",
    },
  },
  "compaction.failed": {
    purpose: "There is no summary, and the run goes on without one.",
    members: { class: "Why: a class of [models](models.md), or one of [compaction](compaction.md)." },
  },
  "compaction.lost": {
    purpose:
      "The process died, or the lease was lost, while the summary was asked for. It is asked for again.",
  },

  "tool_call.requested": {
    purpose:
      "The session lets a call of the answer begin, in its turn; its runner exists from here on. The arguments stand in `model.responded`.",
    members: {
      name: "The tool.",
      approval: "What the policy says of this call.",
      mode: "`plan` once plan mode was on at any time since the model was asked.",
    },
  },
  "tool_call.blocked": {
    purpose: "One of the three ends of a call: it was not allowed to run. Nothing was started.",
    members: {
      errorType: "`approval_denied`, `tool_blocked` or `plan_mode`.",
      reason: "Told to the model.",
      context: "What hooks want to be seen beside it, label line included; `null` for nothing.",
    },
  },
  "approval.requested": {
    purpose: "The call waits for a person. A restart lets it go on waiting.",
    members: {
      name: "The tool.",
      args: "What hooks put in the place of the model's arguments; `null`: nothing.",
    },
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
    members: {
      name: "The tool.",
      mode: "Whose tool of that name it is: the session's, or that of plan mode.",
      args: "What hooks put in the place of the model's arguments; `null`: nothing.",
    },
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
  "plan.proposed": {
    purpose: "The model proposes a plan. It changes no mode: that is for a person.",
    members: { planId: "`plan_` and 16 hexadecimal digits.", plan: "The plan, in the words of the model." },
  },
  "tool_call.returned": {
    purpose: "What the tool gave back.",
    members: {
      isError: "Whether the tool failed.",
      errorType: "Which failure ([tools](tools.md)), when the runtime wrote the result itself; else `null`.",
      isThrown: "Whether it is the message of an exception or of a crash: hooks see it and can't change it.",
      content: "What the model is told.",
      trust: "`untrusted`: the text comes from someone else.",
      receipt:
        "What the call changed ([receipts](receipts.md)). `null` for a tool that changes nothing, and for a call whose time was up: its receipt follows.",
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
  "tool_call.receipt_recorded": {
    purpose:
      "The receipt of a call that was aborted or whose time was up: its tool really ended only after the call had its result ([receipts](receipts.md)).",
    members: {
      receipt: "What the call changed.",
    },
  },
  "tool_call.interrupted": {
    purpose:
      "One of the three ends of a call: it had begun when the process died, or it cannot begin any more. Recovery says so, or the call's own effect. What had begun may have had an effect, and the model is told that.",
    members: {
      reason:
        "`process_died`: it ran. `arguments_not_stored`: its arguments held a secret, which only the old process knew. `tool_missing`: its tool is gone; not given by this version. `forked`: it had no end at the version at which the session was forked from its parent.",
      receipt:
        "What it had changed by then, as far as that can be told. `null` when it had not begun, or changes nothing.",
    },
  },

  "subagent.queued": {
    purpose:
      "A call gave a task to a subagent ([subagents](subagents.md)). The session of the subagent is `session-<taskId>`, with the task's id as its own.",
    members: {
      taskId: "The task: `task_` and 16 hexadecimal digits.",
      description: "For people.",
      role: "The role; `null` for none.",
      isAsync: "The call does not wait for it.",
      timeoutMs: "Milliseconds that it may take.",
      promptSha256: "The blob with what the subagent is told, the prompt of its role included.",
      model: "In place of the session's; `null`: the session's.",
      delegates: "Its role lets it have subagents of its own.",
    },
  },
  "subagent.started": {
    purpose: "The task had its turn in the lane: its subagent begins.",
    members: { taskId: "The task." },
  },
  "subagent.completed": {
    purpose:
      "The subagent came to an answer. The first of this and the following ends is the end of the task; others are not taken.",
    members: { taskId: "The task.", text: "The answer." },
  },
  "subagent.timed_out": {
    purpose: "The time of the task was up.",
    members: { taskId: "The task.", partialText: "What the subagent had said last; `null` for nothing." },
  },
  "subagent.cancelled": {
    purpose:
      "The task was ended by others. A decision of the session when it is aborted or shut down, an input otherwise.",
    members: {
      taskId: "The task.",
      cause:
        "`asked`: a call or a caller wanted it. `parent_aborted`, `parent_shut_down`: what became of the session. `call_ended`: the call that waited was cut off. `subagent_aborted`: the subagent's own session was.",
      callId: "The call that asked for it; `null` when none did.",
      reason: "In the words of who asked; `null` for none.",
    },
  },
  "subagent.failed": {
    purpose: "The subagent came to no answer.",
    members: {
      taskId: "The task.",
      class:
        "`model_failed`: its run failed, or its answer was cut off. `session_crashed`, `empty_answer`, `start_failed`: its session could not be opened.",
      partialText: "What it had said last; `null` for nothing.",
    },
  },
  "subagent.lost": {
    purpose: "The subagent was cut off and can't be taken up again.",
    members: { taskId: "The task.", partialText: "What it had said last; `null` for nothing." },
  },
  "subagent.reported": {
    purpose: "A call told the model how tasks ended, so no message has to.",
    members: { taskIds: "The tasks.", callId: "The call." },
  },
  "todos.written": {
    purpose: "The todo list is this from here on: every change writes the whole of it.",
    members: {
      action: "What changed it: `put` replaces, `resume` takes it from a checkpoint.",
      todos: "The list.",
      callId: "The call that wrote it; `null` for a caller.",
    },
  },
  "side_query.asked": {
    purpose:
      "A question was asked beside a conversation ([side queries](side-queries.md)). Stands in `side_query-<queryId>`, and is durable before a model is asked.",
    members: {
      queryId: "`sq_` and 16 hexadecimal digits.",
      question: "Without blanks around it.",
      sourceSessionId:
        "The session that it is about, whose the tokens are; `null` for a conversation of the caller's own.",
      source:
        "Where the conversation was found: in a session that is open here, in the log, or given by the caller.",
      model: "As it was asked for; `null` for that of the source, or the configured one.",
      thinkingLevel: "As it was asked for; `null` for that of the source.",
      timeoutMs: "Milliseconds that all of it may take.",
      limit: "Runs that are read of a session in the log.",
    },
  },
  "side_query.answered": {
    purpose: "The question was answered.",
    members: {
      text: "The answer, without reasoning.",
      modelId: "The model as the provider calls it.",
      usage: "Tokens of all its requests.",
      sourceVersion: "Version of the session that was read; `null` for a conversation of the caller's own.",
      messages: "How many messages of the conversation the model was shown.",
      leftOut: "How many it was not shown, since there was no room or they were beyond the limit.",
    },
  },
  "side_query.failed": {
    purpose: "The question was not answered, and will not be.",
    members: {
      reason: "What the caller was told.",
      why: "The class of the failure behind it ([failures](models.md#failures)), or `length`, `content_filter`, `empty_answer`, `internal`; `null` when the reason says all.",
      usage: "Tokens of all its requests.",
      durationMs: "Milliseconds; `null` when its process is gone.",
    },
  },
  "features.generation_requested": {
    purpose:
      "A model is about to be asked for the features of a project. Like all facts of features it stands in `features-<16 hexadecimal digits of the SHA-256 of the folder's path>`.",
    members: {
      cwd: "The folder, without links.",
      model: "`provider/model-id`.",
      prompt: "What the project shall be.",
      maxFeatures: "How many features are kept.",
    },
  },
  "features.generated": {
    purpose: "The model gave features. They are saved nowhere else until somebody saves them.",
    members: {
      cwd: "The folder, without links.",
      document: "What the model gave.",
      "document.projectName": "What the project is called.",
      "document.originalPrompt": "What the project shall be.",
      "document.features":
        "In the order in which the model gave them, with the members of [the file](features.md#the-file).",
      "document.createdAt": "ISO 8601.",
      "document.version": "Of the file's form.",
      dropped: "How many were beyond the limit.",
      renamed: "Ids that an earlier feature had, each with what took its place.",
    },
  },
  "features.generation_failed": {
    purpose: "The model gave no features.",
    members: {
      cwd: "The folder, without links.",
      reason: "The word of the [error](features.md#generating).",
      failure: "How the request to the model failed; else `null`.",
    },
  },
  "feature_file.written": {
    purpose:
      "The feature file is about to be written; nothing of it has been done before this fact is durable. Its outcome is the next `feature_file.write_finished` or `feature_file.write_abandoned` whose causation is this fact.",
    members: {
      cwd: "The folder, without links.",
      previousSha256: "Digest of the file that is replaced; `null` for none. It is a blob too.",
      sha256: "Digest of the new bytes, which are a blob.",
    },
  },
  "feature.status_changed": {
    purpose:
      "The status of a feature is set by the write right before this fact; of one that is abandoned it never was.",
    members: {
      cwd: "The folder, without links.",
      featureId: "Which feature, or all that share the id.",
      from: "The status before; of several features that of the first.",
      to: "The status from then on.",
      notesChanged: "Whether it has other notes now.",
      sessionId: "The session that it was set for; `null` for none.",
    },
  },
  "feature_file.write_finished": {
    purpose: "The new bytes are in place and durable.",
    members: { cwd: "The folder, without links.", sha256: "Digest of the file." },
  },
  "feature_file.write_abandoned": {
    purpose:
      "The file was changed by somebody else before the new bytes were in place, or could not be written.",
    members: {
      cwd: "The folder, without links.",
      previousSha256: "Digest of the file that was to be replaced; `null` for none.",
      sha256: "Digest of the bytes that were not written.",
    },
  },
  "feature_file.changed_outside": {
    purpose: "The file is not the one that was last written or seen: somebody else changed it.",
    members: { cwd: "The folder, without links.", sha256: "Digest of the file." },
  },
  "checkpoint.created": {
    purpose: "A checkpoint was taken. Bytes of files are blobs, never here.",
    members: {
      checkpointId: "`chk_` and 16 hexadecimal digits.",
      kind: "`session`: what the caller and the harness know. `filesystem`: files.",
      origin: "`guard`: before a tool changed files. `pre_restore`: before a restore.",
      tool: "The tool that it was taken for; else `null`.",
      callId: "The call that it was taken in; `null` for a caller.",
      runId: "The run that the caller named; else `null`.",
      cwd: "Which its paths were resolved against; `null` for a session checkpoint.",
      point: "Whether it stands for whatever calls change after it.",
      files: "Files as they were found.",
      content: "Of a session checkpoint, as far as it is small; else `null`.",
      "content.state": "The caller's.",
      "content.context": "The caller's.",
      "content.todos": "The todo list.",
      "content.requirements": "The feature file; `null` for none.",
      contentSha256: "The blob that holds `content` when it is larger than 256 KiB.",
      metadata: "What the caller added.",
      bytes: "Bytes of its files, or of its content.",
    },
  },
  "checkpoint.deleted": {
    purpose: "A checkpoint is no longer offered. What it held stays in the log.",
    members: {
      checkpointId: "Which.",
      cause: "`retention`: it was the oldest of too many.",
      callId: "The call that deleted it; `null` for a caller and for retention.",
    },
  },
  "checkpoint.restore_started": {
    purpose: "Files are about to be put back: nothing of it has been done before this fact is durable.",
    members: {
      restoreId: "Tells one restore from another.",
      checkpointId: "From which checkpoint; `null` when from the state after the fact `at`.",
      at: "A version of the session; `null` when from a checkpoint.",
      preRestoreCheckpointId: "The checkpoint that undoes it.",
      force: "Whether conflicts are overwritten.",
      callId: "The call that asked for it; `null` for a caller.",
      cwd: "The working directory of the checkpoint.",
      plan: "The paths to be touched, in their order, each with `path`, `action` (`overwrite`, `recreate`, `remove`, `chmod`), `targetSha256` and `targetMode` (what shall stand there), `currentSha256` and `currentMode` (what stood there; `null` in either for no file), and `stage`: the sibling that holds the new bytes until they take the file's place.",
      settled: "What was decided of the other paths: as `results` in `checkpoint.restored`.",
      createdDirs: "Directories to be made, outermost first.",
      removedDirs: "Directories to be removed when empty, innermost first.",
    },
  },
  "checkpoint.restored": {
    purpose: "A restore has ended, well or not; also one that was cut off, judged by what was found.",
    members: {
      restoreId: "Which; `null` when nothing was to be touched.",
      checkpointId: "From which checkpoint; `null` when from the state after the fact `at`.",
      at: "A version of the session; `null` when from a checkpoint.",
      preRestoreCheckpointId: "The checkpoint that undoes it; `null` when nothing was to be touched.",
      status: "All in all.",
      results: "What became of each path.",
      written:
        "What stands there now, and what stood there before, of the paths that were restored: `path`, `beforeSha256`, `beforeMode`, `afterSha256`, `afterMode`, each pair `null` for no file.",
      createdDirs: "Directories that were made.",
      removedDirs: "Directories that were removed.",
      callId: "The call that asked for it; `null` for a caller.",
    },
  },
  "checkpoint.resumed": {
    purpose: "A session checkpoint was taken up again: its todo list is the session's.",
    members: { checkpointId: "Which." },
  },
  "background_run.queued": {
    purpose:
      "A [background run](background-runs.md) was put in line. The first fact of `background-<id>`, which nobody leads: whoever has something to say appends at the version that he read.",
    members: {
      id: "`bg_` and 16 hexadecimal digits; also the id of the session that does the work.",
      promptSha256: "Blob of the prompt.",
      cwd: "Absolute path of the folder where it works.",
      systemPrompt: "In place of the built one; `null`: the built one.",
      settings: "Of its session; as in `session.configured`.",
      parentSessionId: "The session that asked for it.",
      parentSessionKey: "The key under which it was asked for.",
      agentId: "Of the parent.",
      timeoutMs: "Milliseconds that it may work, over all attempts.",
      onRestart: "What becomes of it when its process ends.",
      worker: "Which process does it: that of the caller, or one that outlives it.",
      portable: "Whether another process can do it: its model and its extensions are known by name and path.",
    },
  },
  "background_run.started": {
    purpose: "A process took it, in one commit with its place in line: only one can.",
    members: {
      attempt: "1, 2, 3 …",
      owner: "The process.",
      "owner.pid": "Its id.",
      "owner.host": "Its host.",
      lease: "The lease under which it works on it.",
      "lease.key": "Whose.",
      "lease.fence": "Grows with each change of hands.",
    },
  },
  "background_run.requeued": {
    purpose: "Nobody works on it any more; it is back in line, at its old place.",
    members: {
      attempt: "The one that ended.",
      cause:
        "`owner_lost`: its process is gone. `shut_down`: its process closed in good order, which is not counted.",
    },
  },
  "background_run.approval_answered": {
    purpose:
      "A call of it that waits was answered; the process that works on it passes that on to its session.",
    members: { verdict: "The answer.", reason: "Told to the model; `null` for none." },
  },
  "background_run.text_recorded": {
    purpose: "What the model was writing when the run was cancelled, which no other fact holds.",
  },
  "background_run.completed": { purpose: "It has an answer: the last message of its session." },
  "background_run.timed_out": { purpose: "Its time was up." },
  "background_run.cancelled": {
    purpose: "Somebody cancelled it. What it does is stopped after this fact.",
    members: { reason: "The caller's words, up to 500 characters; no view shows them." },
  },
  "background_run.failed": {
    purpose: "It ended without an answer.",
    members: {
      class: "What failed.",
      error: "The same in more detail, in a bounded word; no view shows it.",
    },
  },
  "background_run.lost": {
    purpose: "Nobody will go on with it.",
    members: {
      cause:
        "`too_many_restarts`: its process was lost four times. `not_resumable`: it was not to be resumed. `nobody_can`: only a process that is gone knew its model or its extensions.",
    },
  },
  "introspection.recorded": {
    purpose:
      "Something that people watch for happened. Stands in `introspection-<day>`, and holds no content.",
    members: {
      eventId: "`evt_` and 16 hexadecimal digits.",
      eventType: "What happened.",
      runId: "The run that it belongs to; else `null`.",
      sessionId: "The session; else `null`.",
      sessionKey: "Its key; else `null`.",
      agentId: "As the caller gave it; else `null`.",
      parentRunId: "As the caller gave it; else `null`.",
      engine: "Always `lemon`.",
      provenance: "`direct`: whoever recorded it was there.",
      payload: "What is known of it, redacted.",
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
  Receipt: {
    of: (schemas) => schemas["tool_call.returned"].shape.receipt.unwrap(),
    purpose: "What a call really changed. The runtime writes it; no hook can change it.",
    members: {
      action: "The tool.",
      outcome: "`partial`: it failed midway, and what it did before stays.",
      success: "Whether the tool says that it succeeded.",
      checkpointId: "The checkpoint that holds the files as they were before; `null` for none.",
      checkpointIds: "All of them, in the order in which they were taken.",
      checkpointKind: "`null` without one.",
      affectedPaths: "All that the call was about, changed or not.",
      changedPaths: "Those that are not as they were.",
      writtenPaths: "Those of them that have content now.",
      createdDirs: "Directories that it made, outermost first.",
      files: "Each changed file.",
      coverage: "How much of what it may have changed was looked at.",
      coverageReasons: "Why not all, sorted.",
      overlappingCallIds:
        "Calls that ran at the same time: what they changed stands in each of the receipts.",
    },
  },
  FileChange: {
    of: (schemas) => schemas["tool_call.returned"].shape.receipt.unwrap().shape.files.element,
    purpose: "A file that a call changed.",
    members: {
      path: "Absolute.",
      change: "`mode`: only its permission bits.",
      beforeSha256: "Its bytes before; `null` when there was no file or `code` says why they are not known.",
      afterSha256: "Its bytes after; likewise.",
      beforeMode: "Permission bits before.",
      afterMode: "Permission bits after.",
      code: "Why a digest is not known; else `null`.",
    },
  },
  Todo: {
    of: (schemas) => schemas["todos.written"].shape.todos.element,
    purpose: "An item of a todo list. Other members are kept as they were given.",
    members: {
      id: "Unique in the list.",
      content: "What is to be done.",
      status: "`pending`, `in_progress`, `completed` or `blocked`.",
      priority: "`high`, `medium` or `low`.",
      dependencies: "Ids of items that have to be completed first.",
      estimatedEffort: "In words; `null` for none.",
      createdAt: "ISO 8601 in UTC, as the two that follow.",
      updatedAt: "When it last changed.",
      completedAt: "`null` while it is not completed.",
      metadata: "The writer's own.",
    },
  },
  CheckpointFile: {
    of: (schemas) => schemas["checkpoint.created"].shape.files.element,
    purpose: "A file as a checkpoint found it.",
    members: {
      path: "Absolute.",
      exists: "Whether there was one.",
      type: "`null` when there was none, as all that follows.",
      size: "Bytes.",
      mode: "Permission bits.",
      sha256: "The blob that holds it.",
      outsideCwd: "Whether it is not below the working directory.",
    },
  },
  RestoreResult: {
    of: (schemas) => schemas["checkpoint.restored"].shape.results.element,
    purpose: "What a restore did with a path.",
    members: {
      path: "Absolute.",
      outcome: "`conflict`: someone else's work stands there, and stays.",
      code: "Why it was not restored; else `null`.",
    },
  },
  SessionSettings: {
    of: (schemas) => schemas["background_run.queued"].shape.settings,
    purpose: "What can be set of a session.",
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
