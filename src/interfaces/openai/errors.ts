/** Errors in the form of this protocol. */
import { type ErrorName, TroupeError } from "../../errors.ts";
import type { ErrorAnswer, ErrorForm } from "../../http/transport/route.ts";

/** An error, as clients receive it. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** `type` of a fault of a request that names a parameter that this server does not support. */
export const unsupportedParameter = "unsupported_parameter";

/** Codes of errors, as the protocol has them where it has one. */
const codes: Partial<Record<ErrorName, string>> = {
  unauthenticated: "invalid_api_key",
  forbidden: "permission_denied",
  conflict: "conflict",
  tooLarge: "request_too_large",
  tooManyRequests: "rate_limit_exceeded",
  limitExceeded: "insufficient_quota",
  runFailed: "run_failed",
  runRefused: "content_policy_violation",
  runContinues: "run_continues",
  unavailable: "unavailable",
};

/** Errors for which a client of this protocol must not repeat its request, although it would by their status. */
const final: ReadonlySet<ErrorName> = new Set(["conflict", "limitExceeded", "runFailed", "runContinues"]);

/** The answer to an error. Faults of the input have the status 400, as clients of this protocol expect. */
export const toErrorAnswer: ErrorForm = (error): ErrorAnswer => ({
  status: error.code === "validation" ? 400 : error.status,
  body: { error: toError(error) },
  ...(final.has(error.code) && { headers: { "x-should-retry": "false" } }),
});

/** The error in the form of this protocol. */
export function toError(error: TroupeError): OpenAiError {
  const { code, status, faults = [] } = error;
  const [fault] = faults;
  const param = typeof fault?.loc[1] === "string" ? paramOf(fault.loc.slice(1)) : null;
  return {
    message: code === "internal" ? "Internal server error" : error.message.replace(/^(body|query|path)\./, ""),
    type: typeOf(code, status),
    param: code === "notFound" && error.message.startsWith("The model ") ? "model" : param,
    code: fault?.type === unsupportedParameter ? unsupportedParameter : codeOf(error),
  };
}

function codeOf({ code, message }: TroupeError): string | null {
  if (code === "notFound") return message.startsWith("The model ") ? "model_not_found" : "not_found";
  return codes[code] ?? null;
}

function typeOf(code: ErrorName, status: number): string {
  if (code === "limitExceeded") return "insufficient_quota";
  if (code === "tooManyRequests") return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

/** `messages[2].content[0]` for `["messages", 2, "content", 0]`. */
function paramOf(path: readonly (string | number)[]): string {
  return path.map((step, place) => (typeof step === "number" ? `[${step}]` : place === 0 ? step : `.${step}`)).join("");
}

/** A fault of a request's body. @param path from the body on: `["messages", 2]` */
export function invalidAt(path: readonly (string | number)[], message: string, type = "value_error"): TroupeError {
  const fault = { type, loc: ["body", ...path], msg: message, input: null };
  return new TroupeError("validation", `${paramOf(path)}: ${message}`, { faults: [fault] });
}

/** The error for a parameter that this server does not support. */
export function unsupported(name: string, advice: string): TroupeError {
  return invalidAt([name], `This parameter is not supported. ${advice}`, unsupportedParameter);
}
