/** Whether the screen has room for one column only. The same limit stands in styles/layout.css. */
import { useEffect, useState } from "preact/hooks";

const query = "(max-width: 860px)";

/** True below 860 px. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const look = (): void => setIsNarrow(list.matches);
    list.addEventListener("change", look);
    return () => list.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
