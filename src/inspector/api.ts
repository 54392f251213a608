/**
 * What the page of `lemon inspect` asks and is answered: types only, shared by server and page. docs/reference/inspector.md
 *
 * All under `/api/`, JSON, with `Authorization: Bearer TOKEN`. `:id` is a session's id. `at` is a version; without it the
 * session's last. Versions, here as everywhere, count from 1; times are epoch milliseconds. A version beyond the last is
 * answered with 400 `invalid_version`, an unknown session with 404 `session_not_found`.
 */
export type {
  ErrorAnswer,
  ForkPoint,
  Lane,
  LaneCounts,
  MarkKind,
  OverviewAnswer,
  SessionRow,
  SessionsAnswer,
  TimelineAnswer,
  TimelineBucket,
  TimelineMark,
} from "./api/sessions.ts";
export type { DecisionNode, FactAnswer, FactRow, FactsAnswer, MatchesAnswer } from "./api/facts.ts";
export type {
  ApprovalWait,
  CallBar,
  CallsAnswer,
  HookVerdict,
  MessagesAnswer,
  ModelUsage,
  Moment,
  ShownMessage,
  StateAnswer,
  UsageAnswer,
  UsagePoint,
} from "./api/state.ts";
export type {
  DiffHunk,
  FileContent,
  FileDiffAnswer,
  FileRow,
  FileWriteRow,
  FilesAnswer,
} from "./api/files.ts";
export type {
  DiffAnswer,
  DivergenceRow,
  ForkAnswer,
  ForkRequest,
  LiveEvent,
  PatchOperation,
  RestartRow,
  RuntimeTree,
  SupervisionAnswer,
  VerifyAnswer,
} from "./api/travel.ts";
