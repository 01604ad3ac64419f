/** The client: runs that continue from a finished one, the state of the connection, and following with the right to read. */
import { describe, expect, test } from "vitest";
import { type ConnectionState, createClient, type RunEvent } from "../../client/index.ts";
import { eachServer } from "../conformance/support/server.ts";
import { faultyFetch } from "./support/faulty-fetch.ts";

async function all(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const list: RunEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

eachServer("the client, after a finished run", (server) => {
  const client = (own?: typeof fetch) =>
    createClient({ url: server().base.origin, ...(own === undefined ? {} : { fetch: own }) });

  describe.each(["agent", "team"] as const)("of a component of kind %s", (kind) => {
    const id = { agent: "plain-agent", team: "duo-team" }[kind];
    const idsOf = async (sessionId: string): Promise<unknown[]> =>
      (await client()[kind](id).runs({ sessionId })).map(({ run_id }) => run_id);

    test("startSuccessor adds an input, and regenerates an answer in its place", async () => {
      const sessionId = `successor-${kind}`;
      const first = await client()[kind](id).start("one", { sessionId });
      await first.result();
      const second = await first.startSuccessor({ input: "two" });
      expect([second.sessionId, (await second.result()).status]).toEqual([sessionId, "COMPLETED"]);
      const third = await second.startSuccessor({ regenerate: true, input: "three" });
      const events = await all(third);
      expect(events.map(({ event_index }) => event_index)).toEqual(events.map((_, index) => index));
      expect(new Set([first.id, second.id, third.id]).size).toBe(3);
      expect(JSON.stringify((await third.record()).messages)).toContain("three");
      expect(await idsOf(sessionId)).toContain(third.id);
    });

    test("startSuccessor forks into a new session, and leaves the first as it is", async () => {
      const sessionId = `forked-${kind}`;
      const first = await client()[kind](id).start("one", { sessionId });
      await first.result();
      const fork = await first.startSuccessor({ fork: true, input: "aside" });
      expect((await fork.result()).status).toBe("COMPLETED");
      expect(fork.sessionId).toMatch(/./);
      expect(fork.sessionId).not.toBe(sessionId);
      expect(await idsOf(fork.sessionId ?? "")).toContain(fork.id);
      expect(await idsOf(sessionId)).toEqual([first.id]);
    });
  });

  test("startSuccessor repeats a request whose response is lost, and starts one run", async () => {
    let continues = 0;
    const { fetch, asked } = faultyFetch((_, { pathname }) =>
      pathname.endsWith("/continue") && continues++ === 0 ? "lose answer" : undefined,
    );
    const first = await client(fetch).agent("plain-agent").start("one", { sessionId: "once" });
    await first.result();
    const second = await first.startSuccessor({ input: "two" });
    await second.result();
    const sent = asked.filter(({ url }) => url.pathname.endsWith("/continue"));
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
    expect(await client().agent("plain-agent").runs({ sessionId: "once" })).toHaveLength(2);
  });

  test("startSuccessor throws 409 while the run is in progress", async () => {
    const run = await client().agent("plain-agent").start("endless", { sessionId: "busy" });
    for await (const { event } of run) if (event === "RunContent") break;
    await expect(run.startSuccessor({ input: "two" })).rejects.toMatchObject({ status: 409 });
    await run.cancel();
    expect((await run.result()).status).toBe("CANCELLED");
  });

  test("onConnection reports a lost connection, and the number of missed events after the reconnect", async () => {
    const { fetch } = faultyFetch((request) => (request === 0 ? { breakAfter: 3 } : undefined));
    const states: ConnectionState[] = [];
    const run = await client(fetch)
      .agent("plain-agent")
      .start("slow", { onConnection: (state) => states.push(state) });
    const events = await all(run);
    expect(events.at(-1)?.event).toBe("RunCompleted");
    expect(states.slice(0, 4).map(({ state }) => state)).toEqual(["open", "lost", "connecting", "open"]);
    const [, lost, , again] = states;
    // The events up to the cursor came before the loss, and the next one is the first of the new connection.
    expect(again?.cursor).toBe(lost?.cursor);
    const missed = states.find(({ missed: count }) => count !== undefined)?.missed ?? 0;
    expect(events.length).toBeGreaterThanOrEqual((lost?.cursor ?? 0) + 1 + missed);
    expect(events.map(({ event_index }) => event_index)).toEqual(events.map((_, index) => index));
  });

  test("readOnly follows with the route for readers, and reconnects with it", async () => {
    const run = await client().agent("plain-agent").start("slow");
    const { fetch, asked } = faultyFetch((request) => (request === 0 ? { breakAfter: 2 } : undefined));
    const read = await all(client(fetch).agent("plain-agent").follow(run.id, { readOnly: true }));
    expect(read).toEqual(await all(run));
    expect(asked.length).toBeGreaterThan(1);
    for (const { url } of asked) expect(url.pathname).toBe(`/agents/plain-agent/runs/${run.id}/events`);
  });
});
