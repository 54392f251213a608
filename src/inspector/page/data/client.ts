/** Asks the server. Every fault becomes an `ApiFault`, so that a panel can say what is wrong. */
import type { ErrorAnswer } from "../../api.ts";

/** Parameters of a request; `null` and `undefined` are left out. */
export type Params = Readonly<Record<string, string | number | null | undefined>>;

/** Why a request has no answer. */
export class ApiFault extends Error {
  /** `unreachable` when no server answered, `unauthorized` when the token is wrong, otherwise the server's word. */
  readonly reason: string;
  readonly field: string | null;

  constructor(reason: string, message: string, field: string | null = null) {
    super(message);
    this.name = "ApiFault";
    this.reason = reason;
    this.field = field;
  }
}

/** The server of this page. */
export interface Client {
  /** @throws ApiFault, or the signal's reason when it was aborted */
  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer>;
  /** @throws ApiFault */
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** A stream of text. @throws ApiFault */
  stream(path: string, signal: AbortSignal): Promise<ReadableStream<string>>;
}

/** A client that shows `token` with every request. */
export function clientWith(token: string): Client {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, cache: "no-store", credentials: "omit" });
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      throw new ApiFault("unreachable", "The server does not answer.");
    }
    if (!response.ok) throw await faultOf(response);
    return response;
  };
  return {
    // The server is this package's own, of the same version: its answers are what api.ts says.
    get: async <Answer>(path: string, signal?: AbortSignal) =>
      (await (await ask(path, signal === undefined ? {} : { signal })).json()) as Answer,
    post: async <Answer>(path: string, body: unknown) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      return (await (await ask(path, init)).json()) as Answer;
    },
    stream: async (path, signal) => {
      const { body } = await ask(path, { signal });
      if (body === null) throw new ApiFault("unreachable", "The server sent no stream.");
      return body.pipeThrough(new TextDecoderStream());
    },
  };
}

/** A path with its parameters. */
export function pathOf(path: string, params: Params = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** A path under a session. */
export function sessionPath(sessionId: string, rest: string, params: Params = {}): string {
  return pathOf(`/api/sessions/${encodeURIComponent(sessionId)}${rest}`, params);
}

/** Any thrown thing as a fault. */
export function asFault(error: unknown): ApiFault {
  if (error instanceof ApiFault) return error;
  return new ApiFault("failed", error instanceof Error ? error.message : String(error));
}

async function faultOf(response: Response): Promise<ApiFault> {
  if (response.status === 401) return new ApiFault("unauthorized", "The server does not know this token.");
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    const hint = error.expected === undefined ? "" : ` Expected ${error.expected}.`;
    return new ApiFault(error.reason, error.message + hint, error.field ?? null);
  } catch {
    return new ApiFault("failed", `The server answered with status ${response.status}.`);
  }
}
