/** What a caller's signal says. */

/** Whether a signal that may not be there has fired. */
export function hasFired(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** The words of whoever aborted. */
export function reasonOf(reason: unknown): string {
  return reason instanceof Error
    ? reason.message
    : typeof reason === "string"
      ? reason
      : "aborted by the caller";
}
