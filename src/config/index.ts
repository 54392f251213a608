/** The room `config`: what the user wants, read from files, environment, program and command line. */
export type {
  ApprovalMode,
  Config,
  ConfigOverrides,
  ControlPlaneToken,
  ExtensionsConfig,
  ExtensionSwitches,
  ModelEndpoint,
  RuntimeConfig,
} from "./config.ts";
export { controlPlaneScopes, defaultConfig } from "./config.ts";
export type { ConfigProblem } from "./errors.ts";
export { InvalidConfigError } from "./errors.ts";
export type { LoadConfigOptions, LoadedConfig } from "./load.ts";
export { loadConfig } from "./load.ts";
export { isTrusted, projectExtensions, projectFile, revokeTrust, trustProject } from "./trust.ts";
