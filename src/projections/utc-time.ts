const dayMs = 86_400_000;

/** Milliseconds that a `Date` may be away from 1970. */
const furthestMs = 8_640_000_000_000_000;

/**
 * A time for people, `YYYY-MM-DD HH:MM:SS UTC`, floored to the second; `unknown` for none. Reckoned here, since a pure
 * room has no clock.
 */
export function utcTime(epochMs: number | null): string {
  if (epochMs === null || !(Math.abs(epochMs) <= furthestMs)) return "unknown";
  const days = Math.floor(epochMs / dayMs);
  const seconds = Math.floor((epochMs - days * dayMs) / 1_000);
  const clock = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) => padded(part, 2)).join(":");
  return `${calendarDay(days)} ${clock} UTC`;
}

/**
 * The day of the Gregorian calendar, by the count of days that begins on 1 March of the year 0, so that a leap day is
 * the last of its year: https://howardhinnant.github.io/date_algorithms.html, `civil_from_days`.
 */
function calendarDay(sinceEpoch: number): string {
  const count = sinceEpoch + 719_468;
  const era = Math.floor(count / 146_097);
  const dayOfEra = count - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${year < 0 ? "-" : ""}${padded(Math.abs(year), 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function padded(part: number, width: number): string {
  return String(Math.floor(part)).padStart(width, "0");
}
