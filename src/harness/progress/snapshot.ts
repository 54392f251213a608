/** How far a session is, put together of what it has to do, its project's features, and its checkpoints. Pure. docs/reference/progress.md */
import {
  actionable,
  actionableTodos,
  percentage,
  todoProgress,
  type Todo,
  type TodoProgress,
} from "../../projections/index.ts";
import {
  progressOf,
  type Feature,
  type FeatureDocument,
  type FeatureProgress,
} from "../features/document.ts";
import type { CheckpointStats } from "../checkpoints/types.ts";

/** A todo that can be begun. */
export type NextTodo = Pick<Todo, "id" | "content" | "status" | "priority" | "dependencies">;
/** A feature that can be begun. */
export type NextFeature = Pick<Feature, "id" | "description" | "status" | "priority" | "dependencies">;

/** How far a session is. */
export interface ProgressSnapshot {
  readonly todos: TodoProgress;
  /** `null` without a file, or with one that can't be read. */
  readonly features: FeatureProgress | null;
  readonly checkpoints: CheckpointStats;
  /** Completed todos and features of all todos and features, of a hundred, rounded down. */
  readonly overallPercentage: number;
  /** All that can be begun: high priority first, then medium, then low. */
  readonly nextActions: { readonly todos: readonly NextTodo[]; readonly features: readonly NextFeature[] };
  /** Why the file could not be read: the reason of its error. */
  readonly featuresError: string | null;
}

/** What a snapshot is made of. */
export interface ProgressParts {
  readonly todos: readonly Todo[];
  readonly checkpoints: CheckpointStats;
  readonly features: FeatureDocument | null;
  readonly featuresError: string | null;
}

/** Puts a snapshot together. */
export function snapshotOf({ todos, checkpoints, features, featuresError }: ProgressParts): ProgressSnapshot {
  const counts = todoProgress(todos);
  const featureCounts = features === null ? null : progressOf(features);
  return {
    todos: counts,
    features: featureCounts,
    checkpoints,
    // Of items: a mean of percentages would let one todo weigh as much as a hundred features.
    overallPercentage: percentage(
      counts.completed + (featureCounts?.completed ?? 0),
      counts.total + (featureCounts?.total ?? 0),
    ),
    nextActions: {
      todos: actionableTodos(todos).map(({ id, content, status, priority, dependencies }) => ({
        id,
        content,
        status,
        priority,
        dependencies,
      })),
      features: actionable(features?.features ?? []).map(
        ({ id, description, status, priority, dependencies }) => ({
          id,
          description,
          status,
          priority,
          dependencies,
        }),
      ),
    },
    featuresError,
  };
}
