/** `runtime.sessions`: starts, resumes and lists sessions, each under a supervisor of its own. */
import path from "node:path";
import { JournaledStream } from "../actors/index.ts";
import { LemonError } from "../errors.ts";
import type { ApprovalMode, FactData } from "../events/index.ts";
import type { EventLog } from "../log/index.ts";
import { listSessions, type SessionSummary } from "../projections/index.ts";
import type { Model } from "../providers/index.ts";
import type { Masker } from "../secrets/index.ts";
import { startSupervisor, type Child, type Supervisor } from "../supervision/index.ts";
import type { ToolRegistry } from "../tools/index.ts";
import {
  InvalidSessionIdError,
  NoModelError,
  SessionExistsError,
  SessionFailedError,
  SessionNotFoundError,
} from "./errors.ts";
import { Session } from "./session.ts";
import { openSessionStream, sessionStreamName, type SessionWorld } from "./session-stream.ts";
import { buildSystemPrompt } from "./system-prompt.ts";
void [path, LemonError, JournaledStream];
export type { EventLog, ApprovalMode, FactData, SessionSummary, Model, Masker, Child, Supervisor, ToolRegistry, SessionWorld };
void [listSessions, startSupervisor, InvalidSessionIdError, NoModelError, SessionExistsError, SessionFailedError, SessionNotFoundError, Session, openSessionStream, sessionStreamName, buildSystemPrompt];
