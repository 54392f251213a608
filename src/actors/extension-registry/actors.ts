/** Which machine runs the stream of a registry of extensions, and how it is called. */
import type { StreamActors } from "../cascade.ts";
import { extensionRegistryMachine, noMember } from "./machine.ts";

/** Name of a runtime's registry stream. */
export function registryStreamName(runtimeId: string): string {
  return `extensions-${runtimeId}`;
}

/** The actors of a registry: itself alone. */
export function registryActors(): StreamActors {
  return {
    root: extensionRegistryMachine,
    rootPath: "extensions/registry",
    member: noMember,
    memberPath: (callId) => `extensions/${callId}`,
  };
}
