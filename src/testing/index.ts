/** A kit for authors of extensions: a real session around one extension, without a model. docs/how-to/test-an-extension.md */
export { HandlerFailedError, UnusableExtensionError } from "./errors.ts";
export type { HookAnswer, HookArguments } from "./hook-arguments.ts";
export { type CallOptions, ExtensionKit, type KitCallResult } from "./kit.ts";
export { testExtension, type TestOptions } from "./test-extension.ts";
