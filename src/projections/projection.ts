/**
 * A view: a fold from facts to a state, and nothing else. Views are disposable: the same facts give the same state.
 */
import { upcast, type Fact, type FactOf, type FactType } from "../events/index.ts";

/** A named fold over the facts that it cares about. */
export interface Projection<State, Type extends FactType> {
  readonly name: string;
  /** Raised when the same facts give another state; stored states of another version are thrown away. */
  readonly version: number;
  readonly initial: State;
  readonly types: Readonly<Record<Type, true>>;
  readonly fold: (state: State, fact: FactOf<Type>) => State;
}

/** The state after one more fact of any type. Those that the projection doesn't name, or whose data was left out, leave it as it is. */
export function project<State, Type extends FactType>(
  projection: Projection<State, Type>,
  state: State,
  fact: Fact,
): State {
  // Compared with `true`, since what every object inherits is in `types` too.
  if (projection.types[fact.type as Type] !== true || fact.redacted !== undefined) return state;
  // The catalogue ties data to type, and the type is one of the projection's.
  return projection.fold(state, upcast(fact) as FactOf<Type>);
}
