/** The page's tools, as its parts reach them. */
import { createContext } from "preact";
import { useContext, useEffect, useReducer, useRef } from "preact/hooks";
import type { Actions } from "./actions.ts";
import type { Client } from "./client.ts";
import type { FactPages } from "./fact-pages.ts";
import type { PageState, Store } from "./store.ts";

/** What every part may use. */
export interface Page {
  readonly client: Client;
  readonly store: Store;
  readonly actions: Actions;
  readonly facts: FactPages;
}

/** Given by the root. */
export const PageContext = createContext<Page | null>(null);

/** The page's tools. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error("no page around this part");
  return page;
}

/** A part of the state; draws anew when it is another. */
export function useStore<Part>(select: (state: PageState) => Part): Part {
  const { store } = usePage();
  const [, redraw] = useReducer<number, void>((turn) => turn + 1, 0);
  const part = select(store.state);
  const shown = useRef({ select, part });
  shown.current = { select, part };
  useEffect(() => {
    const look = (): void => {
      if (!Object.is(shown.current.select(store.state), shown.current.part)) redraw();
    };
    look();
    return store.watch(look);
  }, [store]);
  return part;
}
