/**
 * The one table of errors: what went wrong, which HTTP status says so, and what the caller can do next.
 * Each protocol maps it at its own border; internal detail never leaves.
 */

/** One row of the table. */
export interface ErrorKind {
  readonly status: number;
  /** `error_code` on the wire; null where the interface sends `detail` only. */
  readonly wireCode: string | null;
  /** What the caller does next. `follow`: the request has started a run that goes on; sent again it may start another. */
  readonly next: "stop" | "retry" | "follow";
}

/** Names of the errors in the table. */
export type ErrorName =
  | "badRequest"
  | "unauthenticated"
  | "forbidden"
  | "notFound"
  | "methodNotAllowed"
  | "requestTimeout"
  | "conflict"
  | "tooLarge"
  | "uriTooLong"
  | "unsupportedMediaType"
  | "expectationFailed"
  | "validation"
  | "tooManyRequests"
  | "headersTooLarge"
  | "internal"
  | "runFailed"
  | "factoryFailed"
  | "badGateway"
  | "unavailable"
  | "runContinues"
  | "unsupported";

/** Every error a client can be given. `docs/errors.md` is held to this table by a test. */
export const errorTable: Readonly<Record<ErrorName, ErrorKind>> = {
  badRequest: { status: 400, wireCode: "BAD_REQUEST", next: "stop" },
  unauthenticated: { status: 401, wireCode: "UNAUTHENTICATED", next: "stop" },
  forbidden: { status: 403, wireCode: null, next: "stop" },
  notFound: { status: 404, wireCode: "NOT_FOUND", next: "stop" },
  methodNotAllowed: { status: 405, wireCode: "METHOD_NOT_ALLOWED", next: "stop" },
  requestTimeout: { status: 408, wireCode: "REQUEST_TIMEOUT", next: "retry" },
  conflict: { status: 409, wireCode: "CONFLICT", next: "stop" },
  tooLarge: { status: 413, wireCode: "PAYLOAD_TOO_LARGE", next: "stop" },
  uriTooLong: { status: 414, wireCode: "URI_TOO_LONG", next: "stop" },
  unsupportedMediaType: { status: 415, wireCode: "UNSUPPORTED_MEDIA_TYPE", next: "stop" },
  expectationFailed: { status: 417, wireCode: "EXPECTATION_FAILED", next: "stop" },
  validation: { status: 422, wireCode: "VALIDATION_ERROR", next: "stop" },
  tooManyRequests: { status: 429, wireCode: "TOO_MANY_REQUESTS", next: "retry" },
  headersTooLarge: { status: 431, wireCode: "REQUEST_HEADER_FIELDS_TOO_LARGE", next: "stop" },
  internal: { status: 500, wireCode: "INTERNAL_SERVER_ERROR", next: "retry" },
  runFailed: { status: 500, wireCode: "RUN_FAILED", next: "stop" },
  factoryFailed: { status: 500, wireCode: "INTERNAL_SERVER_ERROR", next: "retry" },
  badGateway: { status: 502, wireCode: "BAD_GATEWAY", next: "retry" },
  unavailable: { status: 503, wireCode: "SERVICE_UNAVAILABLE", next: "retry" },
  runContinues: { status: 503, wireCode: "RUN_CONTINUES", next: "follow" },
  unsupported: { status: 503, wireCode: null, next: "stop" },
};

/** One fault of a request, as the contract's validation errors list them. */
export interface FieldFault {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A fault that no schema finds. */
export function valueFault(loc: FieldFault["loc"], error: string): FieldFault {
  return { type: "value_error", loc, msg: `Value error, ${error}`, input: null, ctx: { error } };
}

/** Seconds to wait where nothing says more: `Retry-After` of what is refused for now. */
export const usualRetryAfter = 5;

/** Anything further that a border may need to say. */
export interface ErrorOptions {
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** The faults, for `validation`. */
  readonly faults?: readonly FieldFault[];
  /** How to say who is calling, for `unauthenticated` (RFC 6750 section 3). */
  readonly challenge?: string;
  readonly cause?: unknown;
}

/** An error that a client is told: the message becomes `detail`, so it must be fit for strangers. */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: ErrorName;
  readonly retryAfter: number | undefined;
  readonly faults: readonly FieldFault[] | undefined;
  readonly challenge: string | undefined;

  constructor(code: ErrorName, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.faults = options.faults;
    this.challenge = options.challenge;
  }

  /** HTTP status of this error. */
  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Whether the database did not answer: the same may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof TroupeError && error.code === "unavailable";
}

/** A wrong definition or setting: start-up fails with it, naming what to mend. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** A bug of ours, never a client's doing. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}
