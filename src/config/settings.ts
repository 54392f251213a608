/**
 * One source of configuration, read against the table of keys into a flat list of settings. Flat lists make the rest
 * simple: laying sources over each other is "the last setting of a path wins".
 */
import { nearest } from "./edit-distance.ts";
import { isTable, nameOfType, nameWrong } from "./kinds.ts";
import { configKeys, formatPath, tomlSpelling, type TableKeys, type ValueKey } from "./keys.ts";

/** A value that one source gives to one key. */
export interface Setting {
  /** Where the source comes from, for messages. */
  readonly source: string;
  /** From the root, in camelCase; names that the user chose stay as they are. */
  readonly path: readonly string[];
  /** The same as the source spells it. */
  readonly spelt: readonly string[];
  readonly key: ValueKey;
  readonly value: unknown;
}

/** A value that a key does not accept. */
export interface Misfit {
  readonly spelt: readonly string[];
  readonly expected: string;
  readonly got: string;
}

/** What one source says, and what is wrong with it. */
export interface SettingsOfSource {
  readonly settings: readonly Setting[];
  readonly misfits: readonly Misfit[];
  readonly warnings: readonly string[];
}

/** Which spellings of a key a source may use: a TOML file its own, a program that one or camelCase. */
export type Spelling = "toml" | "either";

/** Reads a parsed tree. Values of `undefined` and `null` in a program's object count as not given. */
export function readTree(source: string, tree: unknown, spelling: Spelling): SettingsOfSource {
  const settings: Setting[] = [];
  const misfits: Misfit[] = [];
  const warnings: string[] = [];
  readTable(configKeys, tree, [], []);
  return { settings, misfits, warnings };

  function readTable(
    table: TableKeys,
    found: unknown,
    path: readonly string[],
    spelt: readonly string[],
  ): void {
    if (!isTable(found)) {
      misfits.push({ spelt, expected: "a table", got: nameOfType(found) });
      return;
    }
    const seen = new Map<string, string>();
    for (const [written, value] of Object.entries(found)) {
      if (spelling === "either" && (value === undefined || value === null)) continue;
      const place = [...spelt, written];
      const name = keyNamed(table, written, spelling);
      if (name === undefined) {
        warnings.push(unknownKey(source, place, table, spelling));
        continue;
      }
      const twin = seen.get(name);
      if (twin !== undefined) {
        misfits.push({ spelt: place, expected: "one spelling of this key", got: `${twin} as well` });
        continue;
      }
      seen.set(name, written);
      readKey(table, name, value, [...path, name], place);
    }
  }

  function readKey(
    table: TableKeys,
    name: string,
    found: unknown,
    path: readonly string[],
    spelt: readonly string[],
  ): void {
    const key = table.keys[name];
    if (key === undefined) throw new Error(`no key ${formatPath(path)}`);
    if (key.holds !== "named") return readEach(key, found, path, spelt);
    if (!isTable(found)) {
      misfits.push({ spelt, expected: "a table", got: nameOfType(found) });
      return;
    }
    for (const [chosen, each] of Object.entries(found)) {
      if (spelling === "either" && (each === undefined || each === null)) continue;
      readEach(key.each, each, [...path, chosen], [...spelt, chosen]);
    }
  }

  function readEach(
    key: TableKeys | ValueKey,
    found: unknown,
    path: readonly string[],
    spelt: readonly string[],
  ): void {
    if (key.holds === "table") readTable(key, found, path, spelt);
    else readValue(key, found, path, spelt);
  }

  function readValue(key: ValueKey, found: unknown, path: readonly string[], spelt: readonly string[]): void {
    const { kind } = key;
    const value = kind.read(found);
    const part = value === undefined ? kind.wrongPart?.(found) : undefined;
    if (value !== undefined) settings.push({ source, path, spelt, key, value });
    else if (part !== undefined) misfits.push({ ...part, spelt: [...spelt, ...part.path] });
    else misfits.push({ spelt, expected: kind.expected, got: nameWrong(found, kind) });
  }
}

/**
 * One setting for each path, in the order in which the paths first occurred: the last, or what it and those below it
 * give together.
 */
export function layOver(layers: readonly (readonly Setting[])[]): Setting[] {
  const top = new Map<string, Setting>();
  for (const setting of layers.flat()) {
    const place = JSON.stringify(setting.path);
    const below = top.get(place);
    const { kind } = setting.key;
    const value =
      below === undefined || kind.layOver === undefined
        ? setting.value
        : kind.layOver(below.value, setting.value);
    top.set(place, { ...setting, value });
  }
  return [...top.values()];
}

function keyNamed(table: TableKeys, written: string, spelling: Spelling): string | undefined {
  return Object.keys(table.keys).find(
    (name) => written === tomlSpelling(name) || (spelling === "either" && written === name),
  );
}

function unknownKey(source: string, place: readonly string[], table: TableKeys, spelling: Spelling): string {
  const names = Object.keys(table.keys).map((name) => (spelling === "toml" ? tomlSpelling(name) : name));
  const written = place.at(-1) ?? "";
  const close = nearest(spelling === "toml" ? tomlSpelling(written) : written, names, 3);
  return `${source}: unknown key ${formatPath(place)}${close === undefined ? "" : `; did you mean ${close}?`}`;
}
