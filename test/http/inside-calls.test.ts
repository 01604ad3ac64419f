/** Calls that the process makes of its own interface. */
import { fastify } from "fastify";
import { expect, test } from "vitest";
import { callOwn } from "../../src/http/internal/dispatch.ts";
import { Tickets, ticketHeader } from "../../src/http/internal/one-time-tokens.ts";
import { open } from "../../src/model/principal.ts";

test("a ticket that nobody asked for is void when the call is answered", async () => {
  const app = fastify();
  let ticket: unknown;
  app.addHook("onRequest", async ({ headers }) => {
    ticket = headers[ticketHeader];
  });
  const tickets = new Tickets();
  const call = { method: "GET", endpoint: "/nowhere", payload: null, idempotencyKey: "k" } as const;
  const signal = new AbortController().signal;
  const answer = await callOwn(app, tickets, { ...call, caller: open, runId: undefined, signal });
  expect([answer.status, ticket]).toEqual([404, expect.any(String)]);
  expect(tickets.take({ [ticketHeader]: String(ticket) })).toBeUndefined();
});
