import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** Says what is so in place of what would be shown: nothing there, a fault, something to wait for. */
export function Notice(props: {
  readonly tone?: "calm" | "good" | "warn" | "bad";
  readonly title: string;
  readonly children?: ComponentChildren;
}): preact.JSX.Element {
  const tone = props.tone ?? "calm";
  const icon = { calm: "empty", good: "check", warn: "warn", bad: "error" } as const;
  return (
    <div class={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Icon name={icon[tone]} />
      <p class="notice-title">{props.title}</p>
      {props.children === undefined ? null : <div class="notice-text">{props.children}</div>}
    </div>
  );
}
