/**
 * The tools that every agent has, in the order in which the model sees them.
 */
import type { BuiltInTool } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { checkpointTool } from "./checkpoint.ts";
import { editTool } from "./edit.ts";
import { extensionsStatusTool } from "./extensions-status.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { patchTool } from "./patch.ts";
import { readTool } from "./read.ts";
import { taskTool } from "./task.ts";
import { todoTool } from "./todo.ts";
import { writeTool } from "./write.ts";

/** read, write, edit, patch, bash, grep, find, ls, todo, checkpoint, task, extensions_status. */
export const builtInTools: readonly BuiltInTool[] = [
  readTool,
  writeTool,
  editTool,
  patchTool,
  bashTool,
  grepTool,
  findTool,
  lsTool,
  todoTool,
  checkpointTool,
  taskTool,
  extensionsStatusTool,
];
