/** The platform in other applications: the examples for Express, Fastify, Hono and Next.js, each over a real socket. */
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createDataDir } from "../support/databases.ts";

vi.hoisted(() => {
  for (const key of ["DEMO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key];
});

interface Application {
  readonly url: string;
  close(): Promise<void>;
}

const applications: Readonly<Record<string, (dataDir: string) => Promise<Application>>> = {
  express: async (dataDir) => (await import("../../examples/embedding/express.ts")).serve(0, dataDir),
  fastify: async (dataDir) => (await import("../../examples/embedding/fastify.ts")).serve(0, dataDir),
  hono: async (dataDir) => (await import("../../examples/embedding/hono.ts")).serve(0, dataDir),
  next: async (dataDir) => {
    vi.stubEnv("TROUPE_DATA_DIR", dataDir);
    const { troupe, ...handlers } = await import("../../examples/embedding/next.ts");
    const http = await serveHandlers(handlers as unknown as Handlers);
    return {
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
      async close() {
        await (await troupe()).close();
        http.closeAllConnections();
        http.close();
      },
    };
  },
};

type Handlers = Readonly<Record<string, (request: Request) => Promise<Response>>>;

/** Calls route handlers as Next.js does. */
async function serveHandlers(handlers: Handlers): Promise<HttpServer> {
  const http = createHttpServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const hasBody = method !== "GET" && method !== "HEAD";
    const asked = new Request(`http://${headers.host}${url}`, {
      ...{ method, headers: headers as Record<string, string>, signal: gone.signal },
      ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
    } as RequestInit);
    const handle = handlers[method];
    if (!handle) return void response.writeHead(405).end();
    handle(asked).then(
      (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body)
          Readable.fromWeb(answer.body as never)
            .on("error", () => response.destroy())
            .pipe(response);
        else response.end();
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening));
  return http;
}

const form = (fields: Record<string, string>): RequestInit => ({ method: "POST", body: new URLSearchParams(fields) });

describe.each(Object.entries(applications))("mounted in %s", (name, open) => {
  let application: Application;
  let folder: Awaited<ReturnType<typeof createDataDir>>;
  const at = (path: string): string => `${application.url}/troupe${path}`;
  beforeAll(async () => {
    folder = await createDataDir();
    application = await open(folder.path);
  });
  afterAll(async () => {
    await application.close();
    await folder.remove();
    vi.unstubAllEnvs();
  });

  test("components are listed below the base path, and unknown paths there are the platform's 404", async () => {
    const agents = (await (await fetch(at("/agents"))).json()) as { id: string }[];
    expect(agents.map(({ id }) => id)).toContain("weather");
    const unknown = await fetch(at("/nothing"));
    expect([unknown.status, await unknown.json()]).toEqual([404, { detail: "Not Found", error_code: "NOT_FOUND" }]);
  });

  test("a stream is cut, and resumes after the last event", async () => {
    const cut = new AbortController();
    const begun = await fetch(at("/agents/weather/runs"), {
      ...form({ message: "Weather in Rome?" }),
      signal: cut.signal,
    });
    expect(begun.headers.get("content-type")).toContain("text/event-stream");
    const runId = begun.headers.get("x-run-id") ?? "";
    let text = "";
    for await (const chunk of begun.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("\nid: 3\n")) break;
    }
    cut.abort();
    const last = Number([...text.matchAll(/\nid: (\d+)\n\n/g)].at(-1)?.[1]);
    const rest = await (
      await fetch(at(`/agents/weather/runs/${runId}/resume`), form({ last_event_index: String(last) }))
    ).text();
    const ids = [...rest.matchAll(/\nid: (\d+)\n/g)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, place) => last + 1 + place));
    expect(rest).toContain("event: RunCompleted");
  });

  test("a JSON body and an upload arrive whole, and an answer that is not streamed has its length", async () => {
    const big = "x".repeat(300_000);
    const form = new FormData();
    form.set("message", "Weather in Oslo?");
    form.set("stream", "false");
    form.set("files", new File([big], "notes.txt", { type: "text/plain" }));
    const answer = await fetch(at("/agents/weather/runs"), { method: "POST", body: form });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await answer.json())).toContain("notes.txt");
    const json = await fetch(at("/v1/responses"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "agent:weather", input: "Weather in Rome?" }),
    });
    expect(((await json.json()) as { status: string }).status).toBe("completed");
  });

  test("cards, the OpenAPI document and the pages have the base path", async () => {
    const card = (await (await fetch(at("/a2a/agents/weather/.well-known/agent-card.json"))).json()) as { url: string };
    expect(card.url).toBe(at("/a2a/agents/weather"));
    const document = (await (await fetch(at("/openapi.json"))).json()) as { servers: unknown };
    expect(document.servers).toEqual([{ url: "/troupe" }]);
    const page = await (await fetch(at("/docs"))).text();
    const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
    for (const path of assets) {
      const asset = await fetch(new URL(path, at("/docs")));
      expect([path, asset.status]).toEqual([path, 200]);
      await asset.arrayBuffer();
    }
  });

  test("a HEAD and a 304 have no body", async () => {
    const card = at("/a2a/agents/weather/.well-known/agent-card.json");
    const etag = (await fetch(card)).headers.get("etag") ?? "";
    const again = await fetch(card, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test.skipIf(name === "next")("the application's own routes and the web socket work", async () => {
    expect(await (await fetch(application.url)).json()).toEqual({ agents: "/troupe/agents" });
    const socket = new WebSocket(`${at("/workflows/ws").replace("http", "ws")}`);
    const first = await new Promise((resolve, reject) => {
      socket.once("message", (data) => resolve(JSON.parse(String(data))));
      socket.once("error", reject);
    });
    expect(first).toMatchObject({ event: "connected" });
    socket.close();
    const other = new WebSocket(`${application.url.replace("http", "ws")}/elsewhere`);
    await new Promise((closed) => other.once("error", closed));
  });
});
