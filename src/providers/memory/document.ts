import type { Json } from "../../events/index.ts";
import { type MemoryDocument, memoryScopes } from "./port.ts";

/**
 * A document out of a value that may be anything, as a copy; `null` when it is none.
 *
 * Without `metadata` it has empty ones; metadata that JSON can't hold make it no document.
 */
export function readDocument(value: unknown): (MemoryDocument & { readonly [key: string]: Json }) | null {
  try {
    if (typeof value !== "object" || value === null) return null;
    const { id, scope, content, createdAt, metadata } = value as Partial<Record<string, unknown>>;
    const knownScope = memoryScopes.find((known) => known === scope);
    const copied = copyMetadata(metadata);
    if (typeof id !== "string" || id.trim() === "" || knownScope === undefined) return null;
    if (typeof content !== "string" || !Number.isFinite(createdAt) || copied === null) return null;
    return { id, scope: knownScope, content, createdAt: Number(createdAt), metadata: copied };
  } catch {
    // A getter of an author's class, or metadata that contain themselves.
    return null;
  }
}

function copyMetadata(metadata: unknown): { readonly [key: string]: Json } | null {
  if (metadata === undefined || metadata === null) return {};
  if (typeof metadata !== "object" || Array.isArray(metadata)) return null;
  const copy: unknown = JSON.parse(JSON.stringify(metadata));
  return typeof copy === "object" && copy !== null ? (copy as { readonly [key: string]: Json }) : null;
}
