/** A server in the test's own process, on a real socket, with access to its parts. */
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import type { Role } from "../../src/model/role.ts";
import type { Log } from "../../src/model/runtime.ts";
import { type OpenPlatform, openPlatform } from "../../src/platform/open.ts";
import type { TestDatabase } from "./databases.ts";
import { silentLog } from "./runtime.ts";
import { StreamClient } from "./stream-client.ts";

export interface OpenServer extends OpenPlatform, AsyncDisposable {
  readonly client: StreamClient;
}

/** Opens a server. It ends with the block that uses it, with a shutdown timeout of 0. */
export async function openServer(
  database: TestDatabase,
  hosted: Omit<PlatformOptions, "id">,
  log: Log = silentLog,
  role: Role = "all",
): Promise<OpenServer> {
  const place = database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url };
  const parts = await openPlatform(definePlatform({ id: "test", ...hosted }), {
    ...place,
    log,
    role,
    isLocalOnly: true,
    environment: { TROUPE_ENCRYPTION_KEYS: process.env.TROUPE_ENCRYPTION_KEYS },
  });
  const address = await parts.app.listen({ host: "127.0.0.1", port: 0 });
  parts.begin();
  let ending: Promise<void> | undefined;
  const end = (grace: number): Promise<void> => (ending ??= parts.end(grace));
  return { ...parts, end, client: new StreamClient(address), [Symbol.asyncDispose]: () => end(0) };
}
