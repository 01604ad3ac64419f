import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "../../platform/server.ts";
import { loadPlatform } from "../load.ts";

/** `troupe openapi [file]`: prints the OpenAPI document, without opening the platform's database. */
export async function openapi(file: string | undefined): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "troupe-openapi-"));
  // The document does not depend on the caller, so no keys are needed.
  const platform = { ...(await loadPlatform(file)), authorization: false };
  const server = await createServer(platform, { dataDir, logLevel: "silent", environment: {} });
  try {
    console.log(JSON.stringify(await server.openapi(), null, 2));
  } finally {
    await server.close({ shutdownTimeout: 0 });
    await rm(dataDir, { recursive: true, force: true });
  }
}
