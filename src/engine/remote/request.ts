/** Requests to other servers, with bounds for time and size. */
import type { Remote } from "../../define/remote.ts";
import type { UpstreamCall, UpstreamParts } from "./upstream.ts";
import { UpstreamRefusal, UpstreamUnreachable } from "./upstream-errors.ts";

/** Maximum number of characters of another server's error text that are passed on. */
const maxDetailLength = 1_000;
/** Maximum size of a response that is not a stream, in bytes. */
const maxResponseBytes = 32 * 1024 * 1024;

type Fields = Readonly<Record<string, string>>;

/** A request to another server. */
export interface UpstreamRequest {
  readonly method: "GET" | "POST";
  /** Appended to the server's address; empty for the address itself. */
  readonly path: string;
  /** Replaces the server's own address. */
  readonly url?: string;
  readonly fields?: Fields;
  readonly json?: string;
  readonly headers?: Fields;
}

/** A response whose body has not been read yet. */
export interface UpstreamResponse {
  readonly response: Response;
  /** Call it whenever data arrives: silence ends the reading. */
  readonly touch: () => void;
  readonly stop: () => void;
}

/** Sends only what the parameters contain: no cookies, and no header of the caller except the bearer and the trace context. Follows no redirects. */
export async function sendUpstream(
  { target, name }: Remote,
  { runtime: { clock }, settings }: UpstreamParts,
  { method, path, url = target.url, fields, json, headers }: UpstreamRequest,
  { bearer, signal, trace }: UpstreamCall,
): Promise<UpstreamResponse> {
  const late = new AbortController();
  const wait = (milliseconds: number): (() => void) =>
    clock.after(milliseconds, () => late.abort(new UpstreamUnreachable(`it was silent for ${milliseconds / 1000} s`)));
  let stop = wait(settings.remoteTimeout);
  const touch = (): void => {
    stop();
    stop = wait(settings.remoteIdleTimeout);
  };
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...trace, ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }) },
      ...(fields ? { body: new URLSearchParams(fields) } : {}),
      ...(json === undefined ? {} : { body: json }),
      redirect: "error",
      credentials: "omit",
      signal: AbortSignal.any([signal, late.signal]),
    });
    touch();
    if (response.ok) return { response, touch, stop: () => stop() };
    throw await refusalOf(response, name);
  } catch (error) {
    stop();
    if (error instanceof UpstreamRefusal) throw error;
    throw toUnreachable(signal, error);
  }
}

/** The stop of the local run is thrown unchanged; every other error is reported as an error of the other server. */
function toUnreachable(signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof UpstreamUnreachable) return error;
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  const code = typeof cause?.code === "string" ? cause.code : undefined;
  return new UpstreamUnreachable(
    code === "ECONNREFUSED" ? "the connection was refused" : (code ?? "the connection broke"),
    {
      cause: error,
    },
  );
}

async function refusalOf(response: Response, name: string): Promise<UpstreamRefusal> {
  const text = await bounded(response).catch(() => "");
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new UpstreamRefusal(
    response.status,
    detailIn(text) ?? `${name} answered with the status ${response.status}`,
    Number.isFinite(retryAfter) && retryAfter > 0 ? Math.ceil(retryAfter) : undefined,
  );
}

function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    const shown = typeof detail === "string" ? detail : detail === undefined ? undefined : JSON.stringify(detail);
    return shown?.slice(0, maxDetailLength).toWellFormed();
  } catch {
    return undefined;
  }
}

/**
 * Reads the whole body of a response that is not a stream. The idle time-out bounds the reading as a whole: a server that sends single bytes must not
 * hold its caller.
 */
export async function readText({ response, stop }: UpstreamResponse): Promise<string> {
  try {
    return await bounded(response);
  } finally {
    stop();
  }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxResponseBytes) throw new UpstreamUnreachable("its answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
