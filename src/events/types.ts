/** Types of facts, inferred from their schemas; no code. */
import type { z } from "zod";
import type { FactType } from "./catalogue.ts";
import type { Fact } from "./envelope.ts";
import type { factSchemas } from "./schemas.ts";

/** The data of a known fact. */
export type FactData<Type extends FactType> = Readonly<z.infer<(typeof factSchemas)[Type]>>;

/** A known fact of one type, or of one of several. */
export type FactOf<Type extends FactType> = { [T in Type]: Fact<T, FactData<T>> }[Type];

/** Every fact that this version knows. */
export type KnownFact = FactOf<FactType>;

/** A fact as an actor receives it. */
export type FactEvent<Type extends FactType = FactType> = {
  [T in Type]: {
    readonly type: T;
    readonly version: number;
    readonly at: number;
    readonly data: FactData<T>;
  };
}[Type];

/** What an actor emits. */
export type Decision<Type extends FactType = FactType> = {
  [T in Type]: { readonly type: T; readonly data: FactData<T> };
}[Type];

/** Whose work a session is, and who asked for it. */
export type SessionLineage = FactData<"session.started">["lineage"];
/** How much a model is to think before it answers. */
export type ThinkingLevel = NonNullable<FactData<"session.started">["thinkingLevel"]>;
/** What happens to a call that needs approval: it runs, waits for an answer, or is refused. */
export type ApprovalMode = FactData<"session.started">["approval"];
/** Which tools there are: the session's own, or those with which a plan is made. */
export type SessionMode = FactData<"model.requested">["mode"];
/** Tokens that a request cost. */
export type Usage = FactData<"model.responded">["usage"];
/** A call as the model wrote it, and what the registry knew of its tool then. */
export type ModelCall = FactData<"model.responded">["calls"][number];
/** A piece of a message: text, or an image in base64. */
export type ContentBlock = FactData<"prompt.submitted">["content"][number];
