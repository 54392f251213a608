/** What a manifest may say, and what is wrong with what it says. Texts of errors are stable. docs/reference/manifests.md */

const PROVIDER_TYPES = ["model", "memory", "tool_executor", "storage"];
const SOURCES = ["local", "git", "github", "registry", "archive"];
const STATUSES = ["pending", "passed", "warn", "blocked", "unknown"];

/** The kinds of host that a manifest may name. */
export const hostTypes = ["beam", "wasm", "mcp", "external", "node"] as const;

/** What one field says. */
export interface Reading {
  readonly errors: readonly string[];
  /** Its supported values, each once. */
  readonly values: readonly string[];
}

/** A parsed manifest. */
export type ManifestObject = Readonly<Record<string, unknown>>;

const silent: Reading = { errors: [], values: [] };

/** Errors of the name, the version and the schema version. */
export function identityErrors(manifest: ManifestObject): string[] {
  const name = own(manifest, "name");
  const errors = (["name", "version"] as const)
    .filter((field) => isBlank(own(manifest, field)))
    .map((field) => `${field} must be a non-empty string`);
  const isVersioned = ["schema_version", "schemaVersion"].some((field) => {
    const value = own(manifest, field);
    return typeof value === "string" || Number.isInteger(value);
  });
  if (!isVersioned) errors.push("schema_version must be present");
  if (typeof name === "string" && !/^[a-z0-9][a-z0-9._-]*$/.test(name))
    errors.push("name has invalid characters");
  return errors;
}

/** `capabilities`: any words. */
export function readCapabilities(manifest: ManifestObject): Reading {
  const found = own(manifest, "capabilities");
  if (found === undefined || found === null) return silent;
  if (!Array.isArray(found)) return failure("capabilities must be a list of strings");
  const words = found.filter((word): word is string => typeof word === "string" && !isBlank(word));
  return {
    errors: words.length === found.length ? [] : ["capabilities must contain strings"],
    values: unique(words),
  };
}

/** `providers`: a list of objects with a type and a name. */
export function readProviders(manifest: ManifestObject): Reading {
  const found = own(manifest, "providers");
  if (found === undefined) return silent;
  if (!Array.isArray(found)) return failure("providers must be a list");
  return join(found.map((provider: unknown, index) => readProvider(provider, `providers[${index}]`)));
}

function readProvider(provider: unknown, place: string): Reading {
  const isWhole = isObject(provider) && Object.hasOwn(provider, "type") && Object.hasOwn(provider, "name");
  const type = readWord(own(provider, "type"), PROVIDER_TYPES, `${place}.type`);
  if (!isWhole) return { errors: [`${place} must include type and name`], values: type.values };
  const nameErrors = isBlank(own(provider, "name")) ? [`${place}.name must be a non-empty string`] : [];
  return { errors: [...type.errors, ...nameErrors], values: type.values };
}

/** `hosts`, a list, or else `host`, one. */
export function readHosts(manifest: ManifestObject): Reading {
  if (Object.hasOwn(manifest, "hosts")) {
    const { hosts } = manifest;
    if (!Array.isArray(hosts)) return failure("hosts must be a list");
    return join(hosts.map((host: unknown, index) => readHostOfList(host, `hosts[${index}]`)));
  }
  if (!Object.hasOwn(manifest, "host")) return silent;
  const { host } = manifest;
  if (typeof host === "string") return readWord(host, hostTypes, "host");
  if (!isObject(host) || !Object.hasOwn(host, "type")) return failure("host must be a host type or object");
  return supported(host["type"], hostTypes, "host.type");
}

function readHostOfList(host: unknown, place: string): Reading {
  if (typeof host === "string") return readWord(host, hostTypes, place);
  if (!isObject(host) || !Object.hasOwn(host, "type"))
    return failure(`${place} must be a host type or object`);
  return readWord(host["type"], hostTypes, `${place}.type`);
}

/** `distribution`: where the package comes from. */
export function readDistribution(manifest: ManifestObject): Reading {
  return readNote(manifest, "distribution", "source", SOURCES);
}

/** `audit`: what somebody said of the package. */
export function readAudit(manifest: ManifestObject): Reading {
  return readNote(manifest, "audit", "status", STATUSES);
}

/** A word, or an object with the word under `key` or else under `type`; an object with neither says nothing. */
function readNote(manifest: ManifestObject, field: string, key: string, allowed: readonly string[]): Reading {
  if (!Object.hasOwn(manifest, field)) return silent;
  const found = manifest[field];
  if (typeof found === "string") return supported(found, allowed, field);
  if (!isObject(found)) return failure(`${field} must be a string or object`);
  const word = own(found, key) ?? own(found, "type") ?? undefined;
  return word === undefined ? silent : supported(word, allowed, `${field}.${key}`);
}

function readWord(found: unknown, allowed: readonly string[], place: string): Reading {
  return typeof found === "string" ? supported(found, allowed, place) : failure(`${place} must be a string`);
}

function supported(found: unknown, allowed: readonly string[], place: string): Reading {
  const word = allowed.find((each) => each === found);
  return word === undefined ? failure(`${place} is not supported`) : { errors: [], values: [word] };
}

function failure(error: string): Reading {
  return { errors: [error], values: [] };
}

function join(readings: readonly Reading[]): Reading {
  return {
    errors: readings.flatMap(({ errors }) => errors),
    values: unique(readings.flatMap(({ values }) => values)),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is ManifestObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
