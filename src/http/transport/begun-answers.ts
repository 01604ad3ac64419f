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
    response.once("close", closed);
  };
  server.prependListener("request", watch).prependListener("checkExpectation", watch);
}

function closed(this: ServerResponse): void {
  unfinished.get(this.req.socket)?.delete(this);
}

/** Whether the headers of the current response have been sent. A response without the socket waits for its turn, or is finished. */
export function hasBegunAnswer(socket: Duplex): boolean {
  for (const response of unfinished.get(socket) ?? []) {
    if (response.socket === socket && response.headersSent) return true;
  }
  return false;
}

/** Whether no other response is due on the connection. */
export function isOnlyAnswer(response: ServerResponse): boolean {
  const responses = unfinished.get(response.req.socket);
  return responses?.size === 1 && responses.has(response);
}

/** Forgets a response whose connection no longer belongs to the server. */
export function forgetAnswer(response: ServerResponse): void {
  response.off("close", closed);
  unfinished.delete(response.req.socket);
}
