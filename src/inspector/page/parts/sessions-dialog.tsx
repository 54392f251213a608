import { Dialog } from "./dialog.tsx";
import { SessionList } from "./session-list.tsx";

/** Chooses another session. */
export function SessionsDialog(): preact.JSX.Element {
  return (
    <Dialog title="Sessions">
      <SessionList />
    </Dialog>
  );
}
