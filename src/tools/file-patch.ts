/**
 * What a patch asks for, whichever of its forms it is written in.
 */
import { LemonError } from "../errors.ts";
import type { Hunk } from "../workspace/index.ts";

/** A patch can't be read. Code `LEMON_INVALID_PATCH`. */
export class InvalidPatchError extends LemonError {
  constructor(message: string, cause?: unknown) {
    super("invalid_patch", message, { field: "patch", ...(cause === undefined ? {} : { cause }) });
  }
}

/** One file of a patch; names are as the patch has them. */
export type FilePatch =
  | { readonly kind: "add"; readonly name: string; readonly content: Buffer; readonly isExecutable: boolean }
  /** `hunks` say what the file must hold; none in a form that does not say. */
  | { readonly kind: "delete"; readonly name: string; readonly hunks: readonly Hunk[] }
  | {
      readonly kind: "update";
      readonly name: string;
      /** Where the file goes, if it moves or is copied. */
      readonly newName: string | null;
      readonly isCopy: boolean;
      readonly hunks: readonly Hunk[];
      /** Set only if the patch changes it. */
      readonly isExecutable: boolean | null;
    };
