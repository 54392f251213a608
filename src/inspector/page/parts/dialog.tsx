import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../data/page.ts";
import { Icon } from "./icon.tsx";

/** Over the page; Escape and a press beside it close it. */
export function Dialog({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}): preact.JSX.Element {
  const { actions } = usePage();
  const element = useRef<HTMLDialogElement>(null);
  const close = (): void => actions.show(null);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <div class="dialog-box">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
