/** Which kinds of host the manifests name, and whether this runtime would run them. Starts none. */
import type { hostTypes } from "../manifest/index.ts";

type HostType = (typeof hostTypes)[number];

/** One kind of host. */
export interface HostStatus {
  /** Manifests that name it. */
  readonly configuredCount: number;
  readonly status:
    | "disabled"
    | "configured"
    | "not_configured"
    | "loadable"
    | "diagnostics_only"
    | "manifest_only";
  readonly diagnosticsLoadsHostCode: false;
}

/** All kinds of host. */
export interface HostRuntime {
  readonly hosts: Readonly<Record<HostType, HostStatus>>;
  /** Kinds that a manifest names and that are switched off, or whose code only diagnostics look at. */
  readonly degradedHostCount: number;
  readonly manifestOnlyHostCount: number;
  readonly runtimeHealthLoadsExtensionCode: false;
}

/** What decides about a status. */
export interface HostSwitches {
  readonly isEnabled: boolean;
  /** Explicit paths, or the default folders, are loaded. */
  readonly isLoading: boolean;
  readonly isWasmEnabled: boolean;
}

/** The status of each kind of host, given how many manifests name it. */
export function hostRuntime(counts: Readonly<Record<string, number>>, switches: HostSwitches): HostRuntime {
  const hostOf = (type: HostType): HostStatus => {
    const configuredCount = counts[type] ?? 0;
    return {
      configuredCount,
      status: statusOf(type, configuredCount > 0, switches),
      diagnosticsLoadsHostCode: false,
    };
  };
  const hosts = {
    beam: hostOf("beam"),
    wasm: hostOf("wasm"),
    mcp: hostOf("mcp"),
    external: hostOf("external"),
    node: hostOf("node"),
  };
  const all = Object.values(hosts);
  return {
    hosts,
    degradedHostCount: all.filter(isDegraded).length,
    manifestOnlyHostCount: all.filter(({ status }) => status === "manifest_only").length,
    runtimeHealthLoadsExtensionCode: false,
  };
}

function statusOf(type: HostType, isNamed: boolean, switches: HostSwitches): HostStatus["status"] {
  switch (type) {
    case "node":
      if (!switches.isEnabled) return "disabled";
      if (!isNamed) return "not_configured";
      return switches.isLoading ? "loadable" : "diagnostics_only";
    case "wasm":
      if (!switches.isWasmEnabled) return "disabled";
      return isNamed ? "configured" : "not_configured";
    case "beam":
    case "mcp":
    case "external":
      return isNamed ? "manifest_only" : "not_configured";
  }
}

function isDegraded({ configuredCount, status }: HostStatus): boolean {
  return configuredCount > 0 && (status === "disabled" || status === "diagnostics_only");
}
