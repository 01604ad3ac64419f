/** A Hono application that mounts the platform below /troupe: `node --conditions=troupe-source examples/embedding/hono.ts` */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type HttpBindings, serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import { createServer } from "troupe";
import platform from "../demo/app.ts";

export async function serve(port: number, dataDir?: string): Promise<{ url: string; close(): Promise<void> }> {
  const troupe = await createServer(platform, { basePath: "/troupe", dataDir });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.all("/troupe/*", ({ req, env }) => troupe.fetch(req.raw, { address: env.incoming.socket.remoteAddress }));
  app.get("/", (context) => context.json({ agents: "/troupe/agents" }));

  const http = listen({ fetch: app.fetch, port, hostname: "127.0.0.1" }) as Server;
  if (!http.listening) await once(http, "listening");
  http.on("upgrade", (request, socket, head) => {
    if (!troupe.upgrade(request, socket, head)) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      await troupe.close();
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}

if (import.meta.main) console.log((await serve(3000)).url);
