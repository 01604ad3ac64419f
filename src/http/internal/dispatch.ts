/** Calls of this process to its own interface: the same routes, checks and answers as for external clients, without a socket. */
import type { FastifyInstance } from "fastify";
import type { Principal } from "../../model/principal.ts";
import { type OneTimeTokens, oneTimeTokenHeader } from "./one-time-tokens.ts";

/** A call to an endpoint. */
export interface OwnCall {
  readonly caller: Principal;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly idempotencyKey: string;
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** The answer to a call. */
export interface OwnAnswer {
  readonly status: number;
  readonly text: string;
}

/** Maximum number of characters of an answer that are kept: enough for the beginning of an error; successful answers are not used. */
const maxTextLength = 10_000;

/** Calls an endpoint on behalf of `call.caller`. */
export async function callOwn(app: FastifyInstance, tokens: OneTimeTokens, call: OwnCall): Promise<OwnAnswer> {
  const token = tokens.issue(call.caller);
  try {
    return await callWith(app, token, call);
  } finally {
    // Removes the token of a call that was rejected before its authentication consumed it.
    tokens.take({ [oneTimeTokenHeader]: token });
  }
}

async function callWith(app: FastifyInstance, token: string, call: OwnCall): Promise<OwnAnswer> {
  const { method, endpoint, signal } = call;
  const body = jsonBody(call);
  const headers = { ...body.headers, [oneTimeTokenHeader]: token };
  const answer = await app.inject({ method, url: endpoint, ...body, headers, payloadAsStream: true });
  const stream = answer.stream().setEncoding("utf8");
  const leave = (): void => {
    // Acts like a client that disconnects: the route sees its response close.
    answer.raw.res.destroy();
    stream.destroy();
  };
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  let text = "";
  try {
    for await (const piece of stream) if (text.length < maxTextLength) text += piece;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", leave);
  }
  return { status: answer.statusCode, text };
}

interface Body {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

function jsonBody({ payload, idempotencyKey }: OwnCall): Body {
  const headers = { "idempotency-key": idempotencyKey };
  if (payload === null) return { headers };
  return { headers: { ...headers, "content-type": "application/json" }, payload: JSON.stringify(payload) };
}
