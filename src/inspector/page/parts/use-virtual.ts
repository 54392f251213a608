/** The rows of a long list that are in sight. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { revealed } from "../model/fact-window.ts";

/** What is to be drawn, and a way to a row. */
export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  /** Brings a row into sight when it is not. */
  readonly reveal: (row: number) => void;
}

/** Rows of one height, in px, inside an element that scrolls. */
export function useVirtual(element: RefObject<HTMLElement>, count: number, rowHeight: number): VirtualRows {
  const [, redraw] = useReducer<number, void>((turn) => turn + 1, 0);
  const held = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const options = {
    count,
    estimateSize: () => rowHeight,
    overscan: 8,
    getScrollElement: () => element.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(),
  };
  held.current ??= new Virtualizer(options);
  const virtual = held.current;
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  return {
    items: virtual.getVirtualItems(),
    height: virtual.getTotalSize(),
    reveal: (row) => {
      // By what the observers told last: to ask the element would make the browser lay the page out in mid-frame.
      const offset = virtual.scrollOffset ?? 0;
      const tall = virtual.scrollRect?.height ?? 0;
      const to = revealed(row * rowHeight, rowHeight, offset, tall);
      if (to !== offset && element.current !== null) element.current.scrollTop = to;
    },
  };
}
