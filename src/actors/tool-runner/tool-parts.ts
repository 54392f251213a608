/** What the effects of tool calls are made of. */
import type { SessionMode } from "../../events/index.ts";
import type { ChangesWorld, CheckpointControl } from "../../harness/index.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import type { Masker, RestorableSecrets } from "../../secrets/index.ts";
import type { ExtensionControl, TaskControl, TodoControl, ToolRegistry } from "../../tools/index.ts";
import type { EffectContext } from "../effect-runner.ts";
import type { SessionViews } from "../session-views.ts";
import type { PendingReceipts } from "./pending-receipts.ts";

/** What running a tool needs. */
export interface ToolEffectParts {
  readonly stream: string;
  readonly views: () => SessionViews;
  /** Data of an input before its secrets were hidden; `null` when there were none or the process is another. */
  readonly unmasked: (version: number) => unknown;
  /** Those that placeholders in arguments stand for. */
  readonly secrets: RestorableSecrets;
  readonly registry: (mode: SessionMode) => ToolRegistry;
  readonly extensions: ExtensionControl;
  /** What the tool of todos may do for a call that runs. */
  readonly todos: (callId: string, record: EffectContext["record"]) => TodoControl;
  /** What the tool of checkpoints may do for a call that runs. */
  readonly checkpoints: (callId: string, record: EffectContext["record"]) => CheckpointControl;
  /** What the tool of subagents may do for a call that runs. */
  readonly tasks: (callId: string, record: EffectContext["record"]) => TaskControl;
  /** Resolves once the hooks of every fact so far have run. */
  readonly settled: () => Promise<void>;
  readonly putBlob: (bytes: Uint8Array) => Promise<string>;
  readonly changes: ChangesWorld;
  /** Whether files are kept before built-in tools change them. */
  readonly isGuarded: boolean;
  readonly receipts: PendingReceipts;
  /** Whether nothing more is recorded in this process. */
  readonly isClosed: () => boolean;
  readonly mask: Masker;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}
