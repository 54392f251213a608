/** A question about the selected session at the selected fact. */
import { sessionPath, type Params } from "../data/client.ts";
import { useStore } from "../data/page.ts";
import { atOf } from "../data/store.ts";
import { useQuery, type Query } from "../data/use-query.ts";

/** Asks `rest` of the session with `at`. */
export function useAtQuery<Answer>(rest: string, params: Params = {}): Query<Answer> {
  const session = useStore(({ place }) => place.session);
  const at = useStore(atOf);
  return useQuery<Answer>(
    session === null || at === 0 ? null : sessionPath(session, rest, { at, ...params }),
  );
}
