/**
 * Which tools there are when names collide. Pure, so that a registry's decision can be replayed from names alone.
 * The order stands in docs/reference/tools.md, "Names".
 */
import { byCodePoint } from "../events/index.ts";
import { kindOf, sourceLabel, toolKinds, type ToolKind, type ToolSource } from "./tool-source.ts";

/** What decides: a tool's name and where it comes from. */
export interface ToolCandidate {
  readonly name: string;
  readonly source: ToolSource;
  /** File of its extension: tells two extensions of one module apart. `null` for an object of the program. */
  readonly sourcePath?: string | null;
}

/** One tool that lost its name to another. */
export interface ToolCollision<Candidate extends ToolCandidate = ToolCandidate> {
  readonly winner: Candidate;
  readonly loser: Candidate;
}

/** What came of it. */
export interface Resolution<Candidate extends ToolCandidate = ToolCandidate> {
  /** The winners: built-in tools as declared, WASM by (name, path), extensions by (name, module), MCP by (name, server). */
  readonly tools: readonly Candidate[];
  /** The losers, in the same order. */
  readonly collisions: readonly ToolCollision<Candidate>[];
}

/**
 * Decides who has each name: built-in before WASM before extension before MCP; of extensions the first module.
 *
 * Names are compared exactly, case included. The order in which the candidates are given matters only among built-in
 * tools, and among tools of one name that one source lists.
 */
export function resolveTools<Candidate extends ToolCandidate>(
  candidates: readonly Candidate[],
): Resolution<Candidate> {
  const winners = new Map<string, Candidate>();
  const collisions: ToolCollision<Candidate>[] = [];
  for (const candidate of inOrder(candidates)) {
    const winner = winners.get(candidate.name);
    if (winner === undefined) winners.set(candidate.name, candidate);
    else collisions.push({ winner, loser: candidate });
  }
  return { tools: [...winners.values()], collisions };
}

/** The line that is logged for a tool that lost its name. */
export function conflictWarning(lost: {
  readonly name: string;
  readonly winner: ToolSource;
  readonly loser: ToolSource;
}): string {
  const [winner, loser] = [sourceLabel(lost.winner), sourceLabel(lost.loser)];
  return `Tool name conflict: '${lost.name}' from ${loser} is shadowed by ${winner}`;
}

function inOrder<Candidate extends ToolCandidate>(candidates: readonly Candidate[]): Candidate[] {
  const byKind: Record<ToolKind, Candidate[]> = { builtin: [], wasm: [], extension: [], mcp: [] };
  for (const candidate of candidates) byKind[kindOf(candidate.source)].push(candidate);
  return toolKinds.flatMap((kind) =>
    kind === "builtin" ? byKind.builtin : byKind[kind].toSorted(byNameAndSource),
  );
}

function byNameAndSource(a: ToolCandidate, b: ToolCandidate): number {
  return (
    byCodePoint(a.name, b.name) ||
    byCodePoint(idOf(a.source), idOf(b.source)) ||
    byCodePoint(a.sourcePath ?? "", b.sourcePath ?? "")
  );
}

function idOf(source: ToolSource): string {
  return source === "builtin" ? "" : source.id;
}
