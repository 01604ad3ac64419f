/** Tracks the connections on which a response has begun: no other response can then be sent on them. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** The unfinished responses of each connection. A client that pipelines its requests has several. */
const unfinished = new WeakMap<Duplex, Set<ServerResponse>>();

/** Watches the requests of a server, for `hasBegunAnswer`. */
export function watchAnswers(server: Server): void {
  const watch = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const responses = unfinished.get(socket) ?? new Set();
    unfinished.set(socket, responses.add(response));
    response.once("close", () => responses.delete(response));
  };
  server.prependListener("request", watch).prependListener("checkExpectation", watch);
}

/** Whether the headers of the current response have been sent. A response without the socket waits for its turn, or is finished. */
export function hasBegunAnswer(socket: Duplex): boolean {
  for (const response of unfinished.get(socket) ?? []) {
    if (response.socket === socket && response.headersSent) return true;
  }
  return false;
}
