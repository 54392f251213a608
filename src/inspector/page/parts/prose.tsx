import { blocksOf } from "../model/prose.ts";

/** A text of a person or a model. */
export function Prose({ text }: { readonly text: string }): preact.JSX.Element {
  return (
    <div class="prose">
      {blocksOf(text).map((block, index) =>
        block.is === "code" ? (
          <pre key={index} tabIndex={0} aria-label={block.language === "" ? "Code" : block.language}>
            {block.text}
          </pre>
        ) : (
          <p key={index}>
            {block.spans.map((span, at) => {
              if (span.is === "code") return <code key={at}>{span.text}</code>;
              return span.is === "strong" ? <strong key={at}>{span.text}</strong> : span.text;
            })}
          </p>
        ),
      )}
    </div>
  );
}
