/** The registry's stream: one for each runtime, started when the first extensions are asked for. */
import type { Leadership } from "../leadership.ts";
import { loadSchemas } from "../../events/index.ts";
import type { EventLog } from "../../log/index.ts";
import { LemonError } from "../../errors.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { Masker } from "../../secrets/index.ts";
import { JournaledStream } from "../journaled.ts";
import { registryActors, registryStreamName } from "./actors.ts";
import { registryViews, type RegistryViews } from "./views.ts";

/** The stream of a registry of extensions. */
export type RegistryStream = JournaledStream<RegistryViews>;

/** What a registry's stream needs. */
export interface RegistryStreamParts {
  readonly runtimeId: string;
  readonly log: EventLog;
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mask: Masker;
}

/** The stream, not started yet. It has no effects: what happens to extensions comes in as inputs. */
export async function openRegistryStream(parts: RegistryStreamParts): Promise<RegistryStream> {
  const { checkFact: check } = await loadSchemas();
  const { runtimeId, log, leadership, clock, logger, mask } = parts;
  return new JournaledStream({
    stream: registryStreamName(runtimeId),
    log,
    leadership,
    actors: { ...registryActors(), check },
    effects: () => ({}),
    views: registryViews,
    lastWords: () => null,
    clock,
    logger,
    mask,
    check,
    refuse: (type) => new LemonError("internal", `the registry of extensions takes no ${type}`),
  });
}
