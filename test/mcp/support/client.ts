/** Stock clients of the protocol, and requests without a client library. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { OpenServer } from "../../support/open-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read the answers without types
export type Any = any;

/** The address of the MCP server. */
export function addressOf(server: OpenServer): URL {
  return new URL("/mcp", server.client.address.origin);
}

/** How a stock client connects. */
export interface Connection {
  readonly headers?: Record<string, string>;
  /** Whether it uses revision 2026-07-28 instead of the handshake. */
  readonly isModern?: boolean;
  readonly fetch?: typeof fetch;
  readonly capabilities?: Record<string, object>;
}

/** Connects the official client. It is closed at the end of the test. */
export async function connect(
  server: OpenServer,
  { headers = {}, isModern, fetch, capabilities = {} }: Connection = {},
): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: isModern ? { pin: "2026-07-28" } : "legacy" } },
  );
  const transport = new StreamableHTTPClientTransport(addressOf(server), {
    requestInit: { headers },
    ...(fetch && { fetch }),
    reconnectionOptions: {
      initialReconnectionDelay: 10,
      maxReconnectionDelay: 10,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 1_000,
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}
