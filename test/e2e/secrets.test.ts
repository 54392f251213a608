/** Secrets through the built command: what a command is given, and what is left of it on disk and on the streams. */
import { readFileSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { Place } from "./support/command.ts";

const value = 'pa55w"rd of \\ mine';

const chatty = `export default { name: "chatty", version: "1.0.0", hooks: {
  onToolCall: ({ args }) => { console.log("out " + args.command); process.stderr.write("err " + args.command + "\\n"); },
} };\n`;

test("a command gets the value, in pieces and in any form, and nobody else sees it", async () => {
  const place = await Place.make();
  await mkdir(place.home, { recursive: true });
  await writeFile(
    path.join(place.home, "config.toml"),
    '[secrets]\nPASS = { env = "MY_PASS" }\nGONE = { env = "NOT_THERE" }\n',
  );
  await writeFile(path.join(place.folder, "chatty.mjs"), chatty);
  const command = (text: string) => ({ name: "bash", args: { command: text } });
  const script = await place.script([
    {
      text: "with {{secret:PASS}}",
      toolCalls: [
        command("cat > kept.txt <<'END'\n{{secret:PASS}}\nEND"),
        command(
          'printf "%s" "$MY_PASS" | base64; printf "%s" "$MY_PASS" | head -c 9; sleep 0.05; printf "%s" "$MY_PASS" | tail -c +10',
        ),
        command('printf "%s" "$MY_PASS" | od -An -tx1 | tr -d " \\n"; echo; env | grep PASS >&2; exit 3'),
        command("echo {{secret:GONE}}"),
        command("echo {{secret:NOBODY}}"),
      ],
    },
    { text: "done" },
  ]);
  const args = [
    "run",
    "--session",
    "s",
    "--script",
    script,
    "--extension",
    path.join(place.folder, "chatty.mjs"),
    "-v",
    "go",
  ];
  const run = place.start(args, { env: { MY_PASS: value } });
  const { status, stdout, stderr } = await run.ended;
  expect(status).toBe(0);
  expect(readFileSync(path.join(place.cwd, "kept.txt"), "utf8")).toBe(`${value}\n`);

  const shown = (await place.lemon("show", "s")).stdout;
  expect(shown).toContain("Secret GONE is not set");
  expect(shown).toContain("{{secret:NOBODY}}");
  expect(shown).toContain("{{secret:PASS}}");
  const told = [
    stdout,
    stderr,
    shown,
    (await place.lemon("facts", "s")).stdout,
    (await place.lemon("hooks", "explain", "s")).stdout,
  ];
  const kept = readdirSync(place.home, { recursive: true, withFileTypes: true })
    // The one exception: files of the workspace as they are, or they could not be restored. kept.txt holds the value.
    .filter((entry) => entry.isFile() && !entry.name.startsWith("scan-cache.db"))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)));
  expect(stderr).toContain("[chatty] out cat > kept.txt");
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    Buffer.from(value).toString("base64"),
  ];
  for (const form of forms) {
    for (const text of told) expect(text).not.toContain(form);
    for (const bytes of kept) expect(bytes.includes(form)).toBe(false);
  }
});

test("a secret that is too short is warned of by its name", async () => {
  const place = await Place.make();
  await mkdir(place.home, { recursive: true });
  await writeFile(path.join(place.home, "config.toml"), '[secrets]\nPIN = { env = "MY_PIN" }\n');
  const script = await place.script([{ text: "done" }]);
  const { stderr } = await place.start(["run", "--script", script, "go"], { env: { MY_PIN: "12345" } }).ended;
  expect(stderr).toContain("secret PIN has fewer than 8 characters");
  expect(stderr).not.toContain("12345");
});
