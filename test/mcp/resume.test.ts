/** Streams of calls that are cut and resumed: on the same server, after a restart, and on another replica. */
import { expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { connect } from "./support/client.ts";
import { RawMcp } from "./support/raw.ts";

const slow = ["run_team", { team_id: "office", message: "slow" }] as const;

eachDatabase("a stream of a call", (openDatabase) => {
  test("begins with an empty event, and ends with the result", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const events = await new RawMcp(server).stream(...slow);
    expect(events[0]?.data).toBeUndefined();
    expect(events.at(-1)?.data).toMatchObject({ id: 7, result: { isError: false } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.slice(1, -1).every(({ data }) => data.method === "notifications/progress")).toBe(true);
    const messages = events.slice(1, -1).map(({ data }) => data.params.message);
    // An answer within the second of its start has no notification.
    expect(messages.filter((message) => message !== "Office answers")).toEqual(["Office started", "Office finished"]);
  });

  test("that is cut after any event continues with the same bytes, also after a restart", async () => {
    const database = await openDatabase();
    let events: Awaited<ReturnType<RawMcp["stream"]>> = [];
    {
      await using server = await openServer(database, desk());
      const raw = new RawMcp(server);
      events = await raw.stream(...slow);
      for (const [place, { id }] of events.entries()) {
        expect((await raw.resume(id)).map(({ text }) => text)).toEqual(events.slice(place + 1).map(({ text }) => text));
      }
    }
    await using server = await openServer(database, desk());
    const raw = new RawMcp(server);
    for (const [place, { id }] of events.entries()) {
      expect((await raw.resume(id)).map(({ text }) => text)).toEqual(events.slice(place + 1).map(({ text }) => text));
    }
  });

  test("that is cut while the run is live continues where it was cut, and the run goes on", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const raw = new RawMcp(server);
    const begun = await raw.stream(...slow, 2);
    const rest = await raw.resume(begun.at(-1)!.id);
    const again = await raw.resume(begun[0]!.id);
    expect([...begun.slice(1), ...rest].map(({ text }) => text)).toEqual(again.map(({ text }) => text));
    expect(rest.at(-1)?.data.result.structuredContent.status).toBe("COMPLETED");
  });

  test("without a progress token has the result only, and resumes from its first event", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const raw = new RawMcp(server);
    const params = { name: slow[0], arguments: slow[1] };
    const response = await raw.send("POST", { jsonrpc: "2.0", id: "a", method: "tools/call", params });
    const text = await response.text();
    const [, id = ""] = /^data: \nid: (.*)$/m.exec(text) ?? [];
    const [result, ...more] = await raw.resume(id);
    expect(more).toEqual([]);
    expect(result?.data).toMatchObject({ id: "a", result: { structuredContent: { status: "COMPLETED" } } });
    expect(text).toContain(result?.text);
  });
});

test("another replica continues a stream with the same bytes", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openServer(database, desk());
  await using other = await openServer(database, desk());
  const begun = await new RawMcp(one).stream(...slow, 3);
  const { id } = begun.at(-1)!;
  const [here, there] = await Promise.all([new RawMcp(one).resume(id), new RawMcp(other).resume(id)]);
  expect(there).toEqual(here);
  expect(there.at(-1)?.data.result.structuredContent.status).toBe("COMPLETED");
});

test("the official client loses its connection after every event, and gets each notification once and the result", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  let cuts = 0;
  const client = await connect(server, {
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
      if (!isStream || !response.body) return response;
      cuts++;
      return new Response(response.body.pipeThrough(firstEvents(2)), response);
    },
  });
  const messages: string[] = [];
  const result = await client.callTool(
    { name: slow[0], arguments: slow[1] },
    { onprogress: ({ message = "" }) => messages.push(message) },
  );
  expect(result.structuredContent).toMatchObject({ status: "COMPLETED" });
  expect(messages.filter((message) => message !== "Office answers")).toEqual(["Office started", "Office finished"]);
  expect(cuts).toBeGreaterThan(1);
});

/** Passes the first events of a stream and then breaks the connection. */
function firstEvents(count: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let passed = 0;
  let text = "";
  return new TransformStream({
    transform(part, controller) {
      text += decoder.decode(part, { stream: true });
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        controller.enqueue(encoder.encode(text.slice(0, end + 2)));
        text = text.slice(end + 2);
        passed++;
        if (passed === count) return controller.error(new Error("The connection is cut."));
      }
    },
  });
}
