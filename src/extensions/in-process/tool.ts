/** A tool of an object of the program, behind the same rules as one in a worker. */
import { taskCrashed, taskStartFailed, type Tool, ToolFailure, unexpectedResult } from "../../tools/index.ts";
import { copyJson } from "../../tools/for-authors.ts";
import type { ExtensionSettings } from "../port.ts";
import { authorError } from "./author-error.ts";
import { type Life, unloaded } from "./life.ts";

type Execute = Tool["execute"];

/**
 * Arguments, settings, updates and the result cross as copies. A call that is aborted or runs over its time settles at
 * once; what the author's function does after that is dropped.
 */
export function guardedTool(tool: Tool, settings: ExtensionSettings, life: Life): Tool {
  const execute: Execute = (toolCallId, args, signal, onUpdate, { sessionId, cwd, log }) =>
    new Promise((resolve, reject) => {
      if (life.hasEnded) return reject(new ToolFailure(taskStartFailed(unloaded)));
      if (signal.aborted) return reject(reasonOf(signal));
      let isOver = false;
      const settle = (tell: () => void): void => {
        if (isOver) return;
        isOver = true;
        signal.removeEventListener("abort", aborted);
        leave();
        tell();
      };
      const aborted = (): void => settle(() => reject(reasonOf(signal)));
      const leave = life.enter(() => settle(() => reject(new ToolFailure(taskCrashed(unloaded)))));
      signal.addEventListener("abort", aborted, { once: true });
      const update: typeof onUpdate = (partial) => {
        if (isOver) return;
        const copy = copyJson(partial, "update");
        if (copy.ok) onUpdate(copy.value as typeof partial); // whoever shows it looks at its blocks
        else log.warn({}, `an update was dropped: ${copy.message}`);
      };
      const context = { sessionId, cwd, config: copyOf(settings), log };
      tool.execute(toolCallId, copyOf(args), signal, update, context).then(
        (result) =>
          settle(() => {
            const copy = copyJson(result, "result");
            if (copy.ok) resolve(copy.value as typeof result); // whoever runs tools checks what they return
            else reject(new ToolFailure(unexpectedResult(copy.message)));
          }),
        (error: unknown) => settle(() => reject(authorError(error))),
      );
    });
  return { ...tool, execute };
}

/** Arguments and settings were JSON before. */
function copyOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value)) as Readonly<Record<string, unknown>>;
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason as Error; // whatever it is, it goes to whoever aborted
}
