/** The model of the kit: it says the turns that a test has given it. */
import { scriptedModel, type Model, type ScriptedTurn } from "../providers/index.ts";

/** Turns in the order in which the model will say them. */
export class Turns {
  readonly model: Model;
  #prepared: ScriptedTurn[];
  #own: ScriptedTurn[] | null = null;

  /** @param prepared - said by prompts that bring none of their own */
  constructor(prepared: readonly ScriptedTurn[], ref: string) {
    this.#prepared = [...prepared];
    this.model = {
      ref,
      // A script chooses its turn by the answers so far; here each request takes the next one, whoever asked before.
      request: (context, options) => {
        const turn = (this.#own ?? this.#prepared).shift();
        const script = scriptedModel(turn === undefined ? [] : [turn], ref);
        return script.request(context, { ...options, responses: 0, failures: 0 });
      },
    };
  }

  /** While `work` runs, the model says these and no others. */
  async during<Value>(turns: readonly ScriptedTurn[], work: () => Promise<Value>): Promise<Value> {
    this.#own = [...turns];
    try {
      return await work();
    } finally {
      this.#own = null;
    }
  }
}
