/** A Fastify application that mounts the platform below /troupe: `node --conditions=troupe-source examples/embedding/fastify.ts` */
import Fastify from "fastify";
import { createServer } from "troupe";
import platform from "../demo/app.ts";

export async function serve(port: number, dataDir?: string): Promise<{ url: string; close(): Promise<void> }> {
  const troupe = await createServer(platform, { basePath: "/troupe", dataDir });
  const app = Fastify({ forceCloseConnections: true });
  await app.register(troupe.plugin, { prefix: "/troupe" });
  app.get("/", async () => ({ agents: "/troupe/agents" }));
  const url = await app.listen({ port, host: "127.0.0.1" });
  return {
    url,
    async close() {
      await troupe.close();
      await app.close();
    },
  };
}

if (import.meta.main) console.log((await serve(3000)).url);
