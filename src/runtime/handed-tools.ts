/** Tools that a program hands to one session, checked like those of extensions. */
import { normaliseTool, type AnyToolDefinition, type Tool } from "../tools/index.ts";
import type { Logger } from "../ports.ts";
import { InvalidToolError } from "./errors.ts";
import type { HandedTools } from "./equipment.ts";

/** What was handed, as its author wrote it. */
export interface HandedDefinitions {
  readonly customTools?: readonly AnyToolDefinition[];
  readonly extraTools?: readonly AnyToolDefinition[];
}

/** @throws InvalidToolError for one that can't be used: the program is told at once, unlike an extension */
export async function handedTools(given: HandedDefinitions, logger: Logger): Promise<HandedTools> {
  const { customTools, extraTools = [] } = given;
  return {
    customTools: customTools === undefined ? null : await normalised(customTools, logger),
    extraTools: await normalised(extraTools, logger),
  };
}

async function normalised(definitions: readonly AnyToolDefinition[], logger: Logger): Promise<Tool[]> {
  return Promise.all(
    definitions.map(async (definition) => {
      const outcome = await normaliseTool(definition);
      if ("problem" in outcome) throw new InvalidToolError(outcome.problem);
      for (const warning of outcome.warnings) logger.warn({ tool: outcome.tool.name }, warning);
      return outcome.tool;
    }),
  );
}
