/** Errors of the client. */
import { errorTable } from "../src/errors.ts";

type RequestFacts = Partial<Pick<RequestError, "status" | "code" | "retryAfter" | "body" | "cause">>;

/** The server rejected a request, or was unreachable for longer than `retryFor`. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** `error_code` of the response (docs/errors.md); undefined if the response has none. */
  readonly code: string | undefined;
  /** Seconds to wait before a retry, if the server specified it. */
  readonly retryAfter: number | undefined;
  /** Body of the response: parsed if it is JSON, otherwise a string. */
  readonly body: unknown;

  constructor(message: string, answer: RequestFacts) {
    super(message, answer.cause === undefined ? undefined : { cause: answer.cause });
    this.status = answer.status ?? 0;
    this.code = answer.code;
    this.retryAfter = answer.retryAfter;
    this.body = answer.body;
  }

  /** Whether a retry of the same request may succeed: the server was unreachable, or it sent `Retry-After`. */
  get isTemporary(): boolean {
    if (this.status === 0) return true;
    // A response without `detail` comes from a proxy, so only its status counts.
    if (!isOurs(this.body)) return [429, 502, 503, 504].includes(this.status);
    const kinds = Object.values(errorTable).filter(({ status }) => status === this.status && status !== 500);
    return kinds.some(({ wireCode, next }) => wireCode === (this.code ?? null) && next === "retry");
  }
}

/**
 * Events after the cursor are no longer stored (docs/protocol.md, L4). To continue with the remaining events, follow from the cursor
 * `firstAvailable - 1`.
 */
export class GapError extends Error {
  override readonly name = "GapError";
  readonly firstAvailable: number;

  constructor(cursor: number, firstAvailable: number) {
    super(`The events ${cursor + 1} to ${firstAvailable - 1} of the run are no longer kept.`);
    this.firstAvailable = firstAvailable;
  }
}

/** Returns the run that a rejected request has nevertheless started or continued, so that the client can follow it. @throws any other error */
export function runThatContinues(error: unknown): { readonly runId: string; readonly sessionId: string } {
  if (!(error instanceof RequestError) || error.code !== "RUN_CONTINUES") throw error;
  const { run_id: runId, session_id: sessionId } = error.body as {
    readonly run_id: string;
    readonly session_id: string;
  };
  return { runId, sessionId };
}

/** Converts a response with an error status to an error. It reads the body. */
export async function toRequestError(response: Response): Promise<RequestError> {
  const text = await response.text().catch(() => "");
  const body = parsed(text);
  const { detail, error_code } = isOurs(body) ? body : {};
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const message =
    typeof detail === "string"
      ? detail
      : `The server answered with the status ${response.status}: ${text.slice(0, 500)}`;
  return new RequestError(message, {
    status: response.status,
    code: typeof error_code === "string" ? error_code : undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    body,
  });
}

/** Every error of the server has a `detail`. */
function isOurs(body: unknown): body is { readonly detail: unknown; readonly error_code?: unknown } {
  return typeof body === "object" && body !== null && "detail" in body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
