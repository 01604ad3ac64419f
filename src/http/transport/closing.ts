/** Closes the server: new requests are rejected, and no connection keeps the server open. */
import type { FastifyInstance } from "fastify";
import { closeLeft } from "../streams/leave-http.ts";

/** Milliseconds between checks for connections that have become idle. */
const interval = 20;

/** Milliseconds after which connections that are still busy (a client that does not read, an incomplete request) are closed. */
const maxCloseWait = 2000;

/** Whether the server is closing. By then the server has left its runs to other processes, and its streams have ended with their cursor. */
export function watchClosing(app: FastifyInstance): { readonly closing: boolean } {
  const state = { closing: false };
  app.addHook("preClose", (done) => {
    state.closing = true;
    const { server } = app;
    if (!server.listening) return done();
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
    done();
  });
  return state;
}
