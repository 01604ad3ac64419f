/** Errors of requests to the server. */
import { RequestError } from "@troupe/client";

/** A value of a request that the server rejects. */
export interface Fault {
  /** Where it is: `["body", "cron_expr"]`. */
  readonly path: readonly string[];
  readonly message: string;
}

/** The server rejected a request, or could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Id under which the server logged the request; undefined if there was no response. */
  readonly requestId: string | undefined;
  /** `error_code` of the response. */
  readonly code: string | undefined;
  /** Values of the request that the server rejects. */
  readonly faults: readonly Fault[];

  constructor(
    message: string,
    facts: { status: number; requestId?: string | undefined; code?: string | undefined; faults?: readonly Fault[] },
  ) {
    super(message);
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.code = facts.code;
    this.faults = facts.faults ?? [];
  }
}

/** An error as the console shows it. */
export interface ShownError {
  readonly title: string;
  readonly message: string;
  /** What the caller can do. */
  readonly advice: string;
  readonly requestId: string | undefined;
}

const unreachable = "Check that the server runs and that this machine can reach it. The console tries again by itself.";

const known: Readonly<Record<number, readonly [title: string, advice: string]>> = {
  0: ["The server cannot be reached", unreachable],
  400: ["The request is not valid", "Correct the value that the message names."],
  401: ["You are not signed in", "Sign in, then try again."],
  403: ["You may not do this", "Ask an operator for the scope that the message names."],
  404: ["It does not exist", "It may have been deleted, or it may belong to another user."],
  409: ["It changed in the meantime", "Reload the page, then try again."],
  413: ["The request is too large", "Send less data."],
  422: ["The request is not valid", "Correct the value that the message names."],
  429: ["Too many requests", "Wait a moment, then try again."],
  502: ["The server cannot be reached", unreachable],
  503: ["The server is not available now", "Wait a moment, then try again. `GET /health/ready` reports the reason."],
  504: ["The server cannot be reached", unreachable],
};

const unexpected = ["The server failed", "Search the server's log for the request id."] as const;
const broken = ["The page failed", "Reload the page. If it fails again, report the message."] as const;

/** Converts any error to texts for the caller. */
export function toShownError(error: unknown): ShownError {
  if (error instanceof ApiError || error instanceof RequestError) {
    const [title, advice] = known[error.status] ?? unexpected;
    const requestId = error instanceof ApiError ? error.requestId : undefined;
    return { title, message: error.message, advice, requestId };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { title: broken[0], message, advice: broken[1], requestId: undefined };
}
