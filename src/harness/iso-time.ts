/** Epoch milliseconds as ISO 8601 in UTC with milliseconds. A clock of a test may give times that a date can't hold. */
export function isoTime(at: number): string {
  const date = new Date(at);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
