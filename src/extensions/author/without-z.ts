/**
 * What `lemon-runtime` means inside a worker, all but `z`: loading zod takes half as long as starting the worker, so
 * a file that does not say `z` gets this module.
 */
import type { defineTool as DefineTool } from "../../tools/index.ts";
import type { defineExtension as DefineExtension } from "../define.ts";
import { unavailable } from "./unavailable.ts";

export { fromAiSdkTool, fromMcpTool } from "../../tools/for-authors.ts";

/** Types an extension. Changes nothing. */
export const defineExtension: typeof DefineExtension = (definition) => definition;

/** Types a tool. Changes nothing. */
export const defineTool: typeof DefineTool = (definition) => definition;

/** Not available inside an extension. */
export const AbortedError = unavailable("AbortedError");
/** Not available inside an extension. */
export const AlreadyStreamingError = unavailable("AlreadyStreamingError");
/** Not available inside an extension. */
export const EmptyPromptError = unavailable("EmptyPromptError");
/** Not available inside an extension. */
export const InvalidConfigError = unavailable("InvalidConfigError");
/** Not available inside an extension. */
export const InvalidExtensionsError = unavailable("InvalidExtensionsError");
/** Not available inside an extension. */
export const InvalidLineError = unavailable("InvalidLineError");
/** Not available inside an extension. */
export const NotTextError = unavailable("NotTextError");
/** Not available inside an extension. */
export const InvalidOptionsError = unavailable("InvalidOptionsError");
/** Not available inside an extension. */
export const InvalidPromptError = unavailable("InvalidPromptError");
/** Not available inside an extension. */
export const InvalidScriptError = unavailable("InvalidScriptError");
/** Not available inside an extension. */
export const InvalidSessionIdError = unavailable("InvalidSessionIdError");
/** Not available inside an extension. */
export const LemonError = unavailable("LemonError");
/** Not available inside an extension. */
export const MailboxFullError = unavailable("MailboxFullError");
/** Not available inside an extension. */
export const NoModelError = unavailable("NoModelError");
/** Not available inside an extension. */
export const NotFoundError = unavailable("NotFoundError");
/** Not available inside an extension. */
export const NotStreamingError = unavailable("NotStreamingError");
/** Not available inside an extension. */
export const ReplayDivergedError = unavailable("ReplayDivergedError");
/** Not available inside an extension. */
export const Session = unavailable("Session");
/** Not available inside an extension. */
export const SessionBusyError = unavailable("SessionBusyError");
/** Not available inside an extension. */
export const SessionExistsError = unavailable("SessionExistsError");
/** Not available inside an extension. */
export const SessionFailedError = unavailable("SessionFailedError");
/** Not available inside an extension. */
export const SessionNotFoundError = unavailable("SessionNotFoundError");
/** Not available inside an extension. */
export const StreamClosedError = unavailable("StreamClosedError");
/** Not available inside an extension. */
export const UnknownModelError = unavailable("UnknownModelError");
/** Not available inside an extension. */
export const createRuntime = unavailable("createRuntime");
/** Not available inside an extension. */
export const scriptedModel = unavailable("scriptedModel");
/** Not available inside an extension. */
export const InvalidToolError = unavailable("InvalidToolError");
/** Not available inside an extension. */
export const ReloadFailedError = unavailable("ReloadFailedError");
/** Not available inside an extension. */
export const SessionStreamingError = unavailable("SessionStreamingError");
/** Not available inside an extension. */
export const toAiSdkTool = unavailable("toAiSdkTool");
/** Not available inside an extension. */
export const CaptureError = unavailable("CaptureError");
/** Not available inside an extension. */
export const CheckpointError = unavailable("CheckpointError");
/** Not available inside an extension. */
export const FeatureError = unavailable("FeatureError");
/** Not available inside an extension. */
export const JsonDecodeError = unavailable("JsonDecodeError");
/** Not available inside an extension. */
export const SideQueryError = unavailable("SideQueryError");
/** Not available inside an extension. */
export const TodoError = unavailable("TodoError");
