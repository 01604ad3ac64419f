/**
 * The socket of a connection. pg keeps it in `client.connection.stream`, which its documentation does not mention (pg 8.23). Without it, these
 * functions use the documented interface.
 */
import { Duplex } from "node:stream";
import type { Client, ClientBase } from "pg";

/** Sends several pipelined queries in one write to the socket: a separate write costs more than the query itself. */
export function sendTogether<T>(client: ClientBase, send: () => T): T {
  const socket = socketOf(client);
  socket?.cork();
  try {
    return send();
  } finally {
    socket?.uncork();
  }
}

/** Ends a connection without waiting for the server. Without its socket, statements that were already sent may delay the end by `query_timeout`. */
export function destroyConnection(client: Client): void {
  const socket = socketOf(client);
  if (socket) socket.destroy();
  else client.end().catch(() => undefined);
}

function socketOf(client: object): Duplex | undefined {
  const { connection } = client as { readonly connection?: { readonly stream?: unknown } };
  return connection?.stream instanceof Duplex ? connection.stream : undefined;
}
