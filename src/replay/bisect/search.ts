/** Finds where a row of states turns bad, with as few checks as can be. Pure but for the checks. */

/** What a check says of a state. `skip`: it can't be judged. */
export type Judgement = "good" | "bad" | "skip";

/** How a search ended. `checks`: how many states were judged. */
export type Found =
  /** The state at `at` is bad and the one before is good; both were judged. */
  | { readonly is: "found"; readonly at: number; readonly checks: number }
  /** One of those from `from` to `at`: what lies between could not be judged. */
  | { readonly is: "undecided"; readonly from: number; readonly at: number; readonly checks: number }
  | { readonly is: "never_bad" | "bad_at_start"; readonly checks: number }
  | { readonly is: "end_skipped"; readonly checks: number };

/** Checks after that of the last state within which 128 states and fewer are searched with the first one checked early. */
const COMMON_CHECKS = 8;

/**
 * Looks for the first bad state of 0 to `last`. The last is judged first, and at once after it the first, unless that
 * would cost a check more in the end: a check that fails everywhere is noticed early all the same.
 *
 * Takes at most `1 + max(8, ceil(log2(last + 1)))` judgements, those of skipped states not counted. It holds whatever the
 * states are like: found is always a good state beside a bad one.
 */
export async function searchBad(last: number, judge: (at: number) => Promise<Judgement>): Promise<Found> {
  let checks = 0;
  const judged = new Map<number, Judgement>();
  const look = async (at: number): Promise<Judgement> => {
    const known = judged.get(at);
    if (known !== undefined) return known;
    checks += 1;
    const judgement = await judge(at);
    judged.set(at, judgement);
    return judgement;
  };
  const end = await look(last);
  if (end !== "bad") return { is: end === "good" ? "never_bad" : "end_skipped", checks };
  let [good, bad] = [-1, last];
  for (let left = Math.max(COMMON_CHECKS, Math.ceil(Math.log2(last + 1))); bad - good > 1; left -= 1) {
    // As long as no state is known to be good: as near to the start as what is left then allows.
    const wanted = good >= 0 ? Math.floor((good + bad) / 2) : Math.max(0, bad - 2 ** Math.max(0, left - 1));
    const at = await judgeable(wanted, good, bad, look);
    if (at === null) {
      if (good < 0) break; // Nothing before it could be judged.
      return { is: "undecided", from: good + 1, at: bad, checks };
    }
    if (judged.get(at) === "good") good = at;
    else bad = at;
  }
  if (good < 0 && judged.get(0) !== "bad") return { is: "undecided", from: 1, at: bad, checks };
  if (good < 0) return { is: "bad_at_start", checks };
  return { is: "found", at: bad, checks };
}

/** The state nearest to the wanted one, strictly between, that can be judged; `null` when none can. */
async function judgeable(
  wanted: number,
  good: number,
  bad: number,
  look: (at: number) => Promise<Judgement>,
): Promise<number | null> {
  for (let distance = 0; wanted - distance > good || wanted + distance < bad; distance += 1) {
    for (const at of distance === 0 ? [wanted] : [wanted - distance, wanted + distance])
      if (at > good && at < bad && (await look(at)) !== "skip") return at;
  }
  return null;
}
