/** A session with extensions of text and of the program, and all that a test looks at. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Fact, FactData, FactType } from "../../src/events/index.ts";
import { defineExtension, type HookTable } from "../../src/extensions/index.ts";
import type { EventLog } from "../../src/log/index.ts";
import type { Logger } from "../../src/ports.ts";
import type { Model, ScriptedTurn } from "../../src/providers/index.ts";
import type { Runtime, RuntimeOptions, Session, StartOptions } from "../../src/runtime/index.ts";
import { defineTool } from "../../src/tools/index.ts";
import { recorded } from "../cases/session.ts";
import { memoryLog } from "../support/log-doubles.ts";
import { factsOf, scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

type Context = Parameters<Model["request"]>[0];

/** A line of the logger. */
export interface Line {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** A runtime, what it was asked and what it said. */
export interface World extends AsyncDisposable {
  readonly cwd: string;
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly requests: readonly Context[];
  readonly lines: readonly Line[];
  /** What extensions wrote. */
  readonly output: readonly string[];
  /** Writes a file below the working directory. */
  write(name: string, text: string): string;
  start(options?: StartOptions): Promise<Session>;
  factsOf(session: Session): Promise<Fact[]>;
}

/** What a world starts with. */
export interface WorldOptions extends Partial<RuntimeOptions> {
  readonly turns?: readonly ScriptedTurn[];
  /** By name, below the working directory. */
  readonly files?: Readonly<Record<string, string>>;
  readonly onLog?: EventLog;
}

/** A world whose sessions load the folder `ext` of their working directory. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const { turns = [], files = {}, onLog, ...rest } = options;
  const cwd = rest.cwd ?? path.join(temporaryFolder(), "work");
  mkdirSync(path.join(cwd, "ext"), { recursive: true });
  const write = (name: string, text: string): string => {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const log = onLog ?? (await memoryLog());
  const lines: Line[] = [];
  const output: string[] = [];
  const { model, requests } = recorded(turns);
  const runtime = await scriptedRuntime(log, [], {
    cwd,
    models: { s: model },
    logger: loggerOf(lines),
    onExtensionOutput: (module, line) => void output.push(`[${module}] ${line}`),
    ...rest,
  });
  return {
    cwd,
    log,
    runtime,
    requests,
    lines,
    output,
    write,
    start: (more = {}) => runtime.sessions.start({ model: "s/m", extensions: ["ext"], ...more }),
    factsOf: (session) => factsOf(log, `session-${session.id}`),
    [Symbol.asyncDispose]: async () => {
      await runtime.close();
      if (onLog === undefined) await log.close();
    },
  };
}

function loggerOf(lines: Line[]): Logger {
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, fields, message });
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** An object of the program that has these hooks. */
export function hooked(name: string, hooks: HookTable): unknown {
  return defineExtension({ name, version: "1.0.0", hooks });
}

/** An object of the program whose tool answers with the arguments that it was given, as JSON. */
export function echoing(seen: unknown[] = [], more: object = {}): unknown {
  return defineExtension({
    name: "echo",
    version: "1.0.0",
    tools: [
      defineTool({
        name: "echo",
        description: "answers with its arguments",
        parameters: { type: "object" },
        execute: (_id, args) => {
          seen.push(args);
          return { content: [{ type: "text", text: JSON.stringify(args) }], details: { own: 1 } };
        },
        ...more,
      }),
    ],
  });
}

/** The text of an extension file with a tool that answers with a text, and whatever else stands in `more`. */
export function fileWith(name: string, tool: string, text: string, more = ""): string {
  return `export default {
  name: ${JSON.stringify(name)}, version: "1.0.0",
  tools: [{ name: ${JSON.stringify(tool)}, description: ${JSON.stringify(text)}, parameters: { type: "object" },
    execute: () => ({ content: [{ type: "text", text: ${JSON.stringify(text)} }] }) }],
  ${more}
};\n`;
}

/** A turn that calls tools. */
export function calling(
  ...calls: (string | { name: string; args: Record<string, unknown> })[]
): ScriptedTurn {
  return { toolCalls: calls.map((call) => (typeof call === "string" ? { name: call, args: {} } : call)) };
}

/** Data of every fact of a type, in order. */
export function dataOf<Type extends FactType>(facts: readonly Fact[], type: Type): FactData<Type>[] {
  return facts.filter((fact) => fact.type === type).map(({ data }) => data as FactData<Type>);
}
