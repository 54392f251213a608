/** From a message to its answer: the order of the checks, and what becomes of what is thrown. */
import type { Ids, Logger } from "../ports.ts";
import type { Runtime } from "../runtime/index.ts";
import type { Subscriber } from "./feed/subscriber.ts";
import { errorText, resultText } from "./message/reply.ts";
import { parseMessage, type Incoming, type IncomingCall } from "./message/parse.ts";
import type { Method } from "./method.ts";
import { readParams } from "./params.ts";
import { RefusedError, wireError } from "./rpc-error.ts";
import { allows, type Scope } from "./scopes.ts";

/** Who sends a message. */
export interface Caller {
  /** `null`: nobody knows who it is. */
  readonly scopes: ReadonlySet<Scope> | null;
  readonly subscriber: Subscriber | null;
  /** Resolves when the answer to this message is on its way. */
  readonly answered: Promise<void>;
}

/** What the calls of a server work on. */
export interface DispatcherParts {
  readonly methods: ReadonlyMap<string, Method>;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly ids: Ids;
}

/** Handles messages; any number at once. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  #isClosing = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** From now on calls are refused as `shutting_down`; those that run go on. */
  close(): void {
    this.#isClosing = true;
  }

  /** The answer to a message; `null` when there is none to give. Never rejects. */
  async answer(message: Incoming | Uint8Array, caller: Caller): Promise<string | null> {
    const incoming = message instanceof Uint8Array ? parseMessage(message) : message;
    switch (incoming.kind) {
      case "refused":
        return this.#failure("null", incoming.error, null, null);
      case "single":
        return this.#call(incoming.call, caller);
      case "batch": {
        const answers = await Promise.all(incoming.calls.map((call) => this.#call(call, caller)));
        const given = answers.filter((answer) => answer !== null);
        return given.length === 0 ? null : `[${given.join(",")}]`;
      }
    }
  }

  async #call(call: IncomingCall, caller: Caller): Promise<string | null> {
    if (call.kind === "invalid") return this.#failure(call.id, call.error, null, null);
    const { id, method } = call;
    try {
      const result = await this.#run(call, caller);
      return id === null ? null : resultText(id, result);
    } catch (error) {
      const failure = this.#failure(id ?? "null", error, method, call.params);
      return id === null ? null : failure;
    }
  }

  async #run(
    { method: name, params }: IncomingCall & { readonly kind: "call" },
    caller: Caller,
  ): Promise<unknown> {
    const { methods, runtime } = this.#parts;
    if (caller.scopes === null) throw new RefusedError("unauthorized", "A valid bearer token is needed.");
    const method = methods.get(name);
    if (method === undefined) throw new RefusedError("method_not_found", "There is no such method.");
    if (!allows(caller.scopes, method.scope)) {
      throw new RefusedError("forbidden", `This method needs the scope ${method.scope}.`);
    }
    const read = readParams(method.params, params);
    if (this.#isClosing) throw new RefusedError("shutting_down", "The server is shutting down.");
    // `params` is what the schema of this very method gave.
    const { subscriber, answered } = caller;
    return method.run(read as never, { runtime, subscriber, answered });
  }

  #failure(id: string, error: unknown, method: string | null, params: unknown): string {
    const { logger, ids, methods } = this.#parts;
    // A name that is no method is the caller's own text.
    const known = method !== null && methods.has(method) ? method : null;
    return errorText(id, wireError(error, { logger, ids, method: known, params }));
  }
}
