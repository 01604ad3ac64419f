/** The client in a real browser, from another origin than the server's. */
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformancePlatform } from "../conformance/support/platform.ts";
import { startServer } from "../conformance/support/server.ts";
import { chromiumPath, launchBrowser } from "../support/browser.ts";
import { createDataDir } from "../support/databases.ts";
import { tcpRelay } from "../support/tcp-relay.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const parser = dirname(fileURLToPath(import.meta.resolve("eventsource-parser")));

/** A text: the test's own compiler would change a function. */
const programOf = (url: string): string => `(async () => {
  const { createClient } = await import("/project/client/index.ts");
  const run = await createClient({ url: "${url}" }).team("duo-team").start("slow");
  const indices = [];
  for await (const { event_index } of run) {
    indices.push(event_index);
    if (indices.length % 20 === 0) await cut();
  }
  return { indices, ...(await run.result()) };
})()`;

/** The sources without their types, as a build serves them, and a page that knows where to find them. */
async function servePage(): Promise<{ server: Server; origin: string }> {
  const { stripTypeScriptTypes } = await import("node:module");
  const imports = JSON.stringify({ imports: { "eventsource-parser": "/parser/index.js" } });
  const server = createServer(async ({ url = "" }, response) => {
    if (url === "/") {
      response.setHeader("content-type", "text/html").end(`<script type="importmap">${imports}</script>`);
      return;
    }
    const [, part = "", ...rest] = url.split("/");
    const text = await readFile(join(part === "parser" ? parser : project, ...rest), "utf8").catch(() => undefined);
    response.statusCode = text === undefined ? 404 : 200;
    response
      .setHeader("content-type", "text/javascript")
      .end(text && (part === "project" ? stripTypeScriptTypes(text) : text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe.skipIf(chromiumPath === undefined)(
  "the client in Chromium (skipped where there is none: CHROMIUM_PATH)",
  () => {
    let browser: Browser;
    let page: Awaited<ReturnType<typeof servePage>>;
    let data: Awaited<ReturnType<typeof createDataDir>>;

    beforeAll(async () => {
      [browser, page, data] = await Promise.all([launchBrowser(), servePage(), createDataDir()]);
    }, 60_000);

    afterAll(async () => {
      await browser?.close();
      page?.server.close();
      await data?.remove();
    });

    test("follows a run over connections that are cut, every event once", async () => {
      const platform = conformancePlatform({}, [page.origin]);
      const running = await startServer({ kind: "sqlite", dataDir: data.path }, platform);
      await using relay = await tcpRelay(running.client.base);
      const tab = await browser.newPage();
      await tab.exposeFunction("cut", () => relay.cut());
      await tab.goto(page.origin);
      const seen = (await tab.evaluate(programOf(relay.url))) as { status: string; indices: number[] };
      expect(seen.status).toBe("COMPLETED");
      expect(seen.indices.length).toBeGreaterThan(60);
      expect(seen.indices).toEqual(seen.indices.map((_, index) => index));
      await tab.close();
      await running.server.close({ shutdownTimeout: 0 });
    });
  },
);
