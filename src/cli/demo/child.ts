/** Child processes of the demo: the command `lemon`, and the project's own tests. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A line of JSON that the command wrote. */
export type Line = Readonly<Record<string, unknown>> & { readonly type?: string };

/** How a child ended. */
export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly Line[];
  readonly stderr: string;
}

/**
 * Runs `node` with these arguments to its end.
 *
 * @param options.onLine - sees each line of JSON as it comes, and may kill the child
 */
export async function runNode(
  args: readonly string[],
  options: { readonly cwd?: string; readonly onLine?: (line: Line, kill: () => void) => void } = {},
): Promise<Ended> {
  // A test runner inside a test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: Line[] = [];
  let stderr = "";
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (!text.startsWith("{")) return;
    const line = JSON.parse(text) as Line;
    lines.push(line);
    options.onLine?.(line, () => child.kill("SIGKILL"));
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status, signal) => resolve({ status, signal, lines, stderr }));
  });
}
