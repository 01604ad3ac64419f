/** The client follows runs of a real server despite faults of its connections. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createClient, GapError, RequestError, type RunEvent } from "../../client/index.ts";
import { eachServer } from "../conformance/support/server.ts";
import { tcpRelay } from "../support/tcp-relay.ts";
import { type Fault, faultyFetch } from "./support/faulty-fetch.ts";

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const list: RunEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const indicesOf = (events: readonly RunEvent[]): number[] => events.map(({ event_index }) => event_index);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

eachServer("the client", (server) => {
  const url = (): string => server().base.origin;

  /** All events of a run's log on the server. */
  async function logOf(path: string): Promise<unknown[]> {
    const stream = await server().stream(`${path}/resume`, { last_event_index: -1 });
    await stream.all();
    return stream.events.map(({ data }) => data);
  }

  test.each(["agent", "team", "workflow"] as const)(
    "follows a whole run of a component of kind %s, and returns its result and record",
    async (kind) => {
      const client = createClient({ url: url() });
      const id = { agent: "tool-agent", team: "duo-team", workflow: "simple-flow" }[kind];
      const component = client[kind](id);
      const run = await component.start("delegate weather", { sessionId: `whole-${kind}`, metadata: { a: 1 } });
      const events = await all(run);
      expect(events).toEqual(await logOf(`/${kind}s/${id}/runs/${run.id}`));
      expect(run.cursor).toBe(events.length - 1);
      expect(run.sessionId).toBe(`whole-${kind}`);
      const result = await run.result();
      expect(result).toMatchObject({ status: "COMPLETED", content: expect.stringMatching(/./i) });
      expect(result.event).toEqual(events.at(-1));
      expect(await run.record()).toMatchObject({ run_id: run.id, status: "COMPLETED", content: result.content });
      const listed = await component.runs({ sessionId: `whole-${kind}`, status: "COMPLETED", limit: 5 });
      expect(listed.map(({ run_id }) => run_id)).toEqual([run.id]);
      expect(await all(run)).toEqual([]);
    },
  );

  test("follows a run whose start was answered with RUN_CONTINUES, without a second start", async () => {
    let starts = 0;
    // This response equals the server's response to a start with `stream=false` during an outage.
    const cutShort: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).endsWith("/runs")) return response;
      starts++;
      await response.body?.cancel();
      const body = { detail: "It goes on.", error_code: "RUN_CONTINUES", session_id: "goes-on" };
      return Response.json({ ...body, run_id: response.headers.get("x-run-id") }, { status: 503 });
    };
    const client = createClient({ url: url(), fetch: cutShort });
    const run = await client.agent("plain-agent").start("Hello", { sessionId: "goes-on" });
    expect(await run.result()).toMatchObject({ status: "COMPLETED" });
    expect([starts, run.sessionId]).toEqual([1, "goes-on"]);
  });

  test("runs lists the newest run first, and runPages yields every run once", async () => {
    const component = createClient({ url: url() }).agent("plain-agent");
    const ids: string[] = [];
    for (const message of ["first", "second", "third"]) {
      const run = await component.start(message, { sessionId: "newest-first" });
      await run.result();
      ids.unshift(run.id);
    }
    const idsOf = (page: readonly { readonly run_id: string }[]) => page.map(({ run_id }) => run_id);
    expect(idsOf(await component.runs({ sessionId: "newest-first" }))).toEqual(ids);
    expect(idsOf(await component.runs({ limit: 1 }))).toEqual([ids[0]]);
    const pages: string[][] = [];
    for await (const page of component.runPages({ sessionId: "newest-first", limit: 2 })) pages.push(idsOf(page));
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });

  test("yields every event once over connections that are cut repeatedly [L3]", async () => {
    await using relay = await tcpRelay(new URL(url()));
    const run = await createClient({ url: relay.url }).team("duo-team").start("slow");
    const events: RunEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (events.length % 13 === 0) relay.cut();
    }
    expect(events.at(-1)?.event).toBe("TeamRunCompleted");
    expect(events).toEqual(await logOf(`/teams/duo-team/runs/${run.id}`));
  });

  test("starts one run and yields every event once, for any connection faults [L3]", async () => {
    const fault = fc.oneof(
      fc.constant("lose answer" as const),
      fc.record({ breakAfter: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ silentAfter: fc.integer({ min: 0, max: 6 }) }),
      fc.constant(undefined),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { maxLength: 6 }),
        fc.uuid(),
        async (faults: (Fault | undefined)[], sessionId) => {
          const { fetch } = faultyFetch((request) => faults[request]);
          const client = createClient({ url: url(), fetch, silence: 100 });
          const run = await client.agent("tool-agent").start("weather", { sessionId });
          const events = await all(run);
          expect(indicesOf(events)).toEqual(upTo(events.length));
          expect(events.at(-1)?.event).toBe("RunCompleted");
          expect(await createClient({ url: url() }).agent("tool-agent").runs({ sessionId })).toHaveLength(1);
        },
      ),
      { numRuns: 8 },
    );
  });

  test("a second loop continues after the last event of the first, and another client after the cursor", async () => {
    const client = createClient({ url: url() });
    const run = await client.agent("plain-agent").start("slow");
    const seen: RunEvent[] = [];
    for await (const event of run) if (seen.push(event) === 4) break;
    for await (const event of run) if (seen.push(event) === 9) break;
    const other = createClient({ url: url() }).agent("plain-agent").follow(run.id, { cursor: run.cursor });
    seen.push(...(await all(other)));
    expect(indicesOf(seen)).toEqual(upTo(seen.length));
    expect(seen.at(-1)?.event).toBe("RunCompleted");
  });

  test("follows a background run from its beginning", async () => {
    const run = await createClient({ url: url() }).agent("plain-agent").start("hello", { background: true });
    expect(run.sessionId).toMatch(/./);
    const events = await all(run);
    expect(indicesOf(events)).toEqual(upTo(events.length));
    expect((await run.result()).content).toBe("Hello there, you said: hello");
  });

  test("returns a failed run and a cancelled run as results without throwing", async () => {
    const agent = createClient({ url: url() }).agent("plain-agent");
    const failed = await (await agent.start("explode")).result();
    expect(failed).toMatchObject({ status: "ERROR", content: expect.stringContaining("model exploded") });
    const flow = createClient({ url: url() }).workflow("bad-flow");
    expect(await (await flow.start("x")).result()).toMatchObject({ status: "ERROR", content: expect.any(String) });

    const endless = await agent.start("endless");
    for await (const { event } of endless) if (event === "RunContent") break;
    await endless.cancel();
    expect((await endless.result()).status).toBe("CANCELLED");
  });

  test("uploads files with the message", async () => {
    const run = await createClient({ url: url() })
      .agent("plain-agent")
      .start("read this", { files: [new File(["a,b"], "table.csv", { type: "text/csv" })] });
    await run.result();
    expect(JSON.stringify(await run.record())).toContain("table.csv");
  });

  describe("a pause", () => {
    test("of an agent, a team or a workflow is answered by continue, and the run's events go on after it", async () => {
      const client = createClient({ url: url() });
      const asked = await client.agent("hitl-agent").start("send email");
      const { status, event } = await asked.result();
      expect(status).toBe("PAUSED");
      if (event.event !== "RunPaused") throw new Error(event.event);
      await asked.continue(event.tools.map(({ tool_call_id }) => ({ tool_call_id, confirmed: true })));
      const before = asked.cursor;
      const events = await all(asked);
      expect(indicesOf(events)).toEqual(upTo(events.length).map((index) => before + 1 + index));
      expect((await asked.result()).content).toBe("Tool said: sent to a@example.com");

      const team = await client.team("hitl-team").start("send email");
      const paused = (await team.result()).event;
      if (paused.event !== "TeamRunPaused") throw new Error(paused.event);
      await team.continue(paused.requirements.map(({ id }) => ({ id, confirmation: true })));
      expect((await team.result()).status).toBe("COMPLETED");

      const flow = await client.workflow("hitl-flow").start("hello");
      expect((await flow.result()).status).toBe("PAUSED");
      await flow.continue([{ step_name: "ask", confirmed: true }]);
      expect((await flow.result()).status).toBe("COMPLETED");
    });

    test("whose continue response is lost is continued once, with a repeated request", async () => {
      const { fetch, asked } = faultyFetch((_, { pathname }) =>
        pathname.endsWith("/continue") && continues++ === 0 ? "lose answer" : undefined,
      );
      let continues = 0;
      const run = await createClient({ url: url(), fetch }).workflow("hitl-flow").start("hello");
      await run.result();
      await run.continue([{ step_name: "ask", confirmed: true }]);
      expect((await run.result()).status).toBe("COMPLETED");
      expect(
        asked.filter(({ url: { pathname } }) => pathname.endsWith("/continue")).map(({ status }) => status),
      ).toEqual([200, 200]);
    });

    test("that another client answers is waited for with acrossPauses", async () => {
      const client = createClient({ url: url() });
      const run = await client.workflow("hitl-flow").start("hello");
      await run.result();
      const onlooker = client.workflow("hitl-flow").follow(run.id, { acrossPauses: true });
      const seen: RunEvent[] = [];
      const watching = (async () => {
        for await (const event of onlooker) {
          seen.push(event);
          if (event.event === "WorkflowPaused") await run.continue([{ step_name: "ask", confirmed: true }]);
        }
      })();
      await watching;
      expect(seen.at(-1)?.event).toBe("WorkflowCompleted");
    });
  });

  test("throws a RequestError for a permanent rejection at once, with the server's status and message", async () => {
    const { fetch, asked } = faultyFetch(() => undefined);
    const client = createClient({ url: `${url()}/`, fetch });
    const unknown = { status: 404, code: "NOT_FOUND", message: "Agent not found", isTemporary: false };
    await expect(client.agent("none").start("hello")).rejects.toMatchObject(unknown);
    await expect(client.agent("plain-agent").follow("none").result()).rejects.toMatchObject({ status: 404 });
    await expect(client.agent("plain-agent").runs({ limit: 0 })).rejects.toMatchObject({ status: 422 });
    await expect(client.request("POST", "/sessions", { session_id: "\0" })).rejects.toBeInstanceOf(RequestError);
    expect(asked).toHaveLength(4);
    expect(await client.request("GET", "/health")).toMatchObject({ status: "ok" });
  });

  test("ends with CANCELLED if the run is deleted while it is followed, and throws 404 afterwards", async () => {
    const client = createClient({ url: url() });
    const run = await client.agent("plain-agent").start("endless", { sessionId: "deleted" });
    for await (const { event } of run)
      if (event === "RunContent" && run.cursor < 10) await client.request("DELETE", "/sessions/deleted?type=agent");
    expect((await run.result()).status).toBe("CANCELLED");
    await expect(client.agent("plain-agent").follow(run.id).result()).rejects.toMatchObject({ status: 404 });
  });

  test("stops following at the abort signal, and the run continues", async () => {
    const stop = new AbortController();
    const run = await createClient({ url: url() }).agent("plain-agent").start("slow", { signal: stop.signal });
    const reason = new Error("enough");
    await expect(async () => {
      for await (const _ of run) stop.abort(reason);
    }).rejects.toBe(reason);
    const again = createClient({ url: url() }).agent("plain-agent").follow(run.id, { cursor: run.cursor });
    expect((await again.result()).status).toBe("COMPLETED");
  });
});

