/** The shapes of what happens to the feature requirements of a folder: facts of `features-<digest of its path>`. */
import { z } from "zod";
import { count, sha256, usage } from "./fact-shapes.ts";

/** The folder, without links. */
const cwd = z.string();
const status = z.enum(["pending", "in_progress", "completed", "failed"]);

const document = z.object({
  projectName: z.string(),
  originalPrompt: z.string(),
  features: z.array(
    z.object({
      id: z.string(),
      description: z.string(),
      status,
      dependencies: z.array(z.string()),
      priority: z.enum(["high", "medium", "low"]),
      acceptanceCriteria: z.array(z.string()),
      notes: z.string(),
      createdAt: z.string(),
      updatedAt: z.string().nullable(),
    }),
  ),
  createdAt: z.string(),
  version: z.string(),
});

/** The newest schema of each. */
export const featureFactSchemas = {
  "features.generation_requested": z.object({
    cwd,
    model: z.string(),
    prompt: z.string(),
    maxFeatures: z.int().positive(),
  }),
  "features.generated": z.object({
    cwd,
    document,
    dropped: count,
    renamed: z.array(z.object({ from: z.string(), to: z.string() })),
    usage,
  }),
  "features.generation_failed": z.object({ cwd, reason: z.string(), failure: z.string().nullable() }),

  "feature_file.written": z.object({ cwd, previousSha256: sha256.nullable(), sha256 }),
  "feature.status_changed": z.object({
    cwd,
    featureId: z.string(),
    from: status,
    to: status,
    notesChanged: z.boolean(),
    sessionId: z.string().nullable(),
  }),
  "feature_file.write_finished": z.object({ cwd, sha256 }),
  "feature_file.write_abandoned": z.object({ cwd, previousSha256: sha256.nullable(), sha256 }),
  "feature_file.changed_outside": z.object({ cwd, sha256 }),
};
