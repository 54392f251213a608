import { LANE_LABELS, LANES, MARKS } from "../model/lanes.ts";
import { KEY_HELP } from "../model/keys.ts";
import type { MarkKind } from "../../api.ts";
import { Dialog } from "./dialog.tsx";
import { MarkGlyph } from "./mark-glyph.tsx";

/** Keys, lanes and marks. */
export function HelpDialog(): preact.JSX.Element {
  return (
    <Dialog title="Keys and marks">
      <div class="help">
        <dl class="keys">
          {KEY_HELP.map(([keys, what]) => (
            <div key={what}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <div>
          <h3>Lanes</h3>
          <ul class="legend">
            {LANES.map((lane) => (
              <li key={lane}>
                <span class={`lane-dot lane-${lane}`} />
                {LANE_LABELS[lane]}
              </li>
            ))}
          </ul>
          <h3>Marks</h3>
          <ul class="legend">
            {(Object.keys(MARKS) as MarkKind[]).map((kind) => (
              <li key={kind}>
                <svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">
                  <MarkGlyph kind={kind} />
                </svg>
                {MARKS[kind].label}
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Dialog>
  );
}
