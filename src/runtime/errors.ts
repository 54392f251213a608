/** What the front door refuses. */
import { kindOf, LemonError } from "../errors.ts";

/** A session with this id exists. Code `LEMON_SESSION_EXISTS`. */
export class SessionExistsError extends LemonError {
  constructor(id: string) {
    super("session_exists", `session ${id} exists: resume it, or start one with another id`, {
      field: "sessionId",
    });
  }
}

/** Nothing says which model to ask. Code `LEMON_NO_MODEL`. */
export class NoModelError extends LemonError {
  constructor() {
    super(
      "no_model",
      "no model is configured: give one, such as anthropic/claude-sonnet-4-5 (--model, `[runtime] model`, LEMON_MODEL)",
      { field: "model", expected: "provider/model-id" },
    );
  }
}

/** The session's actors crashed again and again, and its supervisor gave up. Code `LEMON_SESSION_FAILED`. */
export class SessionFailedError extends LemonError {
  constructor(id: string) {
    super(
      "session_failed",
      `session ${id} crashed too often and was given up; its log is whole: resume it to go on`,
    );
  }
}

/** An option is not what it may be. Code `LEMON_INVALID_OPTIONS`; `field` names it. */
export class InvalidOptionsError extends LemonError {
  constructor(field: string, expected: string, got: unknown) {
    const given = kindOf(got);
    super("invalid_options", `${field}: expected ${expected}, got ${given}`, { field, expected, got: given });
  }
}

/** A prompt or message has nothing in it. Code `LEMON_EMPTY_PROMPT`. */
export class EmptyPromptError extends LemonError {
  constructor() {
    super("empty_prompt", "a prompt needs text or an image", {
      field: "prompt",
      expected: "text that is not blank",
    });
  }
}

/** Neither text nor a list of blocks, or the data of an image is not base64. Code `LEMON_INVALID_PROMPT`. */
export class InvalidPromptError extends LemonError {
  constructor(got: string, field = "prompt", expected = "text or a list of blocks") {
    super("invalid_prompt", `${field}: expected ${expected}, got ${got}`, { field, expected, got });
  }
}

/** The signal had fired before there was anything to abort, so nothing was begun. Code `LEMON_ABORTED`. */
export class AbortedError extends LemonError {
  constructor(reason: string) {
    super("aborted", reason);
  }
}

/** A tool that was handed to a session can't be used. Code `LEMON_INVALID_TOOL`. */
export class InvalidToolError extends LemonError {
  constructor(problem: string) {
    super("invalid_tool", problem, { field: "customTools" });
  }
}

/** Extensions can't be reloaded while a model answers or another call runs or waits. Code `LEMON_SESSION_STREAMING`. */
export class SessionStreamingError extends LemonError {
  constructor(id: string, asker: "program" | "call") {
    const when =
      asker === "call"
        ? "a call can reload extensions when no other call of its answer runs or waits"
        : "extensions can be reloaded when its run has ended";
    super("session_streaming", `session ${id} is at work: ${when}`, { field: "sessionId" });
  }
}

/** A reload failed as a whole and changed nothing; `cause` says why. Code `LEMON_RELOAD_FAILED`. */
export class ReloadFailedError extends LemonError {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super("reload_failed", `Extensions could not be reloaded, and are as they were: ${why}`, { cause });
  }
}

/** Extensions that are to judge stored sessions can't be used: nothing is judged. Code `LEMON_INVALID_EXTENSIONS`. */
export class InvalidExtensionsError extends LemonError {
  /** One for each fault, with the place that it is about. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super("invalid_extensions", `the extensions can't be used: ${faults.join("; ")}`, {
      field: "extensions",
      expected: "extensions that load and are valid",
    });
    this.faults = faults;
  }
}
