/**
 * What each entry of the package exports. A name that goes is a break for somebody; one that comes is a promise.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  exports: Record<string, string | { default: string; types: string }>;
};

const pinned: Record<string, string[]> = {
  ".": [
    "AbortedError",
    "AlreadyStreamingError",
    "Clock",
    "Config",
    "ConfigOverrides",
    "ContentBlock",
    "Divergence",
    "EmptyPromptError",
    "EventLog",
    "ExtensionDefinition",
    "Fact",
    "FactData",
    "FactType",
    "Ids",
    "InvalidConfigError",
    "InvalidExtensionError",
    "InvalidPromptError",
    "InvalidScriptError",
    "InvalidSessionIdError",
    "LanguageModel",
    "LemonError",
    "Logger",
    "MailboxFullError",
    "Model",
    "ModelProvider",
    "ModelSource",
    "NewFact",
    "NoModelError",
    "NotFoundError",
    "NotStreamingError",
    "Outcome",
    "PendingApproval",
    "Prompt",
    "Random",
    "ReplayDivergedError",
    "ReplayReport",
    "Runtime",
    "RuntimeOptions",
    "Script",
    "ScriptedTurn",
    "Session",
    "SessionBusyError",
    "SessionEvent",
    "SessionExistsError",
    "SessionFailedError",
    "SessionNotFoundError",
    "SessionOptions",
    "SessionState",
    "SessionSummary",
    "StartOptions",
    "StateAt",
    "StreamClosedError",
    "ToolContext",
    "ToolDefinition",
    "ToolInfo",
    "ToolResult",
    "ToolUpdate",
    "UnknownModelError",
    "Usage",
    "createRuntime",
    "defineExtension",
    "defineTool",
    "scriptedModel",
    "z",
  ],
  "./events": [
    "ApprovalMode",
    "ContentBlock",
    "Decision",
    "Fact",
    "FactData",
    "FactEvent",
    "FactKind",
    "FactOf",
    "FactRule",
    "FactType",
    "InvalidFactError",
    "InvalidValueError",
    "Json",
    "KnownFact",
    "ModelCall",
    "NewFact",
    "Receiver",
    "SchemaNewerError",
    "SlotKind",
    "Usage",
    "assertJson",
    "callIdOf",
    "catalogue",
    "checkFact",
    "currentSchemaVersion",
    "factSchemas",
    "isKnownType",
    "slotName",
    "upcast",
  ],
  "./log": [
    "AppendOptions",
    "Cursor",
    "CursorAheadError",
    "Durability",
    "EventLog",
    "ExpectedVersion",
    "FencedBecause",
    "FencedError",
    "Finding",
    "FollowOptions",
    "InvalidCursorError",
    "InvalidEnvelopeError",
    "Lease",
    "LeaseHolder",
    "LeaseOwner",
    "LogBusyError",
    "LogClosedError",
    "LogCorruptError",
    "LogFullError",
    "LogInfo",
    "LogIoError",
    "LogNewerError",
    "LogReadOnlyError",
    "LogUnavailableError",
    "OpenOptions",
    "ReadAllOptions",
    "ReadOptions",
    "SessionBusyError",
    "Snapshot",
    "StoredFact",
    "UnavailableBecause",
    "UnitOfWork",
    "VersionConflictError",
    "isOwnerGone",
    "leaseOwner",
    "openEventLog",
    "parseLeaseOwner",
  ],
  "./supervision": [
    "ActorChild",
    "ActorChildOptions",
    "ActorStart",
    "AutoShutdown",
    "Backoff",
    "CallError",
    "CallOptions",
    "Callable",
    "Child",
    "ChildCounts",
    "ChildExited",
    "ChildId",
    "ChildLateError",
    "ChildRestarted",
    "ChildRow",
    "ChildSpec",
    "ChildStartFailed",
    "ChildStarted",
    "ChildState",
    "ChildTree",
    "ChildType",
    "CurrentChild",
    "Down",
    "DynamicChildSpec",
    "DynamicSupervisorOptions",
    "ExitLatch",
    "ExitReason",
    "FullChildSpec",
    "Mailbox",
    "MailboxFullError",
    "MailboxOptions",
    "PlainError",
    "PlainExitReason",
    "Registry",
    "Reply",
    "RestartType",
    "Shutdown",
    "Start",
    "StartChildResult",
    "StartFunction",
    "Started",
    "Strategy",
    "SupervisionEvent",
    "Supervisor",
    "SupervisorEnvironment",
    "SupervisorError",
    "SupervisorErrorDetails",
    "SupervisorErrorReason",
    "SupervisorGaveUp",
    "SupervisorOptions",
    "SupervisorTree",
    "ThreadChild",
    "ThreadChildOptions",
    "ThreadStart",
    "actorChild",
    "call",
    "checkChildSpec",
    "checkChildSpecs",
    "currentChild",
    "exitLatch",
    "isCleanExit",
    "monitor",
    "promiseChild",
    "startDynamicSupervisor",
    "startSupervisor",
    "systemClock",
    "threadChild",
  ],
  "./hooks": [
    "CONTEXT_CAP",
    "CONTEXT_LABEL",
    "CallVerdict",
    "HookAnswer",
    "REASON_CAP",
    "ResultVerdict",
    "ReviewedResult",
    "blockOf",
    "cleanContext",
    "contextBlock",
    "cutAt",
    "isReceiptKey",
    "joinContext",
    "judgeCall",
    "reviewResult",
    "withReceipts",
    "withoutControls",
  ],
  "./projections": [
    "CallView",
    "EventMessage",
    "EventState",
    "LivePiece",
    "OutcomeView",
    "PAGE_SIZE",
    "Projection",
    "SessionEvent",
    "SessionEventBody",
    "SessionView",
    "SupervisedChild",
    "SupervisionNode",
    "SupervisionView",
    "Transcript",
    "TranscriptCall",
    "TranscriptMessage",
    "TranscriptPage",
    "TranscriptResult",
    "childrenOf",
    "messageCount",
    "messagesOf",
    "noEvents",
    "pendingCalls",
    "project",
    "sessionView",
    "storyOf",
    "supervisionTree",
    "tellFact",
    "tellLive",
    "transcript",
  ],
  "./replay": [
    "InvalidVersionError",
    "ReplayReport",
    "SessionNotFoundError",
    "SessionSummary",
    "StateAt",
    "findSession",
    "listSessions",
    "requireSession",
    "stateAt",
    "verifyReplay",
  ],
  "./testing": [
    "CallOptions",
    "ExtensionKit",
    "HandlerFailedError",
    "HookAnswer",
    "HookArguments",
    "KitCallResult",
    "TestOptions",
    "UnusableExtensionError",
    "testExtension",
  ],
};

const entries = Object.entries(manifest.exports).filter(
  (entry): entry is [string, { default: string; types: string }] => typeof entry[1] !== "string",
);

describe("the entries of the package", () => {
  test("are these, each with its types first", () => {
    expect(entries.map(([entry]) => entry)).toEqual(Object.keys(pinned));
    for (const [, targets] of entries) expect(Object.keys(targets)).toEqual(["types", "default"]);
  });

  test.each(entries)("%s exports these names", (entry, targets) => {
    expect(namesOf(sourceOf(targets.default))).toEqual(pinned[entry]);
  });
});

test("the reference tells of every name that a program can import", () => {
  const page = readFileSync(path.join(root, "docs/reference/runtime.md"), "utf8");
  const told = new Set(
    [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) => code.match(/\w+/g) ?? []),
  );
  expect(namesOf("src/index.ts").filter((name) => !told.has(name))).toEqual([]);
});

function sourceOf(built: string): string {
  return built.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts");
}

/** Names, types among them, in order of the alphabet. */
function namesOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return source.statements
    .flatMap((statement) => {
      if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
        return ts.isNamedExports(statement.exportClause)
          ? statement.exportClause.elements.map(({ name }) => name.text)
          : [statement.exportClause.name.text];
      }
      const isExported =
        ts.canHaveModifiers(statement) &&
        (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (!isExported) return [];
      if (ts.isVariableStatement(statement)) {
        return statement.declarationList.declarations.map(({ name }) => name.getText());
      }
      return "name" in statement && statement.name !== undefined
        ? [(statement.name as ts.Identifier).text]
        : [];
    })
    .toSorted();
}
