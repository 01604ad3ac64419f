/** Failed model calls: whether and when to retry, and the error text for clients. */
import { APICallError } from "@ai-sdk/provider";
import type { Clock, Randomness } from "../../model/runtime.ts";
import { RunFailure } from "../loops/contract.ts";
import { withoutSecrets } from "../redact.ts";
import type { CallableModel } from "./model-adapter.ts";

const firstDelay = 500;
const maxDelay = 30_000;
/** If a provider requests a longer wait than this, the call is not retried. */
const maxRequestedDelay = 120_000;

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** Fields of providers' errors: thrown errors, and plain objects in streams. */
interface ProviderError {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Thrown when the answer's stream ended before the answer was complete. */
export class AnswerCutOff extends Error {
  override readonly name = "AnswerCutOff";
}

/**
 * Milliseconds to wait before attempt number `tried + 1`, or undefined when a retry is useless.
 * A delay that the provider requests (`retry-after-ms`, `retry-after`: RFC 9110 section 10.2.3) applies; otherwise the wait doubles, with jitter.
 */
export function delayBeforeRetry(
  error: unknown,
  attempt: number,
  { clock, randomness }: { readonly clock: Clock; readonly randomness: Randomness },
): number | undefined {
  if (!isRetryable(error)) return undefined;
  const requested = requestedDelay(error, clock);
  if (requested !== undefined) return requested <= maxRequestedDelay ? requested : undefined;
  const ceiling = Math.min(maxDelay, firstDelay * 2 ** (attempt - 1));
  return ceiling / 2 + (ceiling / 2) * randomness.fraction();
}

/** The failure of a model request, with a text fit for clients. */
export class ModelFailure extends RunFailure {
  readonly #isOutage: boolean;

  constructor(type: string, message: string, cause: unknown, isOutage: boolean) {
    super(type, message, cause);
    this.#isOutage = isOutage;
  }

  /** Whether another model can answer the request: its provider is unavailable, and no part of an answer was shown. */
  get isOutage(): boolean {
    return this.#isOutage;
  }
}

/** The failure that ends the run. @param isShown whether clients have seen a part of the answer */
export function toFailure(error: unknown, model: CallableModel, attempt: number, isShown: boolean): ModelFailure {
  const { statusCode } = (error ?? {}) as ProviderError;
  const providerText = withoutSecrets(textOf(error)).trim();
  const text =
    providerText ||
    `${model.provider} failed${typeof statusCode === "number" ? ` with status ${statusCode}` : ""} without a reason.`;
  const hint =
    statusCode === 401 || statusCode === 403
      ? ` (${model.provider} refused the credentials for the model ${model.id}: check its API key)`
      : attempt > 1
        ? ` (tried ${attempt} times)`
        : "";
  const type = statusCode === 429 ? "model_rate_limit_error" : "model_provider_error";
  return new ModelFailure(type, text + hint, causeOf(error), !isShown && isRetryable(error));
}

/** The error for the log: message and stack without keys, and without the request. */
function causeOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const cause = new Error(withoutSecrets(error.message));
  cause.stack = withoutSecrets(error.stack ?? "");
  return cause;
}

function isRetryable(error: unknown): boolean {
  if (error instanceof AnswerCutOff) return true;
  if (APICallError.isInstance(error)) return error.isRetryable || error.statusCode === 529;
  if (typeof error !== "object" || error === null) return false;
  const { isRetryable: told, statusCode } = error as ProviderError;
  if (typeof told === "boolean") return told;
  if (typeof statusCode === "number") return statusCode === 408 || statusCode === 429 || statusCode >= 500;
  return isNetworkError(error);
}

function isNetworkError(error: unknown): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (networkCodes.has(String((current as ProviderError).code))) return true;
    if (current instanceof TypeError && /^(fetch failed|terminated)$/.test(current.message)) return true;
    current = current.cause;
  }
  return false;
}

function requestedDelay(error: unknown, clock: Clock): number | undefined {
  const headers = (error as ProviderError).responseHeaders;
  const milliseconds = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const after = headers?.["retry-after"];
  if (!after) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number.parseFloat(after) * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now());
}

function textOf(error: unknown): string {
  if (typeof error === "string") return error;
  const { message, error: inner } = (error ?? {}) as ProviderError;
  if (typeof message === "string" && message !== "") return message;
  return inner === undefined ? "" : textOf(inner);
}
