/**
 * The table of all errors: the HTTP status of each error, and what the caller can do next. Each protocol maps the errors at its own border;
 * internal details never leave the server.
 */

/** One row of the table. */
export interface ErrorKind {
  readonly status: number;
  /** `error_code` on the wire; null if the response has only `detail`. */
  readonly wireCode: string | null;
  /** The caller's next action. `follow`: the request has started a run that continues; a repeated request may start another one. */
  readonly next: "stop" | "retry" | "follow";
}

/** Names of the errors in the table. */
export type ErrorName =
  | "badRequest"
  | "runRefused"
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
  | "limitExceeded"
  | "headersTooLarge"
  | "internal"
  | "runFailed"
  | "factoryFailed"
  | "badGateway"
  | "unavailable"
  | "runContinues"
  | "unsupported";

/** Every error that a client can receive. A test compares `docs/errors.md` with this table. */
export const errorTable: Readonly<Record<ErrorName, ErrorKind>> = {
  badRequest: { status: 400, wireCode: "BAD_REQUEST", next: "stop" },
  runRefused: { status: 400, wireCode: "RUN_REFUSED", next: "stop" },
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
  limitExceeded: { status: 429, wireCode: "LIMIT_EXCEEDED", next: "retry" },
  headersTooLarge: { status: 431, wireCode: "REQUEST_HEADER_FIELDS_TOO_LARGE", next: "stop" },
  internal: { status: 500, wireCode: "INTERNAL_SERVER_ERROR", next: "retry" },
  runFailed: { status: 500, wireCode: "RUN_FAILED", next: "stop" },
  factoryFailed: { status: 500, wireCode: "INTERNAL_SERVER_ERROR", next: "retry" },
  badGateway: { status: 502, wireCode: "BAD_GATEWAY", next: "retry" },
  unavailable: { status: 503, wireCode: "SERVICE_UNAVAILABLE", next: "retry" },
  runContinues: { status: 503, wireCode: "RUN_CONTINUES", next: "follow" },
  unsupported: { status: 503, wireCode: null, next: "stop" },
};

/** One fault of a request, in the form of the contract's validation errors. */
export interface FieldFault {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Returns a fault for a rule that a schema cannot express. */
export function valueFault(loc: FieldFault["loc"], error: string): FieldFault {
  return { type: "value_error", loc, msg: `Value error, ${error}`, input: null, ctx: { error } };
}

/** Default of `Retry-After`, in seconds. */
export const defaultRetryAfter = 5;

/** The state of a caller's rate limit, as the header fields `RateLimit-*` report it. */
export interface RateState {
  /** Number of requests or starts in one window. */
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly window: number;
  /** How many are left now. */
  readonly remaining: number;
  /** Seconds until all of `limit` are available again. */
  readonly reset: number;
}

/** Additional data of an error. */
export interface ErrorOptions {
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** The exceeded rate limit, for `tooManyRequests`. */
  readonly rate?: RateState;
  /** The faults of a request, for `validation`. */
  readonly faults?: readonly FieldFault[];
  /** Further members of the body, for `limitExceeded`. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The `WWW-Authenticate` challenge, for `unauthenticated` (RFC 6750 section 3). */
  readonly challenge?: string;
  readonly cause?: unknown;
}

/** An error that clients receive. The message becomes `detail`, so it must not contain internal details. */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: ErrorName;
  readonly retryAfter: number | undefined;
  readonly rate: RateState | undefined;
  readonly faults: readonly FieldFault[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly challenge: string | undefined;

  constructor(code: ErrorName, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.rate = options.rate;
    this.faults = options.faults;
    this.details = options.details;
    this.challenge = options.challenge;
  }

  /** HTTP status of this error. */
  get status(): number {
    return errorTable[this.code].status;
  }
}

/** A stored value cannot be read, because it is damaged or its key does not exist. The message has no part of the value. */
export class DamagedValue extends TroupeError {
  constructor(cause?: unknown) {
    super("internal", "A stored value cannot be decrypted", cause === undefined ? {} : { cause });
  }
}

/**
 * Returns an error as clients may see it. Errors that are not meant for clients become `internal` without their details, and with the original as
 * `cause` for the log.
 */
export function toClientError(error: unknown): TroupeError {
  if (error instanceof TroupeError && error.code !== "internal") return error;
  return new TroupeError("internal", "Internal server error", { cause: error });
}

/** Whether the database was unavailable, so that the same operation may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof TroupeError && error.code === "unavailable";
}

/** An invalid definition or setting. Start-up fails with it; the message names the fix. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** An internal bug, never caused by a client. */
export class InvariantError extends Error {
  override readonly name = "InvariantError";
}
