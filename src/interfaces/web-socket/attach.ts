/** The web socket of workflows: `/workflows/ws`. Every message is one JSON object, in both directions. */
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import type { Services } from "../../http/transport/services.ts";
import { Connection, type ConnectionParts } from "./connection.ts";
import { Demands } from "./demands.ts";

/** Where it is. */
const socketPath = "/workflows/ws";

/** Milliseconds that a client has at the end for what it was not sent yet, and then to say goodbye. */
const patience = 1_000;

/** Bytes that are taken of a client before it has said who it is: as many as tokens may be refused, and some more. */
const mostUnknown = 256 * 1024;

/** Serves it. */
export function attachWorkflowSocket(app: FastifyInstance, services: Services): void {
  const { platform, runtime, gate } = services;
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: true, perMessageDeflate: false },
    // A message holds what a body would.
    maxPayload: platform.settings.bodyLimit,
  });
  const parts: ConnectionParts = { services, demands: new Demands(app, gate), streams: app.openStreams };
  const connections = new Set<Connection>();
  app.takeOver(socketPath, (request, stream, head) => {
    server.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket, request.socket.remoteAddress ?? "", parts);
      connections.add(connection);
      boundUnknown(stream, connection);
      socket.once("close", () => connections.delete(connection));
    });
  });
  // Logs have been closed by now: whoever follows one is being told where it goes on.
  app.addHook("preClose", async () => {
    const over = new AbortController();
    const said = Promise.all([...connections].map((connection) => connection.end()));
    await Promise.race([said, runtime.clock.sleep(patience, over.signal)]);
    over.abort();
    const cut = runtime.clock.after(patience, () => {
      for (const socket of server.clients) socket.terminate();
    });
    app.server.once("close", cut);
  });
}

/** A message may be as large as a body, and is kept until it is whole. That is not for everybody who can connect. */
function boundUnknown(stream: Duplex, connection: Connection): void {
  let bytes = 0;
  const count = (chunk: Buffer): void => {
    if (connection.isKnown) return void stream.off("data", count);
    bytes += chunk.length;
    if (bytes <= mostUnknown) return;
    stream.off("data", count);
    connection.refuseFlood();
  };
  stream.on("data", count);
}
