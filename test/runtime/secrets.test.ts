/** Who sees a secret and who its placeholder, and where what extensions say of one is hidden. */
import { expect, test } from "vitest";
import type { Outcome } from "../../src/runtime/index.ts";
import { gate } from "../support/runtimes.ts";
import { calling, dataOf, echoing, hooked, world, type WorldOptions } from "./extensions-support.ts";

const value = "s3cr3t-value-0123";
const secrets: Partial<WorldOptions> = {
  env: { PATH: process.env["PATH"], HOME: "/nowhere", TOKEN: value, PIN: "1234" },
  config: {
    secrets: { MY_TOKEN: { env: "TOKEN" }, GONE: { env: "NOT_SET" }, SHORT: { env: "PIN" } },
  },
};
const args = { name: "echo", args: { text: "with {{secret:MY_TOKEN}}", other: "{{secret:NOBODY}}" } };
const shown = { text: "with {{secret:MY_TOKEN}}", other: "{{secret:NOBODY}}" };
const real = { text: `with ${value}`, other: "{{secret:NOBODY}}" };

test("tools and intercepting hooks see real values; results, observers, facts and the model see placeholders", async () => {
  const atTool: unknown[] = [];
  const seen: Record<string, unknown> = {};
  await using w = await world({
    ...secrets,
    extensions: [
      echoing(atTool),
      hooked("watch", {
        onToolCall: ({ args: given }) => void (seen["call"] = given),
        onToolResult: ({ args: given, result }) => void (seen["result"] = [given, result]),
        onToolExecutionStart: (_id, _name, given) => void (seen["start"] = given),
        onToolExecutionEnd: (_id, _name, result) => void (seen["end"] = result),
      }),
    ],
    turns: [calling(args), { text: "done" }],
  });
  const session = await w.start();
  await session.prompt("go");
  expect(atTool).toEqual([real]);
  const content = [{ type: "text", text: JSON.stringify(shown) }];
  expect(seen).toMatchObject({
    call: real,
    result: [real, { content }],
    start: shown,
    end: { content },
  });
  const facts = await w.factsOf(session);
  expect(JSON.stringify(facts)).not.toContain(value);
  expect(dataOf(facts, "model.responded")[0]?.calls[0]).toMatchObject({ args: shown, masked: false });
  expect(JSON.stringify(w.requests)).not.toContain(value);
});

test("the system prompt names the secrets that there are, and a short one is warned of", async () => {
  await using w = await world({ ...secrets, turns: [{ text: "done" }] });
  const session = await w.start();
  await session.prompt("go");
  expect(w.requests[0]?.systemPrompt).toContain("MY_TOKEN");
  expect(w.requests[0]?.systemPrompt).not.toContain(value);
  const warnings = w.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  expect(warnings.filter((line) => line.includes("SHORT"))).toEqual([
    "secret SHORT has fewer than 8 characters and can't be hidden where it turns up",
  ]);
});

test("a secret that is configured and not set is an error result, and neither tool nor hook is asked", async () => {
  const atTool: unknown[] = [];
  const asked: string[] = [];
  await using w = await world({
    ...secrets,
    extensions: [echoing(atTool), hooked("ask", { onToolCall: ({ toolName }) => void asked.push(toolName) })],
    turns: [calling({ name: "echo", args: { text: ["{{secret:GONE}}"] } }), { text: "done" }],
  });
  const session = await w.start();
  await session.prompt("go");
  expect([atTool, asked]).toEqual([[], []]);
  const facts = await w.factsOf(session);
  expect(dataOf(facts, "tool_call.returned")[0]).toMatchObject({
    isError: true,
    errorType: "secret_not_set",
    content: [{ type: "text", text: "Secret GONE is not set" }],
  });
});

test("the request for an approval shows placeholders, also of what a hook put there", async () => {
  const door = gate<Outcome["status"]>();
  await using w = await world({
    ...secrets,
    extensions: [
      echoing(),
      hooked("replace", { onToolCall: ({ args: given }) => ({ replaceArgs: { ...given, added: value } }) }),
    ],
    turns: [calling(args), { text: "done" }],
  });
  const session = await w.start({
    approval: "ask",
    onEvent: (event) => {
      if (event.type === "approval_requested") door.open("completed");
    },
  });
  const run = session.prompt("go");
  await door.promise;
  const [pending] = session.approvals.pending();
  expect(pending?.args).toEqual({
    text: "with {{secret:MY_TOKEN}}",
    other: "{{secret:NOBODY}}",
    added: "{{secret:MY_TOKEN}}",
  });
  await session.approvals.resolve(pending?.id ?? "", "allow");
  await run;
});

/** An extension file that says a secret in every way that it has. */
const chatty = (word: string): string => `export default {
  name: "chatty", version: "1.0.0",
  configSchema: { type: "object", properties: { key: { type: "string", secret: true } } },
  tools: (_cwd, { config }) => {
    console.log("${word} tools " + config.key);
    return [{ name: "say", description: "says", parameters: { type: "object" },
      execute: (_id, args, _signal, _update, ctx) => {
        console.log("${word} out " + args.text);
        console.error("${word} err " + JSON.stringify(args));
        ctx.log.info({ given: args.text }, "${word} log " + args.text);
        return { content: [{ type: "text", text: ctx.config.key }] };
      } }];
  },
  hooks: { onToolCall: ({ args }) => { throw new Error("${word} hook " + args.text); } },
};\n`;

test("lines and errors of a worker are hidden, secret settings too, before and after a reload", async () => {
  const key = "key-of-an-extension";
  await using w = await world({
    ...secrets,
    files: { "ext/chatty.mjs": chatty("first").replace(/\n {2}hooks:.*\n/, "\n") },
    turns: [
      calling({ name: "say", args: { text: "{{secret:MY_TOKEN}}" } }),
      { text: "one" },
      calling({ name: "say", args: { text: "{{secret:MY_TOKEN}}" } }),
      { text: "two" },
    ],
    config: { ...secrets.config, extensions: { settings: { chatty: { key } } } },
  });
  const session = await w.start();
  await session.prompt("go");
  w.write("ext/chatty.mjs", chatty("second"));
  await session.reloadExtensions();
  await session.prompt("again");
  await w.runtime.close();
  const said = [...w.output, ...w.lines.map((line) => JSON.stringify(line))].join("\n");
  expect(said).toContain("first out {{secret:MY_TOKEN}}");
  expect(said).toContain("first log {{secret:MY_TOKEN}}");
  expect(said).toContain("first err");
  expect(said).toContain("second tools {{secret:");
  expect(said).not.toContain(value);
  expect(said).not.toContain(key);
  const facts = JSON.stringify(await w.factsOf(session));
  expect(facts).toContain("second hook {{secret:MY_TOKEN}}");
  expect(facts).not.toContain(value);
  expect(facts).not.toContain(key);
});
