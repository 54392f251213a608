/** Opens a page in the user's browser. */
import { spawn } from "node:child_process";
import { codeForLog } from "../errors.ts";
import type { Output } from "./output.ts";

/** The command of each system that opens an address; `start` is one of the shell. */
const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Has the system open an address, and does not wait for the browser. That it can't is told, and is no failure. */
export async function openInBrowser(url: string, out: Output): Promise<void> {
  const [command = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  const failed = await new Promise<string | null>((resolve) => {
    const child = spawn(command, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? codeForLog(error)));
    child.once("spawn", () => {
      child.unref();
      resolve(null);
    });
    child.once("exit", (status) => {
      if (status !== 0 && status !== null)
        out.warn(`no browser could be opened: ${command} ended with status ${status}`);
    });
  });
  if (failed !== null) out.warn(`no browser could be opened: ${command}: ${failed}`);
}