describe("the client on a scripted server", () => {
  /** A `fetch` that returns the given responses in order, and then repeats the last one. */
  function scripted(...answers: (() => Response)[]): { fetch: typeof fetch; asked: Headers[] } {
    const asked: Headers[] = [];
    return {
      asked,
      fetch: async (_, init) => {
        asked.push(new Headers(init?.headers));
        return answers[Math.min(asked.length, answers.length) - 1]!();
      },
    };
  }
  const busy = (): Response =>
    Response.json(
      { detail: "wait", error_code: "TOO_MANY_REQUESTS" },
      { status: 429, headers: { "retry-after": "0" } },
    );
  const frames = (text: string) => (): Response => new Response(text, { headers: { "x-run-id": "r" } });
  const completed =
    'id: 0\nevent: RunCompleted\ndata: {"event":"RunCompleted","run_id":"r","event_index":0,"content":"yes"}\n\n';

  test("repeats a rejected start with the same idempotency key", async () => {
    const { fetch, asked } = scripted(busy, () => new Response("<html>", { status: 502 }), frames(completed));
    const run = await createClient({ url: "http://server", fetch }).agent("a").start("hello");
    expect((await run.result()).content).toBe("yes");
    const keys = new Set(asked.map((headers) => headers.get("idempotency-key")));
    expect([asked.length, keys.size]).toEqual([3, 1]);
    expect([...keys][0]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("throws the last response's error once retryFor has passed", async () => {
    const { fetch, asked } = scripted(busy);
    const client = createClient({ url: "http://server", fetch, retryFor: 600 });
    await expect(client.agent("a").start("hello")).rejects.toMatchObject({
      status: 429,
      retryAfter: 0,
      isTemporary: true,
    });
    expect(asked.length).toBeGreaterThan(1);
    const away = createClient({ url: "http://127.0.0.1:1", retryFor: 1 }).agent("a").start("hello");
    await expect(away).rejects.toMatchObject({ status: 0, isTemporary: true });
  });

  test("calls token before each request, and once more after a 401", async () => {
    let tokens = 0;
    const refused = (): Response =>
      Response.json({ detail: "Token has expired", error_code: "UNAUTHENTICATED" }, { status: 401 });
    const { fetch, asked } = scripted(frames(""), refused, frames(completed), refused);
    const client = createClient({
      url: "http://server",
      fetch,
      token: async () => `t${++tokens}`,
      headers: { "x-a": "b" },
    });
    const run = await client.agent("a").start("hello");
    await run.result();
    expect(asked.map((headers) => headers.get("authorization"))).toEqual(["Bearer t1", "Bearer t2", "Bearer t3"]);
    expect(asked[0]?.get("x-a")).toBe("b");
    await expect(run.record()).rejects.toMatchObject({ status: 401 });
    expect(asked).toHaveLength(5);
    const fixed = createClient({ url: "http://server", fetch, token: "fixed" });
    await expect(fixed.agent("a").follow("r").result()).rejects.toMatchObject({ status: 401 });
    expect(asked.slice(5).map((headers) => headers.get("authorization"))).toEqual(["Bearer fixed"]);
  });

  test("throws a GapError for events that are no longer kept [L4]", async () => {
    const gap = 'event: gap\ndata: {"event":"gap","run_id":"r","requested_index":3,"first_available_index":7}\n\n';
    const { fetch } = scripted(frames(gap));
    const run = createClient({ url: "http://server", fetch }).agent("a").follow("r", { cursor: 2 });
    const error = await run.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GapError);
    expect(error).toMatchObject({ firstAvailable: 7, message: expect.stringContaining("3 to 6") });
  });
});
