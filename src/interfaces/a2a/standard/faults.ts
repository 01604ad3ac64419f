/** Errors as both versions of the specification name them, over JSON-RPC and over HTTP (0.3 section 8, 1.0 section 5.4). */
import { TroupeError } from "../../../errors.ts";

/** One row of the table. */
interface FaultKind {
  /** Of JSON-RPC. */
  readonly code: number;
  /** Of HTTP. */
  readonly status: number;
  /** Name of the status, as `google.rpc.Status` has it. */
  readonly statusName: string;
  /** Of the error itself, as `google.rpc.ErrorInfo` has it. */
  readonly reason: string;
}

const row = (code: number, status: number, statusName: string, reason: string): FaultKind => {
  return { code, status, statusName, reason };
};

/** Names of what can go wrong. */
export type FaultName =
  | ("jsonParse" | "invalidRequest" | "methodNotFound" | "invalidParams" | "internal")
  | ("taskNotFound" | "taskNotCancelable" | "pushNotificationNotSupported" | "unsupportedOperation")
  | ("contentTypeNotSupported" | "extendedCardNotConfigured" | "versionNotSupported");

/** What can go wrong. `docs/a2a.md` is held to this table by a test. */
export const faultTable: Readonly<Record<FaultName, FaultKind>> = {
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

/** An error that a client of the standard endpoints is told. */
export class A2aFault extends Error {
  override readonly name = "A2aFault";
  readonly fault: FaultName;
  /** Where HTTP says more than the table. */
  readonly status: number;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** What it is about, as texts. */
  readonly about: Readonly<Record<string, string>> | undefined;

  constructor(
    fault: FaultName,
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
    this.status = more.status ?? faultTable[fault].status;
    this.retryAfter = more.retryAfter;
    this.about = more.about;
  }
}

/** How errors of this server are told here. Those that are about who is calling stay what they are: they are HTTP's. */
export function toFault(error: unknown): A2aFault {
  if (error instanceof A2aFault) return error;
  if (!(error instanceof TroupeError)) return new A2aFault("internal", "Internal server error", { cause: error });
  const { code, message, status, retryAfter } = error;
  switch (code) {
    case "unauthenticated":
    case "forbidden":
      throw error;
    case "notFound":
      return new A2aFault("taskNotFound", message);
    case "conflict":
      return new A2aFault("unsupportedOperation", message);
    case "badRequest":
    case "validation":
      return new A2aFault("invalidParams", message);
    case "unsupportedMediaType":
      return new A2aFault("contentTypeNotSupported", message, { status });
    case "tooLarge":
      return new A2aFault("invalidParams", message, { status });
    case "internal":
      return new A2aFault("internal", "Internal server error", { cause: error });
    default:
      return new A2aFault("internal", message, { status, retryAfter });
  }
}

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo";
const domain = "a2a-protocol.org";

type Json = Readonly<Record<string, unknown>>;

function detailsOf({ fault, about }: A2aFault): readonly Json[] {
  const { reason } = faultTable[fault];
  return [{ "@type": errorInfo, reason, domain, ...(about && { metadata: about }) }];
}

/** An error object of JSON-RPC. */
export function rpcError(fault: A2aFault): Json {
  const { code } = faultTable[fault.fault];
  return { code, message: fault.message, data: detailsOf(fault) };
}

/** The body of an error over HTTP, as 1.0 has it. */
export function restError10(fault: A2aFault): Json {
  const { statusName } = faultTable[fault.fault];
  return { error: { code: fault.status, status: statusName, message: fault.message, details: detailsOf(fault) } };
}

/** The body of an error over HTTP, as clients of 0.3 read it: the error object of JSON-RPC alone. */
export function restError03(fault: A2aFault): Json {
  return rpcError(fault);
}
