/** `runtime.features`, with the models and the secrets of the runtime. */
import { Features, type FeatureModel } from "../harness/index.ts";
import { complete } from "../providers/index.ts";
import type { Masker } from "../secrets/index.ts";
import { NoModelError } from "./errors.ts";
import type { SessionFactory } from "./session-factory.ts";

/** @param cwd - what relative folders are resolved against */
export function runtimeFeatures(factory: SessionFactory, cwd: string, mask: Masker): Features {
  const { log, clock, ids, logger } = factory.world;
  return new Features({
    log,
    cwd,
    clock,
    ids,
    logger,
    mask: (value) => mask.json(value),
    model: async (folder, ref): Promise<FeatureModel | null> => {
      try {
        const model = await factory.modelFor(folder, ref);
        return {
          ref: model.ref,
          complete: ({ prompt, ...request }) => {
            const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: prompt }] }];
            return complete(model, { ...request, messages }, clock);
          },
        };
      } catch (error) {
        if (error instanceof NoModelError) return null;
        throw error;
      }
    },
  });
}
