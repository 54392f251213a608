/** Roles of subagents: what each is told before its task. docs/reference/subagents.md, "Roles" */
import { kindOf } from "../../errors.ts";
import { TaskError } from "./errors.ts";

/** What a subagent is. */
export interface Role {
  readonly id: string;
  /** Stands before the task. */
  readonly prompt: string;
  /** `provider/model-id`, in place of the session's; `null`: the session's. */
  readonly model: string | null;
  /** It may have subagents of its own. */
  readonly delegate: boolean;
}

/** Roles of one file, and what is wrong with the rest of it. */
export interface RolesRead {
  readonly roles: readonly Role[];
  /** For people, without content. */
  readonly warnings: readonly string[];
}

/** Those that are always there, unless a file has one of the same id. */
export const builtInRoles: readonly Role[] = [
  role(
    "implement",
    "You implement a change. Read the code around it first and write like it. Keep to what was asked, run the checks that the project has, and end with what you changed and what is left to do.",
  ),
  role(
    "research",
    "You find things out and change nothing. Look at the sources themselves, follow them to where the answer stands, and end with the answer, the places that show it, and what you could not find out.",
  ),
  role(
    "review",
    "You review and change nothing. Look for what is wrong: faults, missing cases, broken promises, unclear names. End with a list of findings, the most serious first, each with its place and why it is one; say so if there is none.",
  ),
  role(
    "test",
    "You test. Write and run what shows whether the work does what it should, edge cases and failures included. End with what you ran, what it showed, and what is not covered.",
  ),
];

function role(id: string, prompt: string): Role {
  return { id, prompt, model: null, delegate: false };
}

/**
 * The roles that a file holds: a list of entries, or an object with such a list as `subagents`. Entries without an id or
 * a prompt are left out.
 *
 * @param name - of the file, for warnings
 */
export function rolesIn(name: string, json: unknown): RolesRead {
  const list: unknown = isObject(json) ? json["subagents"] : json;
  if (!Array.isArray(list))
    return { roles: [], warnings: [`${name}: expected a list of subagents, got ${kindOf(list)}`] };
  const roles: Role[] = [];
  const warnings: string[] = [];
  for (const [at, entry] of (list as readonly unknown[]).entries()) {
    const read = roleOf(entry);
    if (typeof read === "string") warnings.push(`${name}: entry ${at} is left out: ${read}`);
    else roles.push(read);
  }
  return { roles, warnings };
}

/** Merged by id: the roles of a later list take the place of earlier ones. */
export function mergeRoles(...lists: readonly (readonly Role[])[]): ReadonlyMap<string, Role> {
  return new Map(lists.flat().map((each) => [each.id, each]));
}

/** @throws TaskError `invalid_role`, which names those that there are */
export function roleNamed(roles: ReadonlyMap<string, Role>, id: string): Role {
  const found = roles.get(id);
  if (found !== undefined) return found;
  const known = [...roles.keys()].toSorted().join(", ");
  throw new TaskError("invalid_role", `role: there is no such role; there are ${known}`, {
    field: "/role",
    expected: known,
  });
}

function roleOf(entry: unknown): Role | string {
  if (!isObject(entry)) return `expected an object, got ${kindOf(entry)}`;
  const { id, prompt, model = null, delegate = false } = entry;
  if (typeof id !== "string" || id.trim() === "") return "it has no id";
  if (typeof prompt !== "string" || prompt.trim() === "") return "it has no prompt";
  if (model !== null && (typeof model !== "string" || model.trim() === "")) return "its model is no name";
  if (typeof delegate !== "boolean") return "delegate is neither true nor false";
  return { id: id.trim(), prompt: prompt.trim(), model, delegate };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
