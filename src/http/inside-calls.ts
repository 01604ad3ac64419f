/** Calls that this process makes of its own interface: the same routes, checks and answers as for every client, without a socket. */
import type { FastifyInstance } from "fastify";
import type { Demand } from "../auth/access.ts";
import { isOpen } from "./access.ts";
import type { Route } from "./route.ts";
import { type Ticket, type Tickets, ticketHeader } from "./tickets.ts";

/** A call to an endpoint. */
export interface OwnCall extends Ticket {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly endpoint: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly idempotencyKey: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A route that serves an endpoint. */
export interface OwnRoute {
  readonly demand: Demand;
  readonly id: string | undefined;
  readonly isStart: boolean;
}

const base = "http://localhost";
const starts = /^\/(agents|teams|workflows)\/\{\w+\}\/runs$/;

/** The route that serves an endpoint; undefined for a path that is not of this platform, or that a schedule must not call. */
export function findOwn(app: FastifyInstance, method: string, endpoint: string): OwnRoute | undefined {
  const url = endpoint.startsWith("/") ? URL.parse(endpoint, base) : null;
  if (url?.origin !== base || url.hash !== "") return undefined;
  const parts = url.pathname.split("/");
  const serving = app.routes
    .filter((route) => route.method === method && fits(route.path.split("/"), parts))
    // The route's own words win over parameters, as in the router.
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length)[0];
  if (!serving || serving.path.endsWith("/trigger")) return undefined;
  const isStart = method === "POST" && starts.test(serving.path);
  return { demand: app.demandOf(serving), id: idOf(serving, parts), isStart };
}

/** Longest answer that is read, in characters: of a success nothing is kept, of a failure its beginning. */
const longestText = 10_000;

/** Calls an endpoint in somebody's name. */
export async function callOwn(
  app: FastifyInstance,
  tickets: Tickets,
  call: OwnCall,
): Promise<{ readonly status: number; readonly text: string }> {
  const { caller, runId, method, endpoint, payload, signal } = call;
  const body = runId === undefined ? jsonBody(call) : formBody(payload ?? {});
  const headers = { ...body.headers, [ticketHeader]: tickets.issue({ caller, runId }) };
  const answer = await app.inject({ method, url: endpoint, ...body, headers, payloadAsStream: true });
  const stream = answer.stream().setEncoding("utf8");
  const leave = (): void => {
    // As a client that leaves: the route sees its response close.
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

/** A start in the background: values as text, objects as JSON. */
function formBody(payload: Readonly<Record<string, unknown>>): Body {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...payload, stream: false, background: true })) {
    if (value === null || value === undefined) continue;
    fields.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return { headers: { "content-type": "application/x-www-form-urlencoded" }, payload: fields.toString() };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((word, place) => (word.startsWith("{") ? parts[place] !== "" : word === parts[place]))
  );
}

function idOf({ path, access }: Route, parts: readonly string[]): string | undefined {
  if (isOpen(access) || access.idParam === undefined) return undefined;
  const part = parts[path.split("/").indexOf(`{${access.idParam}}`)];
  try {
    return part === undefined ? undefined : decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
