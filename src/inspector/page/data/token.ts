/**
 * The token comes once, in the fragment that `lemon inspect` printed; it is kept for this tab only and taken out of the
 * address, so that neither a link nor the history holds it.
 */
import { takeToken } from "../model/place.ts";

const KEY = "lemon-inspect-token";

/** The token; `null` when this tab was never given one. */
export function tokenOfTab(): string | null {
  const { token, rest } = takeToken(location.hash);
  if (token === null) return sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, "", rest);
  return token;
}
