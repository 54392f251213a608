/** What models cost, as a file tells it. docs/reference/inspector.md, "Prices" */
import { kindOf, LemonError } from "../errors.ts";
import type { ModelPrice, Prices } from "./derive/usage.ts";

/** Prices that can't be read. Code `LEMON_INVALID_PRICES`; `field` is the model, with the member that is wrong. */
class InvalidPricesError extends LemonError {
  constructor(field: string, expected: string, got: string) {
    super("invalid_prices", `prices: ${field}: expected ${expected}, got ${got}`, { field, expected, got });
  }
}

const members = ["input", "output", "cachedInput"] as const;

/**
 * Reads prices: by `provider/model-id`, US dollars for a million tokens.
 *
 * @throws InvalidPricesError
 */
export function parsePrices(text: string): Prices {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new InvalidPricesError("the file", "a JSON object", "no JSON");
  }
  return Object.fromEntries(
    Object.entries(objectIn(json, "the file")).map(([model, price]) => [model, priceOf(model, price)]),
  );
}

function priceOf(model: string, json: unknown): ModelPrice {
  const price = objectIn(json, model);
  for (const [name, value] of Object.entries(price)) {
    if (!members.some((member) => member === name))
      throw new InvalidPricesError(model, members.join(", "), "another member");
    if (typeof value !== "number" || !(value >= 0) || value === Infinity)
      throw new InvalidPricesError(`${model}.${name}`, "a number, 0 or more", kindOf(value));
  }
  const { input, output, cachedInput } = price as Readonly<Record<string, number | undefined>>;
  if (input === undefined || output === undefined)
    throw new InvalidPricesError(model, "input and output", "one of them, or none");
  return { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) };
}

function objectIn(json: unknown, field: string): object {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  throw new InvalidPricesError(field, "an object", kindOf(json));
}
