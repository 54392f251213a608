import { useEffect, useState } from "preact/hooks";
import { usePage, useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { sentenceOf } from "../model/announce.ts";

/** Tells a screen reader which fact is selected, once the reader rests there. */
export function Announcer(): preact.JSX.Element {
  const { facts } = usePage();
  const at = useStore(atOf);
  const last = useStore((state) => state.last);
  const [sentence, setSentence] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSentence(sentenceOf(at, last, facts.rowAt(at - 1))), 300);
    return () => clearTimeout(timer);
  }, [at, last, facts]);
  return (
    <p class="unseen" aria-live="polite">
      {sentence}
    </p>
  );
}
