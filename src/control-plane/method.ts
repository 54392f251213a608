/** What a method of the control plane is. The schemas are the one source for checks, types and documentation. */
import type { z } from "zod";
import type { Runtime } from "../runtime/index.ts";
import type { Scope } from "./scopes.ts";
import type { Subscriber } from "./feed/subscriber.ts";

/** What a handler is given besides its parameters. */
export interface CallContext {
  readonly runtime: Runtime;
  /** Where facts can be sent without being asked for each time; `null` where that is not so, as over `POST`. */
  readonly subscriber: Subscriber | null;
  /** Resolves when the answer to this call is on its way. */
  readonly answered: Promise<void>;
}

/** Library values are read-only, and what zod infers is not. */
export type Frozen<Value> = Value extends (...args: never[]) => unknown
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;

/** A method whose parameters and result have been forgotten by the compiler: an entry of the table. */
export interface Method {
  readonly name: string;
  readonly scope: Scope;
  /** One sentence for the reference. */
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly result: z.ZodType;
  /** @param params - as `params` gives them */
  readonly run: (params: never, context: CallContext) => Promise<unknown>;
}

interface Definition<Params extends z.ZodObject, Result extends z.ZodType> {
  readonly name: string;
  readonly scope: Scope;
  readonly summary: string;
  readonly params: Params;
  readonly result: Result;
  readonly run: (params: z.output<Params>, context: CallContext) => Promise<Frozen<z.input<Result>>>;
}

/** Ties a handler to the schemas of its method. */
export function defineMethod<Params extends z.ZodObject, Result extends z.ZodType>(
  definition: Definition<Params, Result>,
): Method {
  return definition;
}
