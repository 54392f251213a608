/**
 * Which paths `.gitignore` files and `info/exclude` name, as https://git-scm.com/docs/gitignore has it: of the files
 * that apply the innermost decides, within one the last line, and nothing comes back below a folder that is ignored.
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import type ignoreModule from "ignore";
import { enclosingRepository, gitExcludes, smallText } from "./git-excludes.ts";

// CommonJS, whose declared default is not what an import of it gives.
const ignore = createRequire(import.meta.url)("ignore") as typeof ignoreModule;

/** As git asks by default where names differ by case only. */
const ignoreCase = process.platform === "darwin" || process.platform === "win32";

/** The rules of one file, and how a path of the workspace is called from where they stand. */
interface Level {
  readonly matcher: ignoreModule.Ignore;
  /** Text of the rules, to derive others from. */
  readonly text: string;
  /** Characters of a path that lead to the folder of the rules. */
  readonly cut: number;
  /** Path from the folder of the rules to the root, with a `/` at its end, when it lies above. */
  readonly above: string;
}

/** All rules that apply in a folder. */
export interface IgnoreRules {
  /** Outermost first. */
  readonly levels: readonly Level[];
  /** Equal for equal rules. */
  readonly key: string;
}

/** The rules that apply in a folder, when those in the folder above are known. */
export interface Verdict {
  readonly isIgnored: boolean;
  /** For what is inside, if it is a folder. */
  readonly rules: IgnoreRules;
}

/** Nothing is ignored. */
export const noRules: IgnoreRules = { levels: [], key: "" };

/**
 * The rules from above the root: those of the repository that the root lies in. When they ignore the root itself they
 * say nothing of what is in it.
 *
 * @param root - absolute, no link
 */
export function rulesAbove(root: string): IgnoreRules {
  const top = enclosingRepository(root);
  if (top === null) return noRules;
  const inside = relative(top, root).split(/[\\/]/);
  let rules = noRules;
  for (const [depth, name] of inside.entries()) {
    const folder = join(top, ...inside.slice(0, depth));
    const above = `${inside.slice(depth).join("/")}/`;
    if (depth === 0) rules = withText(rules, gitExcludes(folder), { cut: 0, above });
    rules = withText(rules, smallText(join(folder, ".gitignore")), { cut: 0, above });
    // Of each level, the path up to here.
    const here = {
      ...rules,
      levels: rules.levels.map((level) => ({
        ...level,
        above: level.above.slice(0, level.above.length - above.length),
      })),
    };
    const verdict = judge(here, name, true);
    if (verdict.isIgnored) return noRules;
    rules = {
      ...verdict.rules,
      levels: verdict.rules.levels.map((level, index) => ({
        ...level,
        above: rules.levels[index]?.above ?? level.above,
      })),
    };
  }
  return rules;
}

/** Adds the rules that stand in a folder of the workspace, `info/exclude` if a repository begins there. */
export function rulesIn(
  rules: IgnoreRules,
  absolute: string,
  folder: string,
  has: { readonly git: boolean; readonly gitignore: boolean },
): IgnoreRules {
  const place = { cut: folder === "" ? 0 : folder.length + 1, above: "" };
  const own = has.git ? withText(rules, gitExcludes(absolute), place) : rules;
  return has.gitignore ? withText(own, smallText(join(absolute, ".gitignore")), place) : own;
}

/** What the rules of a folder say of something in it. */
export function judge(rules: IgnoreRules, path: string, isFolder: boolean): Verdict {
  for (let index = rules.levels.length - 1; index >= 0; index -= 1) {
    const level = rules.levels[index];
    if (level === undefined) continue;
    const { ignored, unignored } = matchOf(level, path, isFolder);
    if (ignored) return { isIgnored: true, rules };
    if (unignored) return { isIgnored: false, rules: isFolder ? admitting(rules, path, index) : rules };
  }
  return { isIgnored: false, rules };
}

function matchOf(
  level: Level,
  path: string,
  isFolder: boolean,
): { readonly ignored: boolean; readonly unignored: boolean } {
  return level.matcher.test(`${level.above}${path.slice(level.cut)}${isFolder ? "/" : ""}`);
}

/**
 * `ignore` asks of each file whether it ignores a folder above. Where an inner file has brought that folder back, the
 * outer ones must not take away what is in it, so they are told that the folder is none of theirs.
 */
function admitting(rules: IgnoreRules, path: string, decided: number): IgnoreRules {
  let { key } = rules;
  const levels = rules.levels.map((level, index) => {
    if (index >= decided || !matchOf(level, path, true).ignored) return level;
    key = digest(`${key}!${index}:${path}`);
    const from = `${level.above}${path.slice(level.cut)}`;
    const text = `${level.text}\n!/${from.replaceAll(/[\\*?[\] ]/g, "\\$&")}/`;
    return { ...level, text, matcher: matcherOf(text) };
  });
  return { levels, key };
}

function withText(rules: IgnoreRules, text: string | null, place: Pick<Level, "cut" | "above">): IgnoreRules {
  if (text === null || text.trim() === "") return rules;
  const level = { ...place, text, matcher: matcherOf(text) };
  return {
    levels: [...rules.levels, level],
    key: digest(`${rules.key}${place.cut}:${place.above}:${text}`),
  };
}

function matcherOf(text: string): ignoreModule.Ignore {
  return ignore({ ignoreCase }).add(text);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
