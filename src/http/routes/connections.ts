/** The routes of a caller's connected accounts. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type { ConnectionCalls, ConnectionState } from "../../runs/connections.ts";
import { reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { type Route, route } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const path = reader(z.object({ provider: z.string() }), ({ provider }) => provider);

const userQuery = reader(z.object({ user_id: identifier.optional() }), ({ user_id: userId }) => userId);

const connection = z.object({
  provider: z.string(),
  /** Name for people. */
  title: z.string(),
  connected: z.boolean(),
  scopes: z.array(z.string()),
  /** Seconds since the epoch; null without a connection. */
  connected_at: z.int().nullable(),
});

const link = z.object({ url: z.string(), expires_at: z.int() });

const linkBody = {
  name: "ConnectionLinkRequest",
  reader: reader(
    z.object({ user_id: identifier.optional(), scopes: z.array(z.string().max(255)).max(100).optional() }),
    ({ user_id: userId, scopes = [] }) => ({ userId, scopes }),
  ),
  types: ["json"],
  required: false,
} as const;

export const connectionRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/connections",
    access: "caller",
    operation: {
      id: "list_connections",
      tag: "Connections",
      summary: "List the providers of accounts, and which of them the caller has connected",
      security: "bearer",
      success: { 200: { description: "The providers", json: z.array(connection) } },
      errors: storedErrors,
    },
    query: userQuery,
    handle: async ({ services, caller, query: userId }) =>
      (await callsOf(services)?.list(caller, userId))?.map(toRecord) ?? [],
  }),
  route({
    method: "POST",
    path: "/connections/{provider}/links",
    access: "caller",
    operation: {
      id: "create_connection_link",
      tag: "Connections",
      summary: "Create a link that connects an account of the caller in a browser; it is valid once, for ten minutes",
      security: "bearer",
      success: { 201: { description: "The link", json: link } },
      errors: bodyErrors,
    },
    pathParams: path,
    body: linkBody,
    async handle({ services, caller, path: provider, body, reply }) {
      const { url, expiresAt } = await required(services).link(caller, provider, body);
      reply.code(201);
      return { url, expires_at: Math.floor(expiresAt / 1000) };
    },
  }),
  route({
    method: "DELETE",
    path: "/connections/{provider}",
    access: "caller",
    operation: {
      id: "delete_connection",
      tag: "Connections",
      summary: "Remove a connected account of the caller, and revoke its token at the provider",
      security: "bearer",
      success: { 204: { description: "The account is no longer connected" } },
      errors: storedErrors,
    },
    pathParams: path,
    query: userQuery,
    async handle({ services, caller, path: provider, query: userId, reply }) {
      await required(services).disconnect(caller, provider, userId);
      return reply.code(204).send();
    },
  }),
];

function callsOf({ runs }: Services): ConnectionCalls | undefined {
  return runs.connections;
}

function required(services: Services): ConnectionCalls {
  const calls = callsOf(services);
  if (!calls) throw new TroupeError("notFound", "There is no such provider.");
  return calls;
}

function toRecord({ provider, title, isConnected, scopes, connectedAt }: ConnectionState): z.infer<typeof connection> {
  const connected_at = connectedAt === undefined ? null : Math.floor(connectedAt / 1000);
  return { provider, title, connected: isConnected, scopes: [...scopes], connected_at };
}
