import { createRequire } from "node:module";
import type * as Rxjs from "rxjs";
import type { Observable } from "rxjs";
import type { Supervisor, SupervisorTree } from "../supervision/index.ts";

/** The supervision tree as an observable: as it is, then after each change that `listeners` are told of. */
export function treesOf(
  root: Supervisor,
  listeners: Set<(tree: SupervisorTree) => void>,
): Observable<SupervisorTree> {
  // Loading rxjs takes longer than starting a runtime, and most never look.
  const { Observable } = createRequire(import.meta.url)("rxjs") as typeof Rxjs;
  return new Observable((subscriber) => {
    const listener = (tree: SupervisorTree): void => subscriber.next(tree);
    listeners.add(listener);
    listener(root.tree());
    return () => listeners.delete(listener);
  });
}
