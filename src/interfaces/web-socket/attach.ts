/** The workflow web socket: `/workflows/ws`. Every message is one JSON object, in both directions. */
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import type { InterfaceServices } from "../../http/transport/services.ts";
import { Connection, type ConnectionParts } from "./connection.ts";

/** Its path. */
const socketPath = "/workflows/ws";

/** Milliseconds that a client has, when the server closes, to receive pending messages, and again to close the connection. */
const closeTimeout = 1_000;

/** Maximum number of bytes from a client before it has authenticated: enough for all permitted attempts with tokens. */
const maxUnauthenticatedBytes = 256 * 1024;

/** Serves the workflow web socket. */
export function attachWorkflowSocket(app: FastifyInstance, services: InterfaceServices): void {
  const { platform, runtime } = services;
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: true, perMessageDeflate: false },
    // A message may be as large as a request's body.
    maxPayload: platform.settings.maxBodyBytes,
  });
  const parts: ConnectionParts = { services, streams: app.openStreams };
  const connections = new Set<Connection>();
  app.takeOver(socketPath, (request, stream, head) => {
    server.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket, stream, request.socket.remoteAddress ?? "", parts);
      connections.add(connection);
      limitUnauthenticated(stream, connection);
      socket.once("close", () => connections.delete(connection));
    });
  });
  // The logs are closed by now: clients that follow a run are receiving the index to resume from.
  app.addHook("preClose", async () => {
    const over = new AbortController();
    const ended = Promise.all([...connections].map((connection) => connection.end()));
    await Promise.race([ended, runtime.clock.sleep(closeTimeout, over.signal)]);
    over.abort();
    const cut = runtime.clock.after(closeTimeout, () => {
      for (const socket of server.clients) socket.terminate();
    });
    app.server.once("close", cut);
  });
}

/** Limits the bytes from unauthenticated clients: a message may be as large as a body and is buffered until it is complete. */
function limitUnauthenticated(stream: Duplex, connection: Connection): void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    if (connection.isAuthenticated) return void stream.off("data", count);
    bytes += chunk.length;
    if (bytes <= maxUnauthenticatedBytes) return;
    stream.off("data", count);
    connection.rejectFlood();
  };
  stream.on("data", count);
}
