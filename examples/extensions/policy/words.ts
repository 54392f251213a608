// Splits the text of a shell command into the simple commands that it is made of. Reads words and quotes as a shell
// does, and remembers of each word whether its value stands in the text or only comes about when it runs.

/** A word. `isPlain`: what will run is what stands here; no variable, substitution or pattern is in it. */
export interface Word {
  readonly text: string;
  readonly isPlain: boolean;
}

/** One command with its words. `pipedInto`: its input is what the command before it prints. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  /** Files that it writes to by `>` and the like. */
  readonly writesTo: readonly Word[];
  readonly pipedInto: boolean;
}

/** What the text is made of; `null` when it can't be read, such as one with a quote that is not closed. */
export function simpleCommands(text: string): SimpleCommand[] | null {
  const tokens = tokensOf(text.replaceAll("\\\n", ""));
  if (tokens === null) return null;
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let writesTo: Word[] = [];
  let pipedInto = false;
  const finish = (next: boolean): void => {
    if (words.length > 0 || writesTo.length > 0) commands.push({ words, writesTo, pipedInto });
    [words, writesTo, pipedInto] = [[], [], next];
  };
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (typeof token !== "string") words.push(token);
    else if (!/[<>]/.test(token)) finish(token === "|" || token === "|&");
    else {
      const file = tokens[at + 1];
      if (file === undefined || typeof file === "string") return null;
      // `2>&1` and `<file` write to no file. Where `>&file` does, it is no number.
      if (token.includes(">") && !(token.endsWith("&") && /^[\d-]+$/.test(file.text))) writesTo.push(file);
      at += 1;
    }
  }
  finish(false);
  return commands;
}

const operators = /^(?:\d*(?:>>|>\||>&|<<<|<<-?|<&|<>|>|<)|&>>|&>|&&|\|\||\|&|;;|[;&|()\n])/;

function tokensOf(text: string): (Word | string)[] | null {
  const tokens: (Word | string)[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(/^[ \t\r]+/, "");
    if (rest.startsWith("#")) rest = rest.replace(/^[^\n]*/, "");
    if (rest === "") return tokens;
    const operator = operators.exec(rest)?.[0];
    if (operator !== undefined) {
      tokens.push(operator.replace(/^\d+/, ""));
      rest = rest.slice(operator.length);
      continue;
    }
    const read = readWord(rest);
    if (read === null) return null;
    tokens.push(read.word);
    rest = rest.slice(read.length);
  }
}

function readWord(text: string): { readonly word: Word; readonly length: number } | null {
  let value = "";
  let isPlain = true;
  let at = 0;
  while (at < text.length && !/[\s;&|()<>]/.test(text.charAt(at))) {
    const character = text.charAt(at);
    if (character === "\\") {
      value += text.charAt(at + 1);
      at += 2;
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(text, at);
      if (end < 0) return null;
      const inner = text.slice(at + 1, end);
      if (character === '"' && /[$`]/.test(inner)) isPlain = false;
      value += character === '"' ? inner.replaceAll(/\\(["\\$`])/g, "$1") : inner;
      at = end + 1;
    } else if (text.startsWith("$(", at) || text.startsWith("${", at)) {
      const end = endOfGroup(text, at + 1);
      if (end < 0) return null;
      value += text.slice(at, end + 1);
      isPlain = false;
      at = end + 1;
    } else if (character === "$" && text.charAt(at + 1) === "'") {
      // `$'\x72m'` spells characters by their numbers.
      const end = endOfQuote(text, at + 1);
      if (end < 0) return null;
      value += text.slice(at, end + 1);
      isPlain = false;
      at = end + 1;
    } else {
      if (/[$`*?[{~]/.test(character)) isPlain = false;
      value += character;
      at += 1;
    }
  }
  return at === 0 ? null : { word: { text: value, isPlain }, length: at };
}

function endOfQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\" && quote === '"') at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

function endOfGroup(text: string, start: number): number {
  const [open, close] = text.charAt(start) === "(" ? ["(", ")"] : ["{", "}"];
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.charAt(at) === open) depth += 1;
    else if (text.charAt(at) === close) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
