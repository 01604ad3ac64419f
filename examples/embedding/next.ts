/**
 * The route handler of a Next.js application that mounts the platform below /troupe: save it as `app/troupe/[[...path]]/route.ts`. Next.js does not tell a handler the
 * address of its client, so a platform without authorization needs `allowAnonymous`, here in development only.
 */
import { createServer, type Server } from "troupe";
import platform from "../demo/app.ts";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";

/** Next.js loads the file again when it changes; the platform stays open. */
const shared = globalThis as { troupe?: Promise<Server> };

export function troupe(): Promise<Server> {
  shared.troupe ??= createServer(platform, {
    basePath: "/troupe",
    dataDir: process.env.TROUPE_DATA_DIR,
    allowAnonymous: process.env.NODE_ENV !== "production",
  });
  return shared.troupe;
}

async function handle(request: Request): Promise<Response> {
  return await (await troupe()).fetch(request);
}

export { handle as DELETE, handle as GET, handle as HEAD, handle as PATCH, handle as POST, handle as PUT };
