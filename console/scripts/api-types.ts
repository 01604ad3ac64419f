/** Converts the server's OpenAPI document to types. */
import openapiTS, { astToString } from "openapi-typescript";
import { definePlatform } from "../../src/define/platform.ts";
import { createServer } from "../../src/platform/server.ts";

const title = "/** Types of the HTTP interface, generated from its OpenAPI document: npm run api -w console. */\n";

/** Returns the source of console/src/api/schema.ts. */
export async function apiTypes(): Promise<string> {
  const server = await createServer(definePlatform({ id: "console" }), { dataDir: ":memory:", logLevel: "silent" });
  try {
    const { paths, ...document } = await server.openapi();
    // The console does not use A2A.
    const used = Object.entries(paths as object).filter(([path]) => !path.startsWith("/a2a/"));
    const types = await openapiTS(JSON.stringify({ ...document, paths: Object.fromEntries(used) }), {
      alphabetize: true,
    });
    return title + astToString(types);
  } finally {
    await server.close({ shutdownTimeout: 0 });
  }
}
