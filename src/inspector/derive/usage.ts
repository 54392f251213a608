/** Tokens and cost over time: cumulative, and per model. */
import { addUsage, noUsage, type KnownFact, type Usage } from "../../events/index.ts";
import type { ModelUsage, UsagePoint } from "../api.ts";

/** What a model costs, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of those tokens of the input that were cached; default: as `input`. */
  readonly cachedInput?: number;
}

/** By `provider/model-id`, as the session names its model. */
export type Prices = Readonly<Record<string, ModelPrice>>;

interface ModelTotal {
  requests: number;
  failures: number;
  usage: Usage;
}

/** Grows by one fact at a time, in version order. */
export class UsageLedger {
  readonly #prices: Prices;
  readonly #points: UsagePoint[] = [];
  readonly #models = new Map<string, ModelTotal>();
  #model = "";

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** Everything that was used so far. */
  get total(): Usage {
    return this.#points.at(-1)?.usage ?? noUsage;
  }

  take(fact: KnownFact): void {
    switch (fact.type) {
      case "session.started":
      case "session.forked":
      case "session.configured":
        this.#model = fact.data.model;
        return;
      case "model.responded":
      case "session.compacted":
        return this.#count(fact.data.usage, fact, false);
      case "model.failed":
      case "compaction.failed":
        return this.#count(fact.data.usage, fact, true);
      default:
        return;
    }
  }

  /** So many points at most, evenly chosen; the first and the last are always among them. */
  points(most: number): UsagePoint[] {
    const { length } = this.#points;
    if (length <= most) return [...this.#points];
    return Array.from(
      { length: most },
      (_, at) => this.#points[Math.round((at * (length - 1)) / (most - 1))] as UsagePoint,
    );
  }

  /** In the order in which they were first asked. */
  models(): ModelUsage[] {
    return [...this.#models].map(([model, total]) => ({
      model,
      ...total,
      cost: this.#cost(model, total.usage),
    }));
  }

  #count(usage: Usage, { version, at }: { version: number; at: number }, isFailure: boolean): void {
    const total = this.#models.get(this.#model) ?? { requests: 0, failures: 0, usage: noUsage };
    total.requests += 1;
    if (isFailure) total.failures += 1;
    total.usage = addUsage(total.usage, usage);
    this.#models.set(this.#model, total);
    const last = this.#points.at(-1);
    const cost = this.#cost(this.#model, usage);
    this.#points.push({
      version,
      at,
      usage: addUsage(this.total, usage),
      cost: cost === null || last?.cost === null ? null : (last?.cost ?? 0) + cost,
    });
  }

  #cost(model: string, { inputTokens, outputTokens, cachedInputTokens }: Usage): number | null {
    const price = Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined;
    if (price === undefined) return null;
    const { input, output, cachedInput = input } = price;
    const cached = Math.min(cachedInputTokens, inputTokens);
    return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / 1_000_000;
  }
}
