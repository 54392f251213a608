import { useEffect, useRef, useState } from "preact/hooks";
import type { MessagesAnswer } from "../../api.ts";
import { count } from "../model/format.ts";
import { Answered } from "../parts/answered.tsx";
import { Message } from "../parts/message.tsx";
import { Notice } from "../parts/notice.tsx";
import { useAtQuery } from "./use-at-query.ts";

const STEP = 40;
const CHARS = 4000;
const ALL_CHARS = 1_000_000;

/** The conversation as it was at the selected fact, its newest message in sight. */
export function ConversationPanel(): preact.JSX.Element {
  const [limit, setLimit] = useState(STEP);
  const [chars, setChars] = useState(CHARS);
  const query = useAtQuery<MessagesAnswer>("/messages", { limit, chars });
  const end = useRef<HTMLDivElement>(null);
  const newest = query.answer === null ? 0 : query.answer.total;
  useEffect(() => {
    end.current?.scrollIntoView({ block: "end" });
  }, [newest]);
  return (
    <Answered query={query}>
      {({ total, from, messages }) =>
        total === 0 ? (
          <Notice title="Nothing has been said yet">The first prompt comes later.</Notice>
        ) : (
          <div class="conversation">
            {from === 0 ? null : (
              <button type="button" class="button wide" onClick={() => setLimit(Math.min(500, limit + STEP))}>
                <span>{`${count(from)} earlier`}</span>
              </button>
            )}
            {messages.map((shown) => (
              <Message
                key={shown.index}
                shown={shown}
                isNewest={shown.index === total - 1}
                onWhole={() => setChars(ALL_CHARS)}
              />
            ))}
            <div ref={end} />
          </div>
        )
      }
    </Answered>
  );
}
