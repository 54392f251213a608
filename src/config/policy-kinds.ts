/** The kinds of value that a tool policy and a secret have. */
import { approvalModes, type ApprovalMode, type SecretSource } from "./config.ts";
import { isTable, nameOfType, nameWrong, oneOf, textList, variableName, type Kind } from "./kinds.ts";

/** `"all"`, or a list of names. */
export const allOrNames: Kind<"all" | readonly string[]> = {
  expected: '"all" or a list of texts',
  read: (found) => (found === "all" ? found : textList.read(found)),
  readText: (text) => (text === "all" ? text : textList.readText(text)),
};

// Words that other agents use for the same.
const sameAs: Readonly<Record<string, ApprovalMode>> = { never: "auto", always: "ask" };
const modeWord = oneOf([...approvalModes, ...Object.keys(sameAs)]);

/** A table of approval modes by the name of a tool, or by the beginning of names with `*` after it. */
export const modesByName: Kind<Readonly<Record<string, ApprovalMode>>> = {
  expected: `a table of names, each with ${modeWord.expected}`,
  read(found) {
    if (!isTable(found)) return undefined;
    const modes = Object.entries(found).map(([name, word]) => [name, modeOf(word)] as const);
    return modes.some(([, mode]) => mode === undefined)
      ? undefined
      : (Object.fromEntries(modes) as Record<string, ApprovalMode>);
  },
  readText: () => undefined,
  wrongPart(found) {
    if (!isTable(found)) return { path: [], expected: this.expected, got: nameOfType(found) };
    const wrong = Object.entries(found).find(([, word]) => modeOf(word) === undefined);
    if (wrong === undefined) return undefined;
    const [name, word] = wrong;
    return { path: [name], expected: modeWord.expected, got: nameWrong(word, modeWord) };
  },
};

function modeOf(word: unknown): ApprovalMode | undefined {
  if (typeof word !== "string") return undefined;
  return Object.hasOwn(sameAs, word) ? sameAs[word] : approvalModes.find((mode) => mode === word);
}

/** `{ env = "VAR" }`. */
export const secretSource: Kind<SecretSource> = {
  expected: '{ env = "VARIABLE" }',
  read(found) {
    if (!isTable(found) || Object.keys(found).length !== 1) return undefined;
    const env = variableName.read(found["env"]);
    return env === undefined ? undefined : { env };
  },
  readText: () => undefined,
};
