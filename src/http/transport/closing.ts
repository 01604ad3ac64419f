/** Closing the server: what still comes is refused, and no connection keeps it open. */
import type { FastifyInstance } from "fastify";

/** Milliseconds between looks for connections that have become idle. */
const interval = 20;

/** Milliseconds after which connections that still do something (a client that does not read, half a request) are cut. */
const patience = 2000;

/** Whether the server is closing. Runs have been left to others by then, and streams have ended with their cursor. */
export function watchClosing(app: FastifyInstance): { readonly closing: boolean } {
  const state = { closing: false };
  app.addHook("preClose", (done) => {
    state.closing = true;
    const { server } = app;
    if (!server.listening) return done();
    // A stream that ends now leaves a connection that is kept alive: node closes those that were idle before only.
    const sweep = setInterval(() => server.closeIdleConnections(), interval);
    const cut = setTimeout(() => server.closeAllConnections(), patience);
    server.once("close", () => {
      clearInterval(sweep);
      clearTimeout(cut);
    });
    done();
  });
  return state;
}
