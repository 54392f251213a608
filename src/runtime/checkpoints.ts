/** `runtime.checkpoints`, put together. */
import path from "node:path";
import type { Config } from "../config/index.ts";
import { LemonError } from "../errors.ts";
import {
  CheckpointService,
  isoTime,
  readFeatures,
  putTodos,
  storedTodos,
  type FeatureDocument,
  type SessionFacts,
} from "../harness/index.ts";
import type { EventLog } from "../log/index.ts";
import type { Clock, Ids, Logger } from "../ports.ts";
import type { Todo } from "../projections/index.ts";
import type { Masker } from "../secrets/index.ts";

/** What {@link runtimeCheckpoints} is made of. */
export interface CheckpointParts {
  readonly log: EventLog;
  readonly sessions: SessionFacts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly mask: Masker;
  readonly settings: Config["checkpoints"];
  readonly cwd: string;
}

/** The checkpoints of a runtime. Nothing is opened or made before the first is taken. */
export function runtimeCheckpoints({
  mask,
  settings,
  cwd,
  clock,
  ...parts
}: CheckpointParts): CheckpointService {
  const { dir } = settings;
  return new CheckpointService({
    ...parts,
    cwd,
    todosOf: (sessionId, to) => storedTodos(parts.log, sessionId, to),
    todosFrom: (sessionId, given) => putTodos(given, sessionId)(given.filter(isStored), isoTime(clock.now())),
    requirementsOf,
    mask: (value) => mask.json(value),
    settings: { ...settings, dir: dir === null ? null : path.resolve(cwd, dir) },
  });
}

/** A file that is not there, or not as it must be, is none: a checkpoint is not the place to say so. */
async function requirementsOf(cwd: string): Promise<FeatureDocument | null> {
  try {
    return await readFeatures(cwd);
  } catch (error) {
    if (error instanceof LemonError) return null;
    throw error;
  }
}

/** Whether it was a list's item before: then it keeps its times. */
function isStored(todo: unknown): todo is Todo {
  const { createdAt, updatedAt } = Object(todo) as Partial<Todo>;
  return typeof createdAt === "string" && typeof updatedAt === "string";
}
