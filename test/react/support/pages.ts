/** Bundles pages and serves them from their own origin. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const pages = fileURLToPath(new URL("../pages/", import.meta.url));

async function bundle(name: string): Promise<string> {
  const built = await rolldown({
    input: join(pages, `${name}.tsx`),
    platform: "browser",
    resolve: { conditionNames: ["troupe-source", "browser", "import", "default"] },
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "silent",
  });
  const { output } = await built.generate({ format: "esm", codeSplitting: false });
  await built.close();
  return output[0].code;
}

/** Serves `/chat` and `/run`, each with its bundle. */
export async function servePages(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const scripts = new Map<string, string>();
  for (const name of ["chat", "run"]) scripts.set(`/${name}.js`, await bundle(name));
  const server = createServer(({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://page");
    const script = scripts.get(pathname);
    if (script !== undefined) response.setHeader("content-type", "text/javascript").end(script);
    else
      response
        .setHeader("content-type", "text/html")
        .end(`<!doctype html><body><script type="module" src="${pathname}.js"></script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
