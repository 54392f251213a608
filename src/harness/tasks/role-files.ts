/** Reads the roles that a user and a project have. docs/reference/subagents.md, "Roles" */
import { open } from "node:fs/promises";
import path from "node:path";
import { builtInRoles, mergeRoles, rolesIn, type Role, type RolesRead } from "./roles.ts";

/** Bytes of such a file, at most. */
const MAX_BYTES = 1024 * 1024;

/** Where roles are looked for. */
export interface RolePlaces {
  readonly home: string;
  readonly cwd: string;
  /** Whether the project may loosen what the user said. */
  readonly isTrusted: boolean;
}

/** The roles of a folder by id, and what is wrong with the files. A file that is not there is empty. */
export async function loadRoles({ home, cwd, isTrusted }: RolePlaces): Promise<{
  readonly roles: ReadonlyMap<string, Role>;
  readonly warnings: readonly string[];
}> {
  const own = await rolesOf(path.join(home, "agent", "subagents.json"));
  const file = path.join(cwd, ".lemon", "subagents.json");
  const project = isTrusted ? await rolesOf(file) : confined(file, await rolesOf(file));
  return {
    roles: mergeRoles(builtInRoles, own.roles, project.roles),
    warnings: [...own.warnings, ...project.warnings],
  };
}

/** A prompt of a stranger is but words, as any file is. That its subagents have others is for the user to allow. */
function confined(file: string, { roles, warnings }: RolesRead): RolesRead {
  const isLoose = roles.some(({ delegate }) => delegate);
  if (!isLoose) return { roles, warnings };
  const ignored = `${file}: "delegate" is ignored, since this folder is not trusted`;
  return { roles: roles.map((each) => ({ ...each, delegate: false })), warnings: [...warnings, ignored] };
}

async function rolesOf(file: string): Promise<RolesRead> {
  try {
    const text = await textOf(file);
    return text === null ? { roles: [], warnings: [] } : rolesIn(file, JSON.parse(text));
  } catch (error) {
    const why = error instanceof SyntaxError ? "it is no JSON" : "it can't be read";
    return { roles: [], warnings: [`${file} is left out: ${why}`] };
  }
}

/** `null` for a file that is not there. */
async function textOf(file: string): Promise<string | null> {
  const handle = await open(file).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  });
  if (handle === null) return null;
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > MAX_BYTES) throw new Error("no file, or too large");
    return (await handle.readFile("utf8")).replace(/^\uFEFF/, "");
  } finally {
    await handle.close();
  }
}
