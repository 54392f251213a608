/** Whatever a secret is and however a tool prints it: it is in no byte that outlives the run. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { defineExtension } from "../../src/extensions/index.ts";
import type { SessionEvent } from "../../src/projections/index.ts";
import { defineTool } from "../../src/tools/index.ts";
import { scriptedRuntime, temporaryFolder } from "../support/runtimes.ts";

/** What an environment variable can hold, 8 characters and more; digits alone could be a time. */
const secret = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 40 }),
    fc.string({ unit: "grapheme", minLength: 8, maxLength: 20 }),
    fc.base64String({ minLength: 16, maxLength: 44 }),
    fc.constantFrom(
      'pa"ss\\word\n1',
      "a b&c=d/e?f+g%h",
      "ünïcödé-sëcret",
      "'it'\\''s secret'",
      "p@ss,w0rd!(*)",
    ),
  )
  .filter(
    (value) =>
      value.length >= 8 && !value.includes("\0") && /\D/.test(value.trim()) && value.trim().length >= 8,
  )
  .filter((value) => !"{{secret:ONE}}{{secret:TWO}}".includes(value));

/** The forms in which it must not be found, made without the code under test. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    bytes.toString("hex"),
    whole.toString("base64"),
    whole.toString("base64url"),
  ].filter((form) => form.length >= 8);
}

const channels = ["start", "stop", "exception"].map((end) => `coding_agent.extension.tool.${end}`);

test("no secret is in the log, its blobs, the log lines, the events or telemetry after tools have printed it", async () => {
  await fc.assert(
    fc.asyncProperty(secret, secret, fc.nat(), async (one, two, cut) => {
      const folder = temporaryFolder();
      const place = path.join(folder, "log.db");
      const said: string[] = [];
      const say = (...what: unknown[]): void => void said.push(JSON.stringify(what), ...what.map(String));
      const listen = (message: unknown): void => say(message);
      for (const name of channels) subscribe(name, listen);
      try {
        const runtime = await scriptedRuntime(
          place,
          [
            {
              text: `I know ${one}`,
              toolCalls: [{ name: "leak", args: { given: "{{secret:ONE}} {{secret:TWO}}", raw: two } }],
            },
            { toolCalls: [{ name: "fail", args: { [two]: "{{secret:TWO}}" } }] },
            {
              toolCalls: [
                {
                  name: "bash",
                  args: { command: 'printf "%s\\n" "$ONE" "$TWO"; yes "$ONE" | head -c 120000' },
                },
              ],
            },
            { text: two },
          ],
          {
            cwd: folder,
            env: { PATH: process.env["PATH"], HOME: folder, ONE: one, TWO: two },
            config: { secrets: { ONE: { env: "ONE" }, TWO: { env: "TWO" } } },
            logger: { debug: say, info: say, warn: say, error: say },
            extensions: [leaky(one, two, cut)],
          },
        );
        const session = await runtime.sessions.start({
          model: "s/m",
          onEvent: (event: SessionEvent) => say(event),
        });
        const outcome = await session.prompt(`Use ${one} and ${two}`);
        expect(outcome.status).toBe("completed");
        say(session.state(), session.extensionStatusReport());
        await runtime.close();
      } finally {
        for (const name of channels) unsubscribe(name, listen);
      }
      const files = ["log.db", "log.db-wal", "log.db-shm"]
        .map((name) => path.join(folder, name))
        .filter(existsSync);
      const bytes = files.map((file) => readFileSync(file));
      for (const value of [one, two])
        for (const form of formsOf(value)) {
          for (const each of bytes) expect(each.includes(form), `${form} in the log`).toBe(false);
          expect(said.filter((text) => text.includes(form))).toEqual([]);
        }
    }),
    { numRuns: 25 },
  );
});

/** Prints what it knows in every way, in a result, in pieces, in errors, log lines and answers of hooks. */
function leaky(one: string, two: string, cut: number): unknown {
  const forms = (value: string): string[] => [
    value,
    JSON.stringify({ value }),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
    Buffer.from(`x${value}`).toString("base64url"),
    Buffer.from(value).toString("hex"),
  ];
  return defineExtension({
    name: "leaky",
    version: "1.0.0",
    hooks: {
      onToolCall: ({ args }) => ({ additionalContext: JSON.stringify(args) }),
      onToolResult: ({ toolName }) => {
        if (toolName === "fail") throw new Error(`no ${two}`);
        return {
          additionalContext: one,
          replace: { details: { seen: two, [one]: 1, type: one, status: two } },
        };
      },
      onTurnStart: () => {
        throw new Error(`turn ${one}`);
      },
      onSessionStart: () => ({ additionalContext: `hello ${one} ${two}` }),
    },
    tools: [
      defineTool({
        name: "leak",
        description: "prints",
        readOnly: true,
        parameters: { type: "object" },
        execute: (_id, args, _signal, onUpdate, { log }) => {
          for (const value of [one, two]) {
            const at = cut % value.length;
            onUpdate({ content: [{ type: "text", text: value.slice(0, at) }] });
            onUpdate({ content: [{ type: "text", text: value.slice(at) }] });
            log.warn({ value, args }, `logged ${value}`);
          }
          const text = [...forms(one), ...forms(two), JSON.stringify(args)].join("\n");
          // The values alone: a form within another one is not looked for.
          const data = Buffer.from(`x${one}\n${two}`).toString("base64");
          return {
            content: [
              { type: "text", text },
              { type: "image", data, mimeType: "image/png" },
            ],
            details: { one, nested: [{ [two]: forms(two) }], type: one, status: two, role: one },
          };
        },
      }),
      defineTool({
        name: "fail",
        description: "throws",
        readOnly: true,
        parameters: { type: "object" },
        execute: (_id, args) => {
          throw new Error(`${one} ${JSON.stringify(args)}`);
        },
      }),
    ],
  });
}
