/** An Express application that mounts the platform below /troupe: `node --conditions=troupe-source examples/embedding/express.ts` */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { createServer } from "troupe";
import platform from "../demo/app.ts";

export async function serve(port: number, dataDir?: string): Promise<{ url: string; close(): Promise<void> }> {
  const troupe = await createServer(platform, { basePath: "/troupe", dataDir });
  const app = express();
  // Before body parsers: the platform reads the bodies of its requests itself.
  app.use("/troupe", troupe.handler);
  app.use(express.json());
  app.get("/", (_request, response) => void response.json({ agents: "/troupe/agents" }));

  const http = app.listen(port, "127.0.0.1");
  await once(http, "listening");
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
