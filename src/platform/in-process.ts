/** Runs components in this process. Each component has its own platform with an in-memory database, and no port is opened. */
import { Readable } from "node:stream";
import { createClient, type Run, type StartOptions } from "../../client/index.ts";
import { definePlatform, type Hosted } from "../define/platform.ts";
import { setStartInProcess } from "../define/runnable.ts";
import { openPlatform } from "./open.ts";
import { jsonLog } from "./runtime.ts";

/** Open platforms by component, so that a session continues in the next run of its component. */
const fetches = new WeakMap<Hosted, Promise<typeof fetch>>();

async function startInProcess(component: Hosted, input: unknown, options: StartOptions): Promise<Run> {
  const known = fetches.get(component);
  const opening = known ?? openFor(component);
  if (!known) {
    fetches.set(component, opening);
    // Removes a platform that failed to open, so that the next run opens it again.
    opening.catch(() => fetches.delete(component));
  }
  const client = createClient({ url: "http://in-process", fetch: await opening });
  return await client[component.kind](component.id).start(input as string, options);
}

setStartInProcess(startInProcess as Parameters<typeof setStartInProcess>[0]);

async function openFor(component: Hosted): Promise<typeof fetch> {
  const platform = definePlatform({
    id: "in-process",
    [`${component.kind}s`]: [component],
    schedules: false,
    a2a: false,
    aiUi: false,
  });
  const { app, begin } = await openPlatform(platform, {
    dataDir: ":memory:",
    log: jsonLog("warn"),
    role: "all",
    isLocalOnly: true,
    keepsAlive: false,
    isInProcess: true,
    // Nothing closes this platform, so it exports no traces.
    tracingEnvironment: { OTEL_PROPAGATORS: process.env.OTEL_PROPAGATORS },
  });
  begin();
  return async (resource, init) => {
    // The platform's timers do not keep the process alive; a request in progress must.
    const alive = setInterval(() => undefined, 2 ** 31 - 1);
    const over = (): void => clearInterval(alive);
    try {
      const request = new Request(resource, init);
      const { pathname, search } = new URL(request.url);
      const answer = await app.inject({
        method: request.method as "GET",
        url: pathname + search,
        headers: Object.fromEntries(request.headers),
        payload: Buffer.from(await request.arrayBuffer()),
        signal: request.signal,
        payloadAsStream: true,
      });
      const body = answer.stream().once("close", over);
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
      return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array>, { status: answer.statusCode, headers });
    } catch (error) {
      over();
      throw error;
    }
  };
}
