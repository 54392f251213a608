import { chmod, mkdir, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { Place, start } from "./support/command.ts";

/** Arguments, the exit status, and what the message must say. `SCRIPT` stands for a good script. */
const refused: readonly (readonly [string, number, RegExp])[] = [
  ["", 2, /Usage: lemon/],
  ["rnu", 2, /unknown command 'rnu'\n\(Did you mean run\?\)/],
  ["run Go --colour", 2, /unknown option '--colour'/],
  ["run Go --extension x.ts", 2, /--extension: .*x\.ts is not there/],
  ["run Go there", 2, /too many arguments/],
  ["run Go", 2, /no model is configured/],
  [
    "run Go --model nobody/x",
    2,
    /unknown model "nobody\/x": expected one of the providers anthropic, openai/,
  ],
  ["run Go --model gpt", 2, /unknown model "gpt": expected provider\/model-id/],
  ["run Go --approve maybe", 2, /--approve.*Allowed choices are auto, ask, deny/],
  ["run Go --script none.json", 2, /--script: .*none\.json can't be read: ENOENT/],
  ["run Go --script .", 2, /--script: .* can't be read: EISDIR/],
  ["run Go --script broken.json", 2, /broken\.json: expected JSON/],
  ["run Go --script wrong.json", 2, /wrong\.json: turns\.0\.text: expected a string, got number/],
  [
    "run Go --script SCRIPT --model a/b",
    2,
    /'--model <provider\/model>' cannot be used with option '--script <file>'|--script.*--model/,
  ],
  ["run Go --script SCRIPT --session s --continue", 2, /cannot be used with/],
  ["run Go --script SCRIPT --session %20s", 2, /a session id has 1 to 256 UTF-8 bytes/],
  ["run Go --script SCRIPT --cwd none", 2, /--cwd: .*none is not there: expected a folder/],
  ["run Go --script SCRIPT --log pg://host/db", 2, /no engine for pg: logs/],
  ["run Go --script SCRIPT --continue", 3, /no session has worked in/],
  ["run %20 --script SCRIPT", 2, /a prompt needs text or an image/],
  ["run --script SCRIPT", 2, /a prompt needs text or an image/],
  ["show", 2, /missing required argument 'id'/],
  ["show s --at 0", 2, /--at <version>.*Expected a whole number, 1 or more/],
  ["show s --at 1.5", 2, /Expected a whole number/],
  ["facts s --from x", 2, /Expected a whole number/],
  ["facts s --type", 2, /argument missing/],
  ["tree --at 1 --follow", 2, /cannot be used with/],
  ["deny", 2, /missing required argument 'id'/],
  ["trust none", 3, /no project file to trust at .*none\/\.lemon\/config\.toml/],
  ["sessions --home %20", 2, /--home <dir>.*Expected a value that is not empty/],
  ["sessions --log .", 2, /is a directory/],
];

test("each mistake is told with what, where and what was expected, and changes nothing", async () => {
  const place = await Place.make();
  const script = await place.script([{ text: "Yes." }]);
  await writeFile(path.join(place.cwd, "broken.json"), "{ turns");
  await writeFile(path.join(place.cwd, "wrong.json"), '{ "turns": [{ "text": 1 }] }');
  const ends: unknown[] = [];
  for (const [line] of refused) {
    const words = line === "" ? [] : line.split(" ");
    const args = words.map((word) => word.replace("SCRIPT", script).replace("%20", " "));
    // A home that is named twice would hide the first.
    const run = line.includes("--home") ? start(args, { cwd: place.cwd }) : place.start(args);
    const { status, stdout, stderr } = await run.ended;
    ends.push({ line, status, stdout, stderr });
  }
  expect(ends).toEqual(
    refused.map(([line, status, message]) => ({
      line,
      status,
      stdout: "",
      stderr: expect.stringMatching(message),
    })),
  );
  expect(existsSync(place.home)).toBe(false);
});

test("under --json the error is a document, wherever the flag stands; stacks come with -v only", async () => {
  const place = await Place.make();
  const wrong = await place.lemon("--json", "show", "s", "--at", "x");
  expect(JSON.parse(wrong.stdout)).toEqual({
    error: {
      code: "LEMON_INVALID_USAGE",
      reason: "invalid_usage",
      message: expect.stringContaining("--at <version>"),
    },
  });
  const gone = await place.lemon("show", "s", "--json");
  expect({ status: gone.status, document: JSON.parse(gone.stdout) as unknown }).toEqual({
    status: 3,
    document: {
      error: { code: "LEMON_NOT_FOUND", reason: "not_found", message: `there is no log at ${place.log}` },
    },
  });
  expect(gone.stderr).not.toContain("    at ");
  expect((await place.lemon("show", "s", "-v")).stderr).toContain("    at ");
});

test("a configuration that can't be used is refused with its place before anything is made", async () => {
  const place = await Place.make();
  await mkdir(path.join(place.cwd, ".lemon"));
  await writeFile(path.join(place.cwd, ".lemon/config.toml"), '[runtime]\napproval = "maybe"\n');
  const { status, stderr } = await place.lemon("run", "Go", "--model", "openai/x");
  expect(status).toBe(2);
  expect(stderr).toMatch(/config\.toml:2:12: runtime\.approval: expected .*found "maybe"/);
  expect(existsSync(place.home)).toBe(false);
});

test("what is no log of ours is not touched: another program's, a newer one, one that may not be read", async () => {
  const place = await Place.make();
  await mkdir(place.home);
  const text = path.join(place.folder, "text.db");
  await writeFile(text, "not a database, but long enough to have a header ".repeat(4));
  const foreign = path.join(place.folder, "foreign.db");
  new Sqlite(foreign).exec("CREATE TABLE t (x)").close();
  for (const [file, why] of [
    [text, "it is not an SQLite database"],
    [foreign, "database of another program"],
  ] as const) {
    const { status, stderr } = await place.lemon("sessions", "--log", file);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(why) });
  }

  const script = await place.script([{ text: "Yes." }]);
  const run = await place.lemon("run", "--script", script, "Go");
  expect(run.status).toBe(0);
  await chmod(place.log, 0o000);
  const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const unreadable = await place.start(["sessions"], { ...nobody, cwd: "/" }).ended;
  expect({ status: unreadable.status, stderr: unreadable.stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining(`no permission to read ${place.log}`),
  });
  await chmod(place.log, 0o600);

  const db = new Sqlite(place.log);
  db.pragma("user_version = 99");
  db.close();
  const newer = await place.lemon("sessions");
  expect({ status: newer.status, stderr: newer.stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/has format version 99, this lemon-runtime knows \d+: use a newer/),
  });
});

test("trust is given to a project file as it is, and taken back", async () => {
  const place = await Place.make();
  await mkdir(path.join(place.cwd, ".lemon"));
  await writeFile(
    path.join(place.cwd, ".lemon/config.toml"),
    '[models.local]\nbase_url = "http://127.0.0.1:1/v1"\n',
  );
  const untrusted = await place.lemon("run", "Go", "--model", "local/x");
  expect({ status: untrusted.status, stderr: untrusted.stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('unknown model "local/x"'),
  });
  expect((await place.json("trust")).lines).toEqual([
    { path: place.cwd, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect((await place.json("trust", "--revoke")).lines).toEqual([{ path: place.cwd, revoked: true }]);
  expect((await place.json("trust", ".", "--revoke")).lines).toEqual([{ path: place.cwd, revoked: false }]);
});
