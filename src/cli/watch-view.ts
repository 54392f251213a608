/** How a background run is shown to who watches it. docs/reference/cli.md, "lemon background watch ID" */
import type { BackgroundRunView, SessionEvent } from "../projections/index.ts";
import type { BackgroundRunResult } from "../runtime/index.ts";
import { describeCall } from "./calls.ts";
import type { Status } from "./errors.ts";
import { HumanView } from "./human-view.ts";
import type { Output } from "./output.ts";
import { showResult, statusOfResult } from "./run-lines.ts";

/** Of the header: raised when a line changes its meaning. */
const SCHEMA_VERSION = 1;

/** Shows a run that is watched. */
export interface WatchView {
  /** It is in another status. */
  status(run: BackgroundRunView): void;
  /** Its place in line; 1 is taken next. */
  place(place: number | null): void;
  take(event: SessionEvent): void;
  /** All that had happened is told. */
  caughtUp(): void;
  /** Nobody watches any more. */
  leave(): void;
  end(result: BackgroundRunResult): Status;
}

/** Which one the flags ask for. */
export function watchViewOf(out: Output, id: string): WatchView {
  return out.json ? new JsonWatch(out, id) : new HumanWatch(out, id);
}

type Asked = SessionEvent & { readonly type: "approval_requested" };

class HumanWatch implements WatchView {
  readonly #out: Output;
  readonly #id: string;
  readonly #work: HumanView;
  /** Calls that wait, and are not told yet: what was answered long ago is no news. */
  readonly #asked = new Map<string, Asked>();
  #hasWords = false;

  constructor(out: Output, id: string) {
    this.#out = out;
    this.#id = id;
    this.#work = new HumanView(out);
  }

  status({ status, start }: BackgroundRunView): void {
    const out = this.#out;
    const attempt = status === "running" && (start?.attempt ?? 1) > 1 ? `, attempt ${start?.attempt}` : "";
    out.note(out.paintError("dim", `${this.#id} ${status}${attempt}`));
  }

  place(place: number | null): void {
    if (place !== null) this.#out.progress(`queued, place ${place}`);
  }

  take(event: SessionEvent): void {
    if (event.type === "approval_requested") this.#asked.set(event.id, event);
    if (event.type === "approval_resolved") this.#asked.delete(event.id);
    if (event.type === "message_end" && event.message.role === "assistant") this.#hasWords = true;
    this.#work.take(event);
  }

  caughtUp(): void {
    for (const { id, tool, args } of this.#asked.values())
      this.#out.note(
        `waits for an answer: ${describeCall(tool, args)} (\`lemon allow ${id}\` or \`lemon deny ${id}\`)`,
      );
    this.#asked.clear();
  }

  leave(): void {
    this.#out.note(`${this.#id} goes on`);
  }

  end(result: BackgroundRunResult): Status {
    return showResult(this.#out, result, this.#hasWords);
  }
}

class JsonWatch implements WatchView {
  readonly #out: Output;
  readonly #id: string;
  #place: number | null = null;

  constructor(out: Output, id: string) {
    this.#out = out;
    this.#id = id;
    out.document({ type: "header", schemaVersion: SCHEMA_VERSION, id, sessionId: id });
  }

  status({ status, start }: BackgroundRunView): void {
    this.#place = null;
    this.#out.document({ type: "status", id: this.#id, status, attempt: start?.attempt ?? 0 });
  }

  place(place: number | null): void {
    if (place === this.#place) return;
    this.#place = place;
    this.#out.document({ type: "place", id: this.#id, place });
  }

  take(event: SessionEvent): void {
    this.#out.document(event);
  }

  caughtUp(): void {
    // Each line says by itself what it is.
  }

  leave(): void {
    // The status tells.
  }

  end(result: BackgroundRunResult): Status {
    this.#out.document({ type: "result", ...result });
    return statusOfResult(result);
  }
}
