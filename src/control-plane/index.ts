/** The control plane: the runtime for programs in any language, as JSON-RPC 2.0. */
export { ensureTokenFile, type TokenFile } from "./http/token-file.ts";
export { Tokens } from "./http/tokens.ts";
export { methods } from "./methods/index.ts";
export { parseScopes, reduceScopes, type Scope } from "./scopes.ts";
export { serveHttp, serveStdio, type ControlPlaneParts } from "./serve.ts";
