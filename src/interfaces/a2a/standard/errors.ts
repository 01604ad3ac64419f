/** Errors as both versions of the specification define them, over JSON-RPC and over HTTP (0.3 section 8, 1.0 section 5.4). */
import { TroupeError } from "../../../errors.ts";

/** One row of the table. */
interface ErrorRow {
  /** The JSON-RPC error code. */
  readonly code: number;
  /** The HTTP status. */
  readonly status: number;
  /** Name of the status in `google.rpc.Status`. */
  readonly statusName: string;
  /** Reason of the error in `google.rpc.ErrorInfo`. */
  readonly reason: string;
}

const row = (code: number, status: number, statusName: string, reason: string): ErrorRow => {
  return { code, status, statusName, reason };
};

/** Names of the errors. */
export type A2aErrorName =
  | ("jsonParse" | "invalidRequest" | "methodNotFound" | "invalidParams" | "internal")
  | ("taskNotFound" | "taskNotCancelable" | "pushNotificationNotSupported" | "unsupportedOperation")
  | ("contentTypeNotSupported" | "extendedCardNotConfigured" | "versionNotSupported");

/** The error table. A test compares `docs/a2a.md` with it. */
export const a2aErrorTable: Readonly<Record<A2aErrorName, ErrorRow>> = {
  jsonParse: row(-32700, 400, "INVALID_ARGUMENT", "JSON_PARSE"),
  invalidRequest: row(-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
  methodNotFound: row(-32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND"),
  invalidParams: row(-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
  internal: row(-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
  taskNotFound: row(-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
  taskNotCancelable: row(-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
  pushNotificationNotSupported: row(-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"),
  unsupportedOperation: row(-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
  contentTypeNotSupported: row(-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
  extendedCardNotConfigured: row(-32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
  versionNotSupported: row(-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
};

/** An error of the standard endpoints that is sent to the client. */
export class A2aError extends Error {
  override readonly name = "A2aError";
  readonly fault: A2aErrorName;
  /** The HTTP status; it may be more specific than the table's. */
  readonly status: number;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** Metadata of the error, as texts. */
  readonly about: Readonly<Record<string, string>> | undefined;

  constructor(
    fault: A2aErrorName,
    message: string,
    more: {
      status?: number;
      retryAfter?: number | undefined;
      about?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.fault = fault;
    this.status = more.status ?? a2aErrorTable[fault].status;
    this.retryAfter = more.retryAfter;
    this.about = more.about;
  }
}

/** Maps the platform's errors to A2A errors. Authentication and authorization errors are rethrown: they are answered as plain HTTP errors. */
export function toA2aError(error: unknown): A2aError {
  if (error instanceof A2aError) return error;
  if (!(error instanceof TroupeError)) return new A2aError("internal", "Internal server error", { cause: error });
  const { code, message, status, retryAfter } = error;
  switch (code) {
    case "unauthenticated":
    case "forbidden":
      throw error;
    case "notFound":
      return new A2aError("taskNotFound", message);
    case "conflict":
      return new A2aError("unsupportedOperation", message);
    case "badRequest":
    case "validation":
      return new A2aError("invalidParams", message);
    case "unsupportedMediaType":
      return new A2aError("contentTypeNotSupported", message, { status });
    case "tooLarge":
      return new A2aError("invalidParams", message, { status });
    case "internal":
      return new A2aError("internal", "Internal server error", { cause: error });
    default:
      return new A2aError("internal", message, { status, retryAfter });
  }
}

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";
const domain = "a2a-protocol.org";

type Json = Readonly<Record<string, unknown>>;

function detailsOf({ fault, about }: A2aError): readonly Json[] {
  const { reason } = a2aErrorTable[fault];
  return [{ "@type": errorInfo, reason, domain, ...(about && { metadata: about }) }];
}

/** A JSON-RPC error object. */
export function rpcError(fault: A2aError): Json {
  const { code } = a2aErrorTable[fault.fault];
  return { code, message: fault.message, data: detailsOf(fault) };
}

/** The body of an HTTP error in 1.0. */
export function restError10(fault: A2aError): Json {
  const { statusName } = a2aErrorTable[fault.fault];
  return { error: { code: fault.status, status: statusName, message: fault.message, details: detailsOf(fault) } };
}

/** The body of an HTTP error for clients of 0.3: the JSON-RPC error object alone. */
export function restError03(fault: A2aError): Json {
  return rpcError(fault);
}
