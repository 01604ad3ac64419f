/** Converts errors to HTTP answers: the error table gives the status, and internal details are never sent. */
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorName, errorTable, type FieldFault, TroupeError, toClientError, valueFault } from "../../errors.ts";
import type { Log } from "../../model/runtime.ts";
import { unreadable } from "../input/refusals.ts";
import { setRateHeaders } from "./rate-headers.ts";

/** The body of an error; 403 has `detail` only. */
export function errorBody(code: ErrorName, detail: unknown): { detail: unknown; error_code?: string } {
  const { wireCode } = errorTable[code];
  return wireCode === null ? { detail } : { detail, error_code: wireCode };
}

/** Answers a request with an error. Errors that are not meant for clients are logged under the request's id and reported as internal. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const clientError = toHttpError(error);
  if (clientError.code === "internal") {
    const { method, url } = request;
    log.error({ error, requestId: request.id, method, path: url.split("?", 1)[0] }, "A request failed.");
  }
  if (clientError.retryAfter !== undefined) reply.header("retry-after", String(clientError.retryAfter));
  if (clientError.rate) setRateHeaders(reply, clientError.rate);
  if (clientError.code === "unauthenticated") reply.header("www-authenticate", challengeOf(clientError, request));
  // RFC 9110 section 12.5.3: only content codings are rejected with this status.
  if (clientError.code === "unsupportedMediaType") reply.header("accept-encoding", "identity");
  // The handler may have failed after it set the caching of its own answer.
  reply.header("cache-control", "no-store");
  const { faults, errorForm } = request.routeOptions?.config ?? {};
  if (errorForm) {
    const { status, body, headers = {} } = errorForm(clientError);
    reply.code(status).headers(headers).send(body);
    return;
  }
  reply.code(clientError.status).send(bodyOf(clientError, faults));
}

/** The challenge of a rejected credential; it names the OAuth metadata of the route, if there is any (RFC 9728, section 5.1). */
function challengeOf({ challenge = "Bearer" }: TroupeError, request: FastifyRequest): string {
  const url = request.routeOptions?.config?.challengeUrl?.(request);
  if (url === undefined) return challenge;
  return `${challenge}${challenge.includes("=") ? "," : ""} resource_metadata="${url.replaceAll('"', "%22")}"`;
}

function bodyOf(error: TroupeError, form: "text" | "list" | undefined): unknown {
  if (error.code === "internal") return errorBody("internal", "Internal server error");
  if (error.code === "validation" && form === "list") {
    return { detail: (error.faults ?? [valueFault(["body"], error.message)]).map(bounded) };
  }
  return { ...errorBody(error.code, error.message), ...error.details };
}

/** Maximum length of the input that a fault repeats, in characters of its JSON. */
const maxInputLength = 4_096;

/** Removes a long input from a fault: several faults may repeat the same object. */
function bounded(fault: FieldFault): Omit<FieldFault, "input"> {
  const { input, ...rest } = fault;
  return remainingLength(input, maxInputLength) < 0 ? rest : fault;
}

/** The remaining number of characters after the JSON of a value; negative if it does not fit. It reads a long value only up to the limit. */
function remainingLength(value: unknown, limit: number): number {
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" && value.length > limit ? -1 : limit - (JSON.stringify(value) ?? "").length;
  }
  let left = limit - 2;
  for (const name in value) {
    const isItem = Array.isArray(value);
    const member = (value as Record<string, unknown>)[name];
    // A name adds two quotes and a colon, and every member a comma.
    if (!isItem) left -= name.length + 3;
    left = left < 0 ? left : remainingLength(member, left - 1);
    if (left < 0) return left;
  }
  return left;
}

/** The error in the form that clients receive. */
function toHttpError(error: unknown): TroupeError {
  if (error instanceof TroupeError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === "FST_ERR_BAD_URL") return new TroupeError("badRequest", "The path has an escape that is not valid.");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return unreadable("content_type", "The content type is not valid");
  if (code?.startsWith("FST_") && statusCode !== undefined && statusCode < 500) {
    return new TroupeError(nameOf(statusCode), "The request is not valid.");
  }
  return toClientError(error);
}

function nameOf(status: number): ErrorName {
  const names = Object.keys(errorTable) as ErrorName[];
  return names.find((name) => errorTable[name].status === status) ?? "badRequest";
}
