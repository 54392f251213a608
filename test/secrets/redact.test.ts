import { describe, expect, test } from "vitest";
import {
  cutBytes,
  redactIntrospection,
  redactJson,
  redactText,
  REDACTED,
  shorten,
} from "../../src/secrets/index.ts";

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0";
const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----";
const base = "abcdefghijklmnopqrstuvwxyz0123456789";

describe("by value", () => {
  test.each([
    ["Authorization: Bearer abc.def-1", `Authorization: ${REDACTED}`],
    ["curl -H 'x: Bearer abc.def'", `curl -H 'x: Bearer ${REDACTED}'`],
    ["uses Basic dXNlcjpwYXNz now", `uses Basic ${REDACTED} now`],
    ["password=hunter2&user=bob", `password=${REDACTED}&user=bob`],
    ["?access_token=abc&x=1", `?access_token=${REDACTED}&x=1`],
    ['{"api_key": "k \\" 1", "user": "bob"}', `{"api_key": "${REDACTED}", "user": "bob"}`],
    ['{\\"client-secret\\":\\"abc\\",\\"a\\":1}', `{\\"client-secret\\":\\"${REDACTED}\\",\\"a\\":1}`],
    ["API key: abc", `API key: ${REDACTED}`],
    ["MY_PASSWD = 'a b c' # why", `MY_PASSWD = '${REDACTED}' # why`],
    ["passphrase: correct horse battery\nnext", `passphrase: ${REDACTED}\nnext`],
    ["Cookie: a=b; c=d", `Cookie: ${REDACTED}`],
    ["postgres://bob:hunter2@host/db", `postgres://bob:${REDACTED}@host/db`],
    ["redis://:hunter2@host", `redis://:${REDACTED}@host`],
    [`before ${pem} after`, `before ${REDACTED} after`],
    [`private_key: ${pem}`, `private_key: ${REDACTED}`],
    ["-----BEGIN PRIVATE KEY-----\nMIIE", REDACTED],
    [`x ${jwt} y`, `x ${REDACTED} y`],
    [`jwt-${jwt}`, `jwt-${REDACTED}`],
    ["sk-abcdef", REDACTED],
    ["ghp_abcdef gho_abcdef ghu_abcdef ghs_abcdef", Array(4).fill(REDACTED).join(" ")],
    ["github_pat_abcdef glpat-abcdef", `${REDACTED} ${REDACTED}`],
    ["xoxa-1234 xoxb-1234 xoxp-1234 xoxr-1234 xoxs-1234", Array(5).fill(REDACTED).join(" ")],
    ["AKIAABCDEFGHIJKLMNOP ASIAABCDEFGHIJKLMNOP", `${REDACTED} ${REDACTED}`],
    [`AIza${base.slice(0, 35)}`, REDACTED],
    [`npm_${base}`, REDACTED],
  ])("%j", (text, expected) => {
    expect(redactText(text).text).toBe(expected);
    expect(redactText(text).count).toBeGreaterThan(0);
  });

  test.each([
    "max_tokens: 4096",
    "token = null",
    "if (password === other) return",
    "a task-list of disk-usage, locale sk-SK",
    "https://host:8080/path",
    "see eyJ and a.b.c",
    "AKIA is a prefix",
    "version 1.2.3",
    "password: [redacted]",
    "password: {{secret:API_KEY}}",
    "it printed {{secret:API_KEY}}",
    'password = "[redacted]"',
  ])("leaves %j as it is", (text) => {
    expect(redactText(text)).toEqual({ text, count: 0 });
  });

  test("counts each", () => {
    expect(redactText("password=a token=b sk-abcdef").count).toBe(3);
  });
});

describe("by name", () => {
  test("hides the strings below a name that says secret, and keeps booleans and null", () => {
    const value = {
      "X-Api-Key": "a",
      credentials: { user: "b", port: 1, set: true, none: null, list: ["c"] },
    };
    expect(redactJson(value).value).toEqual({
      "X-Api-Key": REDACTED,
      credentials: { user: REDACTED, port: REDACTED, set: true, none: null, list: [REDACTED] },
    });
    expect(redactJson(value).count).toBe(4);
  });

  test("keeps numbers where token alone says so", () => {
    const value = { inputTokens: 5, token: "a", tokenSecret: 5, tokens: { cached: 7, password: 8 } };
    expect(redactJson(value).value).toEqual({
      inputTokens: 5,
      token: REDACTED,
      tokenSecret: REDACTED,
      tokens: { cached: 7, password: REDACTED },
    });
  });

  test("looks into texts under other names", () => {
    expect(redactJson(["password=a"]).value).toEqual([`password=${REDACTED}`]);
  });

  test("a member called __proto__ is a member like any other", () => {
    const value = JSON.parse('{"__proto__":{"password":"a"}}') as { [key: string]: string };
    expect(JSON.stringify(redactJson(value).value)).toBe(`{"__proto__":{"password":"${REDACTED}"}}`);
  });

  test("hides what lies too deep to be looked at", () => {
    let value: string | readonly unknown[] = "deep";
    for (let level = 0; level < 100_000; level += 1) value = [value];
    expect(redactJson(value as string).count).toBe(1);
  });
});

test("introspection holds no content and no arguments", () => {
  expect(
    redactIntrospection({
      prompt: "a",
      Response: "b",
      std_out: "c",
      args: { a: 1 },
      tool_arguments: "x",
      input: 5,
    }).value,
  ).toEqual({ args: REDACTED, tool_arguments: REDACTED, input: REDACTED });
});

describe("cutting", () => {
  test("cuts at a code point and says how much", () => {
    expect(cutBytes("aé", 2)).toEqual({ text: "a", cutBytes: 2 });
    expect(cutBytes("a😀b", 5)).toEqual({ text: "a😀", cutBytes: 1 });
    expect(shorten("é".repeat(10), 7)).toBe("ééé [14 bytes cut]");
    expect(cutBytes("x".repeat(4_096))).toEqual({ text: "x".repeat(4_096), cutBytes: 0 });
  });
});
