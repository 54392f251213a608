import type { DiffLine } from "../model/diff-lines.ts";

const SIGNS = { hunk: "", same: " ", added: "+", removed: "−", note: "" } as const;

/** Lines of a difference, numbered on both sides where numbers are known. */
export function DiffTable({
  lines,
  label,
}: {
  readonly lines: readonly DiffLine[];
  readonly label: string;
}): preact.JSX.Element {
  const isNumbered = lines.some(({ oldLine, newLine }) => oldLine !== null || newLine !== null);
  return (
    <div class="diff" tabIndex={0} role="group" aria-label={label}>
      <table>
        <tbody>
          {lines.map(({ kind, oldLine, newLine, text }, index) => (
            <tr key={index} class={kind}>
              {isNumbered ? (
                <>
                  <td class="line-number">{oldLine}</td>
                  <td class="line-number">{newLine}</td>
                </>
              ) : null}
              <td class="sign">{SIGNS[kind]}</td>
              <td class="line">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
