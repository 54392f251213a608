/**
 * The type of a tool's arguments, read off the schema that its author wrote.
 */
import type { StandardTypedV1 } from "@standard-schema/spec";

/**
 * The input type of a Standard Schema (zod, ArkType, Valibot), the static type of a TypeBox schema, or what the usual
 * keywords of a plain JSON Schema say. Keywords that are not understood give `unknown`.
 */
export type ArgumentsOf<Schema> = Schema extends StandardTypedV1
  ? StandardTypedV1.InferInput<Schema>
  : Schema extends { readonly static: infer Static }
    ? Static
    : Schema extends { readonly type: "object" } | { readonly properties: object }
      ? FromObject<Schema>
      : Readonly<Record<string, unknown>>;

interface Named {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

type FromSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends
          | { readonly anyOf: readonly (infer Branch)[] }
          | { readonly oneOf: readonly (infer Branch)[] }
      ? FromSchema<Branch>
      : Schema extends { readonly type: infer Type }
        ? FromType<Schema, Type extends readonly (infer One)[] ? One : Type>
        : Schema extends { readonly properties: object }
          ? FromObject<Schema>
          : unknown;

type FromType<Schema, Type> = Type extends keyof Named
  ? Named[Type]
  : Type extends "array"
    ? Schema extends { readonly items: infer Items }
      ? FromSchema<Items>[]
      : unknown[]
    : Type extends "object"
      ? FromObject<Schema>
      : unknown;

type RequiredKeys<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never;

type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        [Key in keyof Properties as Key extends RequiredKeys<Schema> ? Key : never]: FromSchema<
          Properties[Key]
        >;
      } & {
        [Key in keyof Properties as Key extends RequiredKeys<Schema> ? never : Key]?: FromSchema<
          Properties[Key]
        >;
      }
    >
  : Record<string, unknown>;

/** One object in the editor's hint instead of an intersection. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
