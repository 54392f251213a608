/** The place of a receipt among the details of a result. docs/reference/receipts.md, "Where it stands" */

type Details = Readonly<Record<string, unknown>> | null;

/** The details with what the call really changed, which nobody but the runtime says; `null`: it has no receipt. */
export function withReceipt(details: Details, receipt: object | null): Details {
  return receipt === null ? details : { ...details, receipt };
}

/** The details of a tool, without what it says to be a receipt, in whatever spelling. */
export function withoutReceipt(details: Details): Details {
  if (details === null || !Object.keys(details).some(isReceipt)) return details;
  return Object.fromEntries(Object.entries(details).filter(([key]) => !isReceipt(key)));
}

function isReceipt(key: string): boolean {
  return key.toLowerCase().replace(/[_-]/g, "") === "receipt";
}
