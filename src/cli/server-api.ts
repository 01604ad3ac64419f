/** Calls a running server over HTTP. */
import { ConfigurationError } from "../errors.ts";

/** The server that a command calls. */
export interface ServerAddress {
  /** Base URL, such as `http://127.0.0.1:7777`. */
  readonly url: string;
}

/** Milliseconds that a response may take. */
const timeout = 60_000;

/** A request, and its JSON body. */
interface ServerRequest {
  readonly method?: "GET" | "POST";
  /** Begins with a slash. */
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Sends a request with the token of `TROUPE_TOKEN`, and returns status and JSON of the response.
 * @throws ConfigurationError if the server cannot be reached, or rejects the request
 */
export async function callServer(
  { url }: ServerAddress,
  { method = "GET", path, body }: ServerRequest,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const base = url.replace(/\/+$/, "");
  const target = URL.canParse(base + path) ? new URL(base + path) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    throw new ConfigurationError(`--url ${url} is not a URL such as http://127.0.0.1:7777.`);
  const token = process.env.TROUPE_TOKEN;
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, text } = await respond(target, { method, headers, ...sent, redirect: "error" });
  const json = parsed(text);
  if (status >= 200 && status < 300 && json !== undefined) return { status, json };
  const detail = (json as { readonly detail?: unknown } | undefined)?.detail;
  const hint = status === 401 && !token ? " Set TROUPE_TOKEN to a token." : "";
  const reason = detail === undefined ? "it is not a server of Troupe" : textOf(detail);
  throw new ConfigurationError(`${method} ${target.pathname} failed with ${status}: ${reason}${hint}`);
}

async function respond(url: URL, request: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(timeout) });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    throw new ConfigurationError(`No answer from ${url.origin}: ${reason}. Name the server with --url.`, {
      cause: error,
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(detail: unknown): string {
  return typeof detail === "string" ? detail : JSON.stringify(detail);
}
