/** Calls of this process to its own interface: the same routes, checks and answers as for external clients, without a socket. */
import type { FastifyInstance } from "fastify";
import { type Ticket, type Tickets, ticketHeader } from "./one-time-tokens.ts";

/** A call to an endpoint. */
export interface OwnCall extends Ticket {
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
const longestText = 10_000;

/** Calls an endpoint in the name of `call.caller`. */
export async function callOwn(app: FastifyInstance, tickets: Tickets, call: OwnCall): Promise<OwnAnswer> {
  const { caller, runId } = call;
  const ticket = tickets.issue({ caller, runId });
  try {
    return await callWith(app, ticket, call);
  } finally {
    // Removes the token of a call that was rejected before its authentication consumed it.
    tickets.take({ [ticketHeader]: ticket });
  }
}

async function callWith(app: FastifyInstance, ticket: string, call: OwnCall): Promise<OwnAnswer> {
  const { runId, method, endpoint, payload, signal } = call;
  const body = runId === undefined ? jsonBody(call) : formBody(payload ?? {});
  const headers = { ...body.headers, [ticketHeader]: ticket };
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
    for await (const piece of stream) if (text.length < longestText) text += piece;
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

function formBody(payload: Readonly<Record<string, unknown>>): Body {
  const fields = new URLSearchParams(formFields(payload));
  return { headers: { "content-type": "application/x-www-form-urlencoded" }, payload: fields.toString() };
}

/** The form that starts a run in the background: values as text, objects as JSON. */
export function formFields(payload: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries({ ...payload, stream: false, background: true });
  const said = given.filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    said.map(([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : String(value)]),
  );
}
