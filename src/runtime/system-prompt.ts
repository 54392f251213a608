/**
 * The system prompt of a new session. It is recorded when the session starts, so a later change of this text or of a
 * file that it quotes changes no session that exists.
 */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";

/** Instructions of a project or user, quoted up to this many characters. */
const MAX_INSTRUCTIONS = 32_768;

const rules = `You are a coding agent. You work in the user's folder with the tools that you are given.
- Look before you change: search with grep and find, read the parts that matter.
- Make the smallest change that does the job, in the style of the code around it. Prefer edit to write for files that exist.
- After a change, run the project's own tests or build with bash and read what they say.
- When a call fails, read its message and change what you do; do not repeat it as it was.
- A call that was interrupted may have had an effect: look before you repeat it.
- When you are done, say in a few sentences what you changed and how you checked it.`;

/**
 * The rules above, where the session runs, and AGENTS.md of the home and of the folder.
 *
 * @param home - the runtime's home
 * @param cwd - the session's working directory, absolute
 * @param secrets - names of the secrets that tools may be given; never a value
 */
export async function buildSystemPrompt(
  home: string,
  cwd: string,
  secrets: readonly string[] = [],
): Promise<string> {
  const quoted = await Promise.all(
    [home, cwd].map((folder) => instructionsOf(path.join(folder, "AGENTS.md"))),
  );
  const named =
    secrets.length === 0
      ? []
      : [
          `Secrets: write {{secret:NAME}} in an argument where a tool needs one; the tool gets the value, you never see it. Names: ${secrets.join(", ")}.`,
        ];
  return [rules, `Working directory: ${cwd}`, ...named, ...quoted.filter((text) => text !== null)].join(
    "\n\n",
  );
}

async function instructionsOf(file: string): Promise<string | null> {
  let text: string;
  try {
    // Opening a pipe would wait for its other end, for ever.
    if (!(await stat(file)).isFile()) return null;
    text = await readFile(file, "utf8");
  } catch (error) {
    // Without the file there are no instructions; one that exists but can't be read is worth telling.
    const code = (error as { code?: string }).code;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return `Instructions in ${file} could not be read (${code ?? "unknown error"}).`;
  }
  const shown = [...text].slice(0, MAX_INSTRUCTIONS).join("");
  return shown.trim() === "" ? null : `Instructions from ${file}:\n${shown}`;
}
