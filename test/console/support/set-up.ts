/** A server with the built console, and a browser. */
import "./built.ts";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { definePlatform } from "../../../src/define/platform.ts";
import type { Environment } from "../../../src/model/authorization.ts";
import { createServer, type Server } from "../../../src/platform/server.ts";
import { chromiumPath } from "../../support/browser.ts";
import { createDataDir } from "../../support/databases.ts";
import { silentLog } from "../../support/runtime.ts";

/**
 * Options of tests in a browser. They are skipped where the machine has none. A test that fails is tried once more: a browser on a busy machine can lose
 * a click. Its first failure stays in the output.
 */
export const inBrowser = { skip: chromiumPath === undefined, retry: 1 } as const;

export interface ConsoleServer extends AsyncDisposable {
  readonly server: Server;
  /** URL of the server: `http://127.0.0.1:41234`. */
  readonly url: string;
  /** URL of the console, without a slash at its end. */
  readonly console: string;
}

/** Starts a server on a free port. It ends with the block that uses it. */
export async function startConsole(
  hosted: Omit<PlatformOptions, "id">,
  environment: Environment = {},
): Promise<ConsoleServer> {
  const data = await createDataDir();
  const platform = definePlatform({ id: "newsroom", name: "Newsroom", ...hosted });
  const server = await createServer(platform, { dataDir: data.path, port: 0, environment, log: silentLog });
  const url = await server.listen();
  return {
    server,
    url,
    console: `${url}/console`,
    async [Symbol.asyncDispose]() {
      await server.close({ shutdownTimeout: 0 });
      await data.remove();
    },
  };
}
