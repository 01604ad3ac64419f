/** The web socket of workflows: `/workflows/ws`. Every message is one JSON object, in both directions. */
import type { FastifyInstance } from "fastify";
import { WebSocketServer } from "ws";
import type { Services } from "../../http/services.ts";
import { Connection } from "./connection.ts";
import { Demands } from "./demands.ts";

/** Where it is. */
const socketPath = "/workflows/ws";

/** Milliseconds that a client has at the end for what it was not sent yet, and then to say goodbye. */
const patience = 1_000;

/** Serves it. */
export function attachWorkflowSocket(app: FastifyInstance, services: Services): void {
  const { platform, runtime, gate } = services;
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: true, perMessageDeflate: false },
    // A message holds what a body would.
    maxPayload: platform.settings.bodyLimit,
  });
  const demands = new Demands(app, gate);
  const connections = new Set<Connection>();
  app.takeOver(socketPath, (request, stream, head) => {
    server.handleUpgrade(request, stream, head, (socket) => {
      const connection = new Connection(socket, request.socket.remoteAddress ?? "", services, demands);
      connections.add(connection);
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
