/** `runtime.features`: the features of a project, in a file that people and agents share. docs/reference/features.md */
import path from "node:path";
import { LemonError } from "../../errors.ts";
import type { EventLog } from "../../log/index.ts";
import type { Clock, Ids, Logger } from "../../ports.ts";
import { actionable, type DependencyProblem } from "../../projections/index.ts";
import { inFileOrder } from "../../workspace/index.ts";
import {
  featureStatuses,
  problemsOf,
  progressOf,
  type Feature,
  type FeatureDocument,
  type FeatureDocumentInput,
  type FeatureProgress,
  type FeatureStatus,
} from "./document.ts";
import { FeatureError } from "./errors.ts";
import { placeOf, readBytes, sha256, type Place } from "./file.ts";
import type { GeneratedFeatures } from "./generate.ts";
import { generateFeatures, type FeatureModel, type GenerateOptions } from "./generation.ts";
import { Journal, type FileState, type Mask } from "./journal.ts";
import { noFile, requireFeature } from "./reading.ts";
import { readGiven, readText, withDocument, withStatus } from "./text.ts";
import { settle } from "./settle.ts";
import { FeatureWriter, outsideFact, type Content } from "./writer.ts";

/** What the features need of their runtime. */
export interface FeatureParts {
  readonly log: EventLog;
  /** What relative folders are resolved against. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly mask: Mask;
  /** A model by its reference, else the one that is configured for the folder; `null` when there is none. */
  readonly model: (cwd: string, ref: string | undefined) => Promise<FeatureModel | null>;
}

/** A folder, or a document in the place of its file. */
export type FeatureSource = string | FeatureDocumentInput;

/**
 * The features of a project, in `FEATURE_REQUIREMENTS.json` of its folder. Each change is recorded before the file is
 * touched, and carried out at the next use if the process was killed in between; what somebody else wrote meanwhile is
 * never overwritten.
 */
export class Features {
  readonly #parts: FeatureParts;

  /** @internal */
  constructor(parts: FeatureParts) {
    this.#parts = parts;
  }

