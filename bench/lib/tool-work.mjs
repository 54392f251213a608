/** What the mock model asks for: write, read, edit and bash in turn, the same for the runtime and for the floor. */

/** The n-th call, from 0. */
export function callAt(n) {
  const file = `notes-${n >> 2}.txt`;
  switch (n % 4) {
    case 0:
      return { name: "write", args: { path: file, content: textOf(n) } };
    case 1:
      return { name: "read", args: { path: file } };
    case 2:
      return {
        name: "edit",
        args: { path: file, oldText: "the third line", newText: "the line after the second" },
      };
    default:
      return { name: "bash", args: { command: `wc -c ${file}` } };
  }
}

function textOf(n) {
  return `Notes of call ${n}\nthe second line\nthe third line\n`;
}
