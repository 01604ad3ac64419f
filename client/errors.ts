/** What a client of the platform can be told instead of an answer. */
import { errorTable } from "../src/errors.ts";

type RequestFacts = Partial<Pick<RequestError, "status" | "code" | "retryAfter" | "body" | "cause">>;

/** The server refused a request, or could not be asked for longer than `retryFor`. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** `error_code` of the answer (docs/errors.md); undefined where it has none. */
  readonly code: string | undefined;
  /** Seconds after which it may be asked again, where the server said so. */
  readonly retryAfter: number | undefined;
  /** The answer's body: JSON as an object, everything else as text. */
  readonly body: unknown;

  constructor(message: string, answer: RequestFacts) {
    super(message, answer.cause === undefined ? undefined : { cause: answer.cause });
    this.status = answer.status ?? 0;
    this.code = answer.code;
    this.retryAfter = answer.retryAfter;
    this.body = answer.body;
  }

  /** Whether the same request may have another answer later: nothing was reached, or the server asks to wait. */
  get isTemporary(): boolean {
    if (this.status === 0) return true;
    // What stands between the client and the server has words of its own.
    if (!isOurs(this.body)) return [429, 502, 503, 504].includes(this.status);
    const kinds = Object.values(errorTable).filter(({ status }) => status === this.status && status !== 500);
    return kinds.some(({ wireCode, next }) => wireCode === (this.code ?? null) && next === "retry");
  }
}

/** Events after the cursor are no longer kept (docs/protocol.md, L4). Following from `firstAvailable - 1` on goes on with what there is. */
export class GapError extends Error {
  override readonly name = "GapError";
  readonly firstAvailable: number;

  constructor(cursor: number, firstAvailable: number) {
    super(`The events ${cursor + 1} to ${firstAvailable - 1} of the run are no longer kept.`);
    this.firstAvailable = firstAvailable;
  }
}

/** The run that a refused request has started or continued, and that goes on: it is followed. @throws every other error */
export function runThatContinues(error: unknown): { readonly runId: string; readonly sessionId: string } {
  if (!(error instanceof RequestError) || error.code !== "RUN_CONTINUES") throw error;
  const { run_id: runId, session_id: sessionId } = error.body as {
    readonly run_id: string;
    readonly session_id: string;
  };
  return { runId, sessionId };
}

/** An answer that is no success, as an error. Reads its body. */
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

/** Every error of the platform has a `detail`. */
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