  /**
   * Asks a model, once, for the features of a project. Nothing is saved.
   *
   * @param prompt - what the project shall be
   * @throws FeatureError `empty_prompt`, `invalid_prompt`, `invalid_options`, `no_model_available`, `truncated_response`,
   * `invalid_requirements`, `generation_failed`, `timeout` (after 120 s), `aborted`; JsonDecodeError; UnknownModelError;
   * NotFoundError when there is no such folder
   */
  async generate(prompt: string, options: GenerateOptions = {}): Promise<GeneratedFeatures> {
    const place = await this.#place(options.cwd ?? ".");
    return generateFeatures(this.#journal(place), prompt, options, this.#parts);
  }

  /**
   * Writes a document. Of a file that is there, members that are not known and the order of members stay.
   *
   * @returns the document as it was written, its defaults filled in
   * @throws FeatureError `invalid_requirements`, `file_too_large`, `unsafe_path`, `read_failed`, `write_failed`,
   * `permission_denied`, `no_space`, `conflict`; NotFoundError when there is no such folder; the errors of the log
   */
  async save(cwd: string, document: FeatureDocumentInput): Promise<FeatureDocument> {
    const given = await readGiven(document);
    await this.#write(cwd, async (content) => {
      const base = content === null ? null : await readText(content.bytes).catch(unlessUnreadable);
      return { bytes: await withDocument(given, base), facts: [] };
    });
    return given;
  }

  /**
   * Reads the file, and first ends a write that was cut off.
   *
   * @throws NotFoundError without a file; JsonDecodeError with line and column; FeatureError `invalid_requirements` with
   * the JSON Pointer of the fault, `file_too_large`, `unsafe_path`, `read_failed`
   */
  async load(cwd: string): Promise<FeatureDocument> {
    const place = await this.#place(cwd);
    const content = await inFileOrder([place.file], () => this.#look(place));
    return (await readText(present(content, place).bytes)).document;
  }

  /**
   * Sets the status of a feature, or of all that share the id, and the time of the change. Any status may follow any
   * other, whatever its dependencies are.
   *
   * @param notes - replace the old ones; `""` clears them, left out they stay
   * @param options.sessionId - recorded with the change
   * @returns the document as it is now
   * @throws FeatureError `invalid_status`, `invalid_notes`, `feature_not_found`, and what `load` and `save` throw; then the
   * file is as it was
   */
  async updateStatus(
    cwd: string,
    id: string,
    status: FeatureStatus,
    notes?: string,
    { sessionId = null }: { readonly sessionId?: string | null } = {},
  ): Promise<FeatureDocument> {
    requireStatus(status);
    requireNotes(notes);
    let document: FeatureDocument | null = null;
    await this.#write(cwd, async (content, place) => {
      const read = await readText(present(content, place).bytes);
      const feature = requireFeature(read.document, id);
      const updatedAt = new Date(this.#parts.clock.now()).toISOString();
      const bytes = await withStatus(read, { id, status, notes, updatedAt });
      document = (await readText(bytes)).document;
      const fact = this.#journal(place).fact("feature.status_changed", {
        featureId: id,
        from: feature.status,
        to: status,
        notesChanged: notes !== undefined && notes !== feature.notes,
        sessionId,
      });
      return { bytes, facts: [fact] };
    });
    // Set by the change that was written last.
    return document as unknown as FeatureDocument;
  }

  /** `updateStatus` to `completed`. */
  complete(cwd: string, id: string, notes?: string): Promise<FeatureDocument> {
    return this.updateStatus(cwd, id, "completed", notes);
  }

  /** How far it is. @throws what `load` throws */
  async progress(source: FeatureSource): Promise<FeatureProgress> {
    return progressOf(await this.#document(source));
  }

  /** The features that can be begun, in the order in which to begin them. @throws what `load` throws */
  async next(source: FeatureSource): Promise<Feature[]> {
    return actionable((await this.#document(source)).features);
  }

  /** What is wrong with ids and dependencies, in the order of the file. @throws what `load` throws */
  async problems(source: FeatureSource): Promise<DependencyProblem[]> {
    return problemsOf(await this.#document(source));
  }

  #document(source: FeatureSource): Promise<FeatureDocument> {
    return typeof source === "string" ? this.load(source) : readGiven(source);
  }

  async #place(cwd: string): Promise<Place> {
    if (typeof cwd !== "string" || cwd.includes("\0")) {
      const expected = "the path of a folder";
      throw new FeatureError("invalid_cwd", `cwd: expected ${expected}`, { field: "cwd", expected });
    }
    return placeOf(path.resolve(this.#parts.cwd, cwd));
  }

  #journal(place: Place): Journal {
    return new Journal(this.#parts.log, place, this.#parts.mask);
  }

  async #write(cwd: string, change: Parameters<FeatureWriter["write"]>[0]): Promise<void> {
    const place = await this.#place(cwd);
    const writer = new FeatureWriter(this.#journal(place), this.#parts.ids);
    await inFileOrder([place.file], () => writer.write(change));
  }

  /** The file as it is, a write that was cut off ended first, and a change by somebody else recorded. */
  async #look(place: Place): Promise<Content | null> {
    const journal = this.#journal(place);
    const state = await this.#unlessLogFails(async () => {
      const { open } = await journal.state();
      if (open !== null) await settle(journal, open, this.#parts.ids);
    });
    const bytes = await readBytes(place.file);
    const content = bytes === null ? null : { bytes, sha256: sha256(bytes) };
    if (state && content !== null)
      await this.#unlessLogFails(async () => {
        for (;;) {
          const now: FileState = await journal.state();
          const facts = outsideFact(journal, now, content);
          if (facts.length === 0 || (await journal.append(now.version, facts)) !== null) return;
        }
      });
    return content;
  }

  /** A file can be read whatever the state of the log. @returns whether it went well */
  async #unlessLogFails(use: () => Promise<void>): Promise<boolean> {
    try {
      await use();
      return true;
    } catch (error) {
      const code = error instanceof LemonError ? error.code : "unknown";
      this.#parts.logger.warn({ code }, "what happened to a feature file could not be recorded");
      return false;
    }
  }
}

function present(content: Content | null, { file }: Place): Content {
  if (content !== null) return content;
  throw noFile(file);
}

/** A file that can't be read as features is replaced as a whole; its bytes stay in the log. */
function unlessUnreadable(error: unknown): null {
  if (error instanceof LemonError && ["json_decode", "invalid_requirements"].includes(error.reason))
    return null;
  throw error;
}

/** @throws FeatureError `invalid_status` */
export function requireStatus(status: unknown): asserts status is FeatureStatus {
  if (featureStatuses.includes(status as FeatureStatus)) return;
  const expected = featureStatuses.join(", ");
  throw new FeatureError("invalid_status", `status: expected one of ${expected}`, {
    field: "status",
    expected,
    got: typeof status,
  });
}

function requireNotes(notes: unknown): void {
  if (notes === undefined || typeof notes === "string") return;
  throw new FeatureError("invalid_notes", "notes: expected a string", {
    field: "notes",
    expected: "a string",
    got: notes === null ? "null" : typeof notes,
  });
}
