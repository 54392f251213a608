import { open, stat } from "node:fs/promises";
import { FileError, readLineWindow } from "../../workspace/index.ts";
import { errorResult, textResult } from "../result.ts";
import type { BuiltInContext, BuiltInTool, ToolResult } from "../tool.ts";
import { fileNamed, type NamedFile, pathSpellings, withFileErrors } from "./file-access.ts";
import { imageType, looksBinary, startsWithBom, utf16Bom } from "./file-kind.ts";

const maxLines = 2_000;
const maxBytes = 50 * 1024;
/** As base64 it stays under the 5 MB that model providers take. */
const maxImageBytes = 3_750_000;

interface ReadArguments {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Shows lines of a text file, or an image. Its promises stand in docs/reference/tools.md, "read". */
export const readTool: BuiltInTool = {
  name: "read",
  label: "Read",
  description:
    `Reads a text file, or shows an image (png, jpg, gif, webp). At most ${maxLines} lines and ${maxBytes / 1024} KB at a time; ` +
    "a notice at the end says how to go on. The text is the file's own, without line numbers. For a directory use ls.",
  parameters: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "File: absolute, ~/…, or relative to the working directory",
      },
      offset: { type: "integer", minimum: 0, description: "First line, counted from 1; default 1" },
      limit: { type: "integer", minimum: 1, description: `How many lines; default ${maxLines}` },
    },
    required: ["path"],
  },
  otherSpellings: pathSpellings,
  parallelSafe: true,
  idempotent: true,
  readOnly: true,
  timeoutMs: 60_000,
  async execute(_toolCallId, args, signal, _onUpdate, context) {
    signal.throwIfAborted();
    const request = args as unknown as ReadArguments;
    const file = fileNamed(request.path, context);
    return withFileErrors(file, () => read(file, request, signal, context));
  },
};

async function read(
  file: NamedFile,
  request: ReadArguments,
  signal: AbortSignal,
  _context: BuiltInContext,
): Promise<ToolResult> {
  const { path, shown } = file;
  const found = await stat(path);
  if (found.isDirectory()) throw new FileError(`${shown} is a directory: use ls to see what is in it`);
  // Reading a pipe or a device may never end.
  if (!found.isFile()) throw new FileError(`${shown} is not a regular file`);
  const start = await firstBytes(path);
  const mimeType = imageType(start);
  if (mimeType !== undefined) return image(file, mimeType, found.size, signal);
  const utf16 = utf16Bom(start);
  if (utf16 !== undefined) {
    throw new FileError(
      `${shown} is ${utf16} text, which read does not show: use bash with iconv -f ${utf16} -t UTF-8`,
    );
  }
  if (looksBinary(start))
    throw new FileError(`${shown} is a binary file of ${found.size} bytes: read shows only text and images`);
  return text(file, request, signal);
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8_192), 0, 8_192, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function image(
  { path, shown }: NamedFile,
  mimeType: string,
  size: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  if (size > maxImageBytes) {
    throw new FileError(
      `${shown} is an image of ${size} bytes, more than the ${maxImageBytes} that can be shown: make it smaller first`,
    );
  }
  const file = await open(path);
  try {
    const data = await file.readFile({ signal });
    return {
      content: [
        { type: "text", text: `${shown}: ${mimeType}, ${data.length} bytes` },
        { type: "image", data: data.toString("base64"), mimeType },
      ],
      details: { path: shown, mimeType, bytes: data.length },
    };
  } finally {
    await file.close();
  }
}

async function text(
  { path, shown }: NamedFile,
  request: ReadArguments,
  signal: AbortSignal,
): Promise<ToolResult> {
  // Models say 0 for the beginning.
  const first = Math.max(1, request.offset ?? 1);
  const window = await readLineWindow(path, { first, maxLines: request.limit ?? maxLines, maxBytes, signal });
  const { lines, totalLines, cutLineBytes } = window;
  const isBeyond = totalLines !== null && first > Math.max(1, totalLines);
  if (isBeyond) {
    const count = `${totalLines} ${totalLines === 1 ? "line" : "lines"}`;
    return errorResult(`${shown} has ${count}; line ${first} is past its end`, { path: shown, totalLines });
  }
  const bytes = first === 1 && startsWithBom(window.bytes) ? window.bytes.subarray(3) : window.bytes;
  const { shownText, isValid } = decode(bytes, cutLineBytes !== null);
  const last = first + lines - 1;
  const notices: string[] = [];
  if (cutLineBytes !== null) {
    notices.push(
      `Line ${first} has ${cutLineBytes} bytes; its first ${maxBytes} are shown. Use bash, e.g. sed -n '${first}p' FILE | cut -c …, for the rest.`,
    );
  } else if (totalLines === null) {
    notices.push(`Lines ${first} to ${last} of a very long file. Continue with offset ${last + 1}.`);
  } else if (last < totalLines) {
    notices.push(`Lines ${first} to ${last} of ${totalLines}. Continue with offset ${last + 1}.`);
  }
  if (!isValid) notices.push("Some bytes are not UTF-8 and are shown as \u{FFFD}.");
  const notice = notices.length === 0 ? "" : `\n\n[${notices.join(" ")}]`;
  const details = {
    path: shown,
    firstLine: first,
    lines,
    totalLines,
    truncated: cutLineBytes !== null || last < (totalLines ?? Infinity),
  };
  return textResult(shownText + notice, details);
}

/** Line ends come out as LF: what was read can be searched for, by the model and by edit. */
function decode(bytes: Buffer, isCut: boolean): { shownText: string; isValid: boolean } {
  const whole = isCut ? bytes.subarray(0, wholeCharacters(bytes)) : bytes;
  const raw = whole.toString("utf8");
  const isValid = !raw.includes("\u{FFFD}") || Buffer.from(raw).equals(whole);
  return { shownText: raw.replaceAll("\r\n", "\n").replace(/\r$/, ""), isValid };
}

/** The length of `bytes` without a character that was cut at their end. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? start : bytes.length;
}
