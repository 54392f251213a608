// Says why a shell command may not run; `null`: nothing was found against it. Reads the text alone and runs nothing, so it
// sees what is written and not what will happen: README.md says what that leaves out.
import path from "node:path";
import { simpleCommands, type SimpleCommand, type Word } from "./words.ts";

/** Where commands work, and where else they may write. */
export interface Place {
  readonly cwd: string;
  readonly writable: readonly string[];
}

// Commands that only run another one, with how many of their own words to pass over.
const wrappers: ReadonlyMap<string, number> = new Map([
  ..."sudo doas env nohup time command builtin exec nice xargs stdbuf ! then else do if while {"
    .split(" ")
    .map((name) => [name, 0] as const),
  ["timeout", 1],
]);
const shells = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish"]);
const interpreters = new Set(["python", "python3", "perl", "ruby", "node", "php"]);
const always: ReadonlyMap<string, string> = new Map([
  ["shred", "it destroys files for good"],
  ...["wipefs", "fdisk", "parted"].map((name) => [name, "it changes a disk"] as const),
  ...["shutdown", "reboot", "halt", "poweroff"].map((name) => [name, "it ends the machine"] as const),
]);

/** Why the command may not run. */
export function verdictOn(text: string, place: Place): string | null {
  if (/^\s*\S+\s*\(\)\s*\{|\bfunction\s/.test(text)) return "it defines a function: write it as a script";
  const commands = simpleCommands(text);
  if (commands === null) return "it can't be read: close its quotes";
  // Where a `cd` leads; `null` once that can't be known.
  let cwd: string | null = place.cwd;
  for (const command of commands) {
    const reason = verdictOnOne(command, cwd, place);
    if (reason !== null) return reason;
    const [name, target] = command.words;
    if (name?.text === "cd" || name?.text === "pushd")
      cwd = cwd === null || target?.isPlain !== true ? null : path.resolve(cwd, target.text);
  }
  return null;
}

function verdictOnOne(command: SimpleCommand, cwd: string | null, place: Place): string | null {
  for (const word of [...command.words, ...command.writesTo])
    for (const inner of substitutions(word.text)) {
      const reason = verdictOn(inner, { ...place, cwd: cwd ?? "/" });
      if (reason !== null) return reason;
    }
  const written = command.writesTo.find((file) => !mayWrite(file, cwd, place));
  if (written !== undefined) return `it writes to ${written.text}, outside of the workspace`;
  const words = withoutWrappers(command.words);
  const [first, ...args] = words;
  if (first === undefined) return null;
  if (!first.isPlain) return "which command it runs does not stand in its text";
  return judge(path.basename(first.text), args, { ...place, here: cwd, pipedInto: command.pipedInto });
}

interface Circumstances extends Place {
  readonly here: string | null;
  readonly pipedInto: boolean;
}

function judge(name: string, args: readonly Word[], at: Circumstances): string | null {
  const texts = args.map(({ text }) => text);
  const flags = texts.filter((text) => text.startsWith("-"));
  const targets = args.filter(({ text }) => !text.startsWith("-"));
  const has = (short: string, ...long: string[]): boolean =>
    flags.some(
      (flag) => long.includes(flag) || (/^-[A-Za-z]+$/.test(flag) && new RegExp(`[${short}]`).test(flag)),
    );
  const known = always.get(name);
  if (known !== undefined) return known;
  if (name.startsWith("mkfs")) return "it destroys a disk";
  const outside = targets.find((target) => !mayWrite(target, at.here, at));
  switch (name) {
    case "eval":
      return args.every(({ isPlain }) => isPlain)
        ? verdictOn(texts.join(" "), { ...at, cwd: at.here ?? "/" })
        : "what it evaluates does not stand in its text";
    case "rm":
      if (targets.length === 0 && at.pipedInto) return "what it removes does not stand in its text";
      if (has("rR", "--recursive") && targets.some((target) => isWhole(target, at)))
        return "it removes the workspace, or more";
      return outside === undefined ? null : `it removes ${outside.text}, outside of the workspace`;
    case "dd":
      return writeOf(
        args
          .filter(({ text }) => text.startsWith("of="))
          .map(({ text, isPlain }) => ({ text: text.slice(3), isPlain })),
        at,
      );
    case "chmod":
    case "chown":
      // The first word is the mode or the owner.
      return writeOf(targets.slice(1), at);
    case "tee":
    case "truncate":
    case "touch":
    case "mkdir":
    case "rmdir":
    case "unlink":
      return writeOf(targets, at);
    case "mv":
      return writeOf(targets, at);
    case "cp":
    case "install":
    case "ln":
      return writeOf(targets.slice(-1), at);
    case "find":
      return verdictOnFind(args, at);
    case "git":
      return verdictOnGit(texts);
    case "kill":
      return texts.includes("-1") && texts.at(-1) === "-1" ? "it ends every process" : null;
  }
  if (shells.has(name)) return verdictOnShell(args, at);
  if (interpreters.has(name)) return verdictOnProgram(args, at);
  return null;
}

function verdictOnShell(args: readonly Word[], at: Circumstances): string | null {
  const flag = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
  const script = flag < 0 ? undefined : args[flag + 1];
  if (script !== undefined)
    return script.isPlain
      ? verdictOn(script.text, { ...at, cwd: at.here ?? "/" })
      : "what the shell runs does not stand in its text";
  return at.pipedInto ? "a shell would run what another command prints" : null;
}

function verdictOnProgram(args: readonly Word[], at: Circumstances): string | null {
  const flag = args.findIndex(({ text }) => ["-c", "-e", "--eval", "-r"].includes(text));
  if (flag < 0)
    return at.pipedInto && args.length === 0 ? "an interpreter would run what another command prints" : null;
  const program = args[flag + 1]?.text ?? "";
  return /rmtree|unlink|rmSync|rmdir|remove|system|exec|spawn|popen|FileUtils/i.test(program)
    ? "it removes files or runs commands from within another language"
    : null;
}

function verdictOnFind(args: readonly Word[], at: Circumstances): string | null {
  if (args.some(({ text }) => text === "-delete"))
    return "find -delete removes what it finds: list it first, then remove by name";
  const run = args.findIndex(({ text }) => /^-(exec|execdir|ok)$/.test(text));
  if (run < 0) return null;
  const [name, ...rest] = args.slice(run + 1);
  if (name !== undefined && /^(rm|shred|unlink)$/.test(path.basename(name.text)))
    return "it removes what find finds";
  return name === undefined
    ? null
    : judge(
        path.basename(name.text),
        rest.filter(({ text }) => text !== ";" && text !== "+" && !text.includes("{}")),
        at,
      );
}

function verdictOnGit(texts: readonly string[]): string | null {
  const words = texts.join(" ");
  if (/\bpush\b/.test(words) && /(^| )(-f|--force|--mirror|\+\S+)( |$)/.test(words))
    return "force pushes rewrite what others have";
  if (/\breset\b.*--hard\b/.test(words)) return "it throws work away: commit or stash it first";
  return /\bclean\b/.test(words) && /(^| )-[a-z]*f|--force/.test(words)
    ? "git clean removes files for good"
    : null;
}

function writeOf(targets: readonly Word[], at: Circumstances): string | null {
  const outside = targets.find((target) => !mayWrite(target, at.here, at));
  return outside === undefined ? null : `it writes to ${outside.text}, outside of the workspace`;
}

/** The workspace itself, or all that is in it. */
function isWhole({ text }: Word, { here, cwd }: Circumstances): boolean {
  if (here === null) return true;
  const place = path.resolve(here, text.replace(/\/?\*+$/, "") || ".");
  return place === cwd || /^\.?\/?\*+$/.test(text);
}

/** Patterns are taken by the part before them: what they match lies below it. */
function mayWrite({ text, isPlain }: Word, here: string | null, { cwd, writable }: Place): boolean {
  if (/^\/dev\/(null|stdout|stderr|tty)$/.test(text)) return true;
  if (!isPlain && /[$`~]/.test(text)) return false;
  const fixed = isPlain ? text : text.replace(/[*?[{].*$/, "");
  // `{a,../b}` and the like: a pattern whose rest leads up again.
  if (!isPlain && text.slice(fixed.length).includes("..")) return false;
  if (here === null && !path.isAbsolute(fixed)) return false;
  const place = path.resolve(here ?? "/", fixed);
  return [cwd, ...writable].some((root) => place === root || place.startsWith(root + path.sep));
}

function withoutWrappers(words: readonly Word[]): readonly Word[] {
  let rest = words;
  for (;;) {
    const [first] = rest;
    if (first === undefined) return rest;
    const name = path.basename(first.text);
    const own = wrappers.get(name);
    if (/^\w+=/.test(first.text)) rest = rest.slice(1);
    else if (own === undefined || (!first.isPlain && name !== "{")) return rest;
    else {
      rest = rest.slice(1);
      while (rest[0]?.text.startsWith("-") === true) rest = rest.slice(1);
      rest = rest.slice(own);
    }
  }
}

/** Commands within `$(…)`, `<(…)` and backquotes. */
function substitutions(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`]*)`/g)].map(([, inner = ""]) => inner);
  const grouped = [...text.matchAll(/\$\((?!\()/g)].map(({ index }) => {
    let depth = 0;
    for (let at = index + 1; at < text.length; at += 1) {
      if (text.charAt(at) === "(") depth += 1;
      if (text.charAt(at) === ")") depth -= 1;
      if (depth === 0) return text.slice(index + 2, at);
    }
    return text.slice(index + 2);
  });
  return [...quoted, ...grouped];
}
