/** Other processes that use the log. They run JavaScript: Node.js 20 reads no TypeScript. */
import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import ts from "typescript";
import { onTestFinished } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

/** What a child may use without saying so. */
const PRELUDE = `
  import { leaseOwner, openEventLog } from "./log/index.js";
  const [file] = process.argv.slice(2);
  const fact = (data) => ({ type: "test.noted", kind: "input", actor: "caller", causation: null, correlation: null, data });
  const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
`;

/** The log room as JavaScript, below the repository so that it finds its packages. */
export function compileLog(): { readonly directory: string; remove(): void } {
  const cache = path.join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(path.join(cache, "log-test-"));
  chmodSync(directory, 0o755); // a child may be another user
  const rooms = ["events", "log"].flatMap((room) =>
    readdirSync(path.join(root, "src", room), { recursive: true, encoding: "utf8" }).map((file) =>
      path.join(room, file),
    ),
  );
  for (const file of ["errors.ts", "ports.ts", ...rooms].filter((name) => name.endsWith(".ts"))) {
    const target = path.join(directory, file.replace(/\.ts$/, ".js"));
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, transpiled(readFileSync(path.join(root, "src", file), "utf8")));
  }
  writeFileSync(path.join(directory, "package.json"), '{ "type": "module" }');
  return {
    directory,
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function transpiled(source: string): string {
  const { ESNext } = ts.ModuleKind;
  const { ES2023 } = ts.ScriptTarget;
  return ts.transpileModule(source, {
    compilerOptions: {
      module: ESNext,
      target: ES2023,
      rewriteRelativeImportExtensions: true,
      verbatimModuleSyntax: true,
    },
  }).outputText;
}

export interface Child {
  readonly process: ChildProcess;
  /** The next line that it says; rejects when it ends without one. */
  next(): Promise<unknown>;
  /** All that it still says, once it has ended with status 0. */
  rest(): Promise<unknown[]>;
  kill(signal: NodeJS.Signals): Promise<void>;
  tell(line: string): void;
}

export interface ChildOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly nodeOptions?: readonly string[];
}

/** Runs `body`, a module with `openEventLog`, `leaseOwner`, `fact`, `say` and `file`, in a process of its own. */
export function runChild(
  directory: string,
  body: string,
  file: string,
  { nodeOptions = [], ...identity }: ChildOptions = {},
): Child {
  const script = path.join(directory, `child-${childCount++}.js`);
  writeFileSync(script, PRELUDE + body);
  const child = spawn(process.execPath, [...nodeOptions, script, file], {
    stdio: ["pipe", "pipe", "pipe"],
    ...identity,
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    if (done === true) throw new Error(`the child ended with ${await exited}: ${stderr}`);
    return JSON.parse(value) as unknown;
  };
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return {
    process: child,
    next,
    rest: async () => {
      const said: unknown[] = [];
      for (;;) {
        const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
        if (done === true) break;
        said.push(JSON.parse(value));
      }
      const status = await exited;
      if (status !== 0) throw new Error(`the child ended with ${status}: ${stderr}`);
      return said;
    },
    kill: async (signal) => {
      child.kill(signal);
      await exited;
    },
    tell: (line) => {
      child.stdin.write(`${line}\n`);
    },
  };
}

let childCount = 0;
