/** The tools with which a plan is made. docs/reference/plan-mode.md, "Tools" */
import { fileNamed } from "../built-in/file-access.ts";
import { editTool } from "../built-in/edit.ts";
import { writeTool } from "../built-in/write.ts";
import { textResult } from "../result.ts";
import type { BuiltInTool } from "../tool.ts";
import { assertInPlans, PLANS_FOLDER } from "./boundary.ts";

/** Tells the plan to whoever watches. Changes no mode: that is for a person. */
const proposePlanTool: BuiltInTool = {
  name: "propose_plan",
  label: "Propose plan",
  description:
    "Proposes the plan to the user: what you would do, step by step, complete in itself. Call it once the plan is ready.",
  parameters: {
    type: "object",
    properties: { plan: { type: "string", minLength: 1, description: "The plan, in Markdown" } },
    required: ["plan"],
  },
  parallelSafe: false,
  idempotent: false,
  readOnly: false,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, _signal, _onUpdate, { proposePlan }) {
    // Hooks may have put other arguments in the place of those that were checked.
    const { plan } = args;
    if (typeof plan !== "string") throw new TypeError("plan must be a text");
    await proposePlan(plan);
    return textResult("Plan proposed.");
  },
};

/** Tools that reach the folder of plans and nothing else. */
export const planTools: readonly BuiltInTool[] = [confined(writeTool), confined(editTool), proposePlanTool];

/** The same tool, for files in the folder of plans. The check is the last thing before the tool: after any hook. */
function confined(tool: BuiltInTool): BuiltInTool {
  return {
    ...tool,
    description: `${tool.description} In plan mode: files below ${PLANS_FOLDER}/ alone.`,
    async execute(toolCallId, args, signal, onUpdate, context) {
      const { path } = args;
      if (typeof path !== "string") throw new TypeError("path must be a text");
      await assertInPlans(fileNamed(path, context).path, path, context.cwd);
      return tool.execute(toolCallId, args, signal, onUpdate, context);
    },
  };
}
