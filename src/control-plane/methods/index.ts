/** All methods of the control plane. docs/reference/rpc.md is made from this table. */
import type { Method } from "../method.ts";
import { agentMethods } from "./agent.ts";
import { approvalMethods } from "./approvals.ts";
import { backgroundMethods } from "./background.ts";
import { checkpointMethods } from "./checkpoints.ts";
import { extensionMethods } from "./extensions.ts";
import { featureMethods } from "./features.ts";
import { factMethods } from "./facts.ts";
import { replayMethods } from "./replay.ts";
import { discovering } from "./rpc.ts";
import { sessionMethods } from "./sessions.ts";
import { sideQueryMethods } from "./side-query.ts";
import { taskMethods } from "./tasks.ts";
import { todoMethods } from "./todos.ts";

/** In the order of the reference. */
export const methods: readonly Method[] = discovering([
  ...agentMethods,
  ...sessionMethods,
  ...todoMethods,
  ...featureMethods,
  ...checkpointMethods,
  ...backgroundMethods,
  ...sideQueryMethods,
  ...taskMethods,
  ...approvalMethods,
  ...extensionMethods,
  ...replayMethods,
  ...factMethods,
]);

/** By name. */
export const methodTable: ReadonlyMap<string, Method> = new Map(
  methods.map((method) => [method.name, method]),
);
