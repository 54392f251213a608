/** The lines that lead from a parent to a row of a tree. */
export function TreeGuides({
  level,
  lasts,
}: {
  readonly level: number;
  readonly lasts: readonly boolean[];
}): preact.JSX.Element | null {
  if (level === 1) return null;
  return (
    <span class="guides" aria-hidden="true">
      {lasts.map((isLast, index) => {
        const isOwn = index === lasts.length - 1;
        return <i key={index} class={isOwn ? (isLast ? "corner" : "branch") : isLast ? "gap" : "line"} />;
      })}
    </span>
  );
}
