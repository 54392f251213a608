import { useStore } from "../data/page.ts";

/** Over the page while the server does not answer; it goes when the server is back. */
export function LineNotice(): preact.JSX.Element {
  const line = useStore((state) => state.line);
  const fault = useStore((state) => state.fault);
  return (
    <div class="line-notice" role="status">
      {line === "lost" && fault === null ? (
        <p>
          <span class="dot lost" />
          The server is gone. What you see is what was known; trying again until it is back.
        </p>
      ) : null}
    </div>
  );
}
