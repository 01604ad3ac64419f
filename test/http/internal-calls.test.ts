/** Calls of the process to its own HTTP interface. */
import { fastify } from "fastify";
import { expect, test } from "vitest";
import { callOwn } from "../../src/http/internal/dispatch.ts";
import { OneTimeTokens, oneTimeTokenHeader } from "../../src/http/internal/one-time-tokens.ts";
import { open } from "../../src/model/principal.ts";

test("a one-time token that no route used is invalid after the call", async () => {
  const app = fastify();
  let token: unknown;
  app.addHook("onRequest", async ({ headers }) => {
    token = headers[oneTimeTokenHeader];
  });
  const tokens = new OneTimeTokens();
  const call = { method: "GET", endpoint: "/nowhere", payload: null, idempotencyKey: "k" } as const;
  const signal = new AbortController().signal;
  const answer = await callOwn(app, tokens, { ...call, caller: open, signal });
  expect([answer.status, token]).toEqual([404, expect.any(String)]);
  expect(tokens.take({ [oneTimeTokenHeader]: String(token) })).toBeUndefined();
});
