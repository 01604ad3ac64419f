/** Closes the server: new requests are rejected, and no connection keeps the server open. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Server } from "node:net";
import type { FastifyInstance } from "fastify";
import { closeLeft } from "../streams/leave-http.ts";

/** Milliseconds between checks for connections that have become idle. */
const interval = 20;

/** Milliseconds after which connections that are still busy (a client that does not read, an incomplete request) are closed. */
const maxCloseWait = 2000;

/** Milliseconds for which a retiring server keeps a connection after its last response. */
const retiringKeepAlive = 1_000;

/** How the server closes. */
export interface ClosingState {
  /** Whether the server is closing. By then the server has left its runs to other processes, and its streams have ended with their cursor. */
  readonly closing: boolean;
  /**
   * Stops accepting connections, because another process on the same port accepts them. Requests on open connections are still served, and their responses
   * close the connection. A connection without a request closes after `idleTimeout` milliseconds. Resolves when no connection is open.
   */
  retire(idleTimeout: number): Promise<void>;
}

export function watchClosing(app: FastifyInstance): ClosingState {
  let retired: Promise<unknown> | undefined;
  const state = {
    closing: false,
    async retire(idleTimeout: number): Promise<void> {
      const { server } = app;
      if (!server.listening) return;
      retired = once(server, "close");
      server.prependListener("request", (_, response: ServerResponse) => response.setHeader("connection", "close"));
      server.keepAliveTimeout = retiringKeepAlive;
      // The method of an HTTP server also closes idle connections at once, although the next request may be on its way.
      Server.prototype.close.call(server);
      const sweep = setTimeout(() => {
        server.closeIdleConnections();
        closeLeft(server, "idle");
      }, idleTimeout);
      await retired;
      clearTimeout(sweep);
    },
  };
  app.addHook("preClose", (done) => {
    state.closing = true;
    const { server } = app;
    if (!server.listening && !retired) return done();
    // A stream that ends now leaves a keep-alive connection; Node closes only connections that were idle before.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      closeLeft(server, "idle");
    }, interval);
    const force = setTimeout(() => {
      server.closeAllConnections();
      closeLeft(server, "all");
    }, maxCloseWait);
    server.once("close", () => {
      clearInterval(sweep);
      clearTimeout(force);
    });
    // Fastify does not wait for the connections of a server that no longer listens.
    if (retired) void retired.then(() => done());
    else done();
  });
  return state;
}
