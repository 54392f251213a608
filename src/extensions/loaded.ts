/** An extension that is ready: it loaded, it is valid, and what it brings for one folder and its settings is here. */
import type { KnownSecret } from "../secrets/index.ts";
import type { Collection, ExtensionHost, LoadError } from "./port.ts";

/** What is known of an extension, for people and programs. Plain JSON. */
export interface ExtensionInfo {
  readonly name: string;
  readonly version: string;
  /** Its id: the path below its extension directory without the suffix, or the name of an object of the program. */
  readonly module: string;
  /** `null` for an object of the program. */
  readonly sourcePath: string | null;
  readonly capabilities: readonly string[];
  readonly configSchema: Readonly<Record<string, unknown>>;
}

/** A valid extension. */
export interface LoadedExtension {
  readonly info: ExtensionInfo;
  readonly host: ExtensionHost;
  readonly collection: Collection;
  /** Values of its settings that are secret. */
  readonly secrets: readonly KnownSecret[];
  /** Gives it back: its worker ends when nobody else uses it. */
  release(): Promise<void>;
}

/** An extension that loaded and can't be used. */
export interface ValidationError {
  readonly module: string;
  readonly sourcePath: string | null;
  readonly errors: readonly string[];
}

/** What is odd about an extension that is used all the same. */
export interface ValidationWarning {
  readonly module: string;
  readonly sourcePath: string | null;
  readonly warnings: readonly string[];
}

/** What came of loading a list of files and objects. Sorted: extensions by module, the rest by source path. */
export interface LoadOutcome {
  readonly extensions: readonly LoadedExtension[];
  readonly loadErrors: readonly LoadError[];
  readonly validationErrors: readonly ValidationError[];
  readonly validationWarnings: readonly ValidationWarning[];
}
