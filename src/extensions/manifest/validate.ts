/** What one manifest is worth. Reads its bytes as JSON and runs nothing. */
import { hash16 } from "../../tools/index.ts";
import {
  identityErrors,
  isObject,
  readAudit,
  readCapabilities,
  readDistribution,
  readHosts,
  readProviders,
} from "./values.ts";

/** A manifest may have this many bytes. */
export const MAX_MANIFEST_BYTES = 262_144;

/** Errors of a file that can't be looked into. One of them stands alone. */
export const fileErrors = {
  tooLarge: "manifest exceeds 256 KiB",
  unreadable: "manifest could not be read",
  notJson: "manifest is not valid JSON",
  notObject: "manifest JSON must be an object",
} as const;

/** What was found in a manifest. The lists hold what is supported, each value once, also of an invalid one. */
export interface ManifestReport {
  /** Absolute. */
  readonly path: string;
  /** The first 16 hexadecimal digits of the path's SHA-256. */
  readonly pathHash: string;
  readonly valid: boolean;
  readonly byteSize: number;
  readonly errors: readonly string[];
  readonly capabilities: readonly string[];
  readonly providerTypes: readonly string[];
  readonly hostTypes: readonly string[];
  readonly distributionSources: readonly string[];
  readonly auditStatuses: readonly string[];
}

/** Checks the bytes of a manifest. Never throws. */
export function validateManifest(path: string, bytes: Uint8Array): ManifestReport {
  if (bytes.byteLength > MAX_MANIFEST_BYTES) return refused(path, bytes.byteLength, fileErrors.tooLarge);
  const parsed = parse(bytes);
  if (parsed === undefined) return refused(path, bytes.byteLength, fileErrors.notJson);
  if (!isObject(parsed)) return refused(path, bytes.byteLength, fileErrors.notObject);
  const capabilities = readCapabilities(parsed);
  const providers = readProviders(parsed);
  const hosts = readHosts(parsed);
  const distribution = readDistribution(parsed);
  const audit = readAudit(parsed);
  const readings = [capabilities, providers, hosts, distribution, audit];
  const errors = [...identityErrors(parsed), ...readings.flatMap((reading) => reading.errors)];
  return {
    ...refused(path, bytes.byteLength),
    valid: errors.length === 0,
    errors,
    capabilities: capabilities.values,
    providerTypes: providers.values,
    hostTypes: hosts.values,
    distributionSources: distribution.values,
    auditStatuses: audit.values,
  };
}

/** The report of a manifest that says nothing. */
export function refused(path: string, byteSize: number, error?: string): ManifestReport {
  return {
    path,
    pathHash: hash16(path),
    valid: false,
    byteSize,
    errors: error === undefined ? [] : [error],
    capabilities: [],
    providerTypes: [],
    hostTypes: [],
    distributionSources: [],
    auditStatuses: [],
  };
}

/** `undefined` for what is no JSON. The decoder takes a leading byte order mark away. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
