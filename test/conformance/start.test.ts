import { setTimeout as sleep } from "node:timers/promises";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, test, vi } from "vitest";
import { createDataDir } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer, startServer } from "./support/server.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([
  { kind: "agent", path: "/agents/plain-agent/runs", prefix: "" },
  { kind: "team", path: "/teams/duo-team/runs", prefix: "Team" },
])("runs of a $kind", ({ kind, path, prefix }) => {
  eachServer("the four modes of a start", (client) => {
    test("[P3] [R13] is a stream by default, with a stream's headers, the run's id and every event", async () => {
      const stream = await client().stream(path, { message: "hello", session_id: "s-1", user_id: "u1" });
      expect(stream.status).toBe(200);
      expect(stream.headers).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
        "x-run-id": expect.stringMatching(uuid),
      });
      await stream.all();
      const { events } = stream;
      expect(events.map(({ event }) => event)).toEqual([
        ...[`${prefix}RunStarted`, `${prefix}ModelRequestStarted`],
        ...Array.from({ length: 5 }, () => `${prefix}RunContent`),
        ...[`${prefix}ModelRequestCompleted`, `${prefix}RunContentCompleted`, `${prefix}RunCompleted`],
      ]);
      expect(events[0]?.data).toMatchObject({
        session_id: "s-1",
        run_id: stream.runId,
        [`${kind}_id`]: expect.any(String),
      });
      expect(events.at(-1)?.data.content).toBe("Hello there, you said: hello");
    });

    test("[P2] [V2] [V3] [V10] [R18] [R21] a frame has an id, a name and one line of JSON, and indices count from 0", async () => {
      const stream = await client().stream(path, { message: "hello" });
      await stream.all();
      for (const [place, { raw, data, event }] of stream.events.entries()) {
        expect(raw).toBe(`event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${place}\n\n`);
        expect(data.event).toBe(event);
        expect(Object.entries(data).at(-1)).toEqual(["event_index", place]);
      }
      expect(stream.frames).toEqual(stream.events);
    });

    test("without a stream returns the completed run", async () => {
      const { status, json, headers } = await client().post(path, { message: "hello", stream: "no", user_id: "u1" });
      expect(status).toBe(200);
      expect(json).toMatchObject({
        run_id: headers["x-run-id"],
        session_id: expect.stringMatching(uuid),
        user_id: "u1",
        content: "Hello there, you said: hello",
        content_type: "str",
        status: "COMPLETED",
        model: "fake-model",
        model_provider: "OpenAI",
        input: { input_content: "hello" },
      });
    });

    test("in the background returns 202, and the run can be followed by its id", async () => {
      const fields = { message: "hello", stream: false, background: true, session_id: `s-bg-${kind}` };
      const { status, json, headers } = await client().post(path, fields);
      expect(status).toBe(202);
      expect(json).toEqual({ run_id: headers["x-run-id"], session_id: `s-bg-${kind}`, status: "PENDING" });
      const follower = await client().stream(`${path}/${json.run_id}/resume`);
      await follower.all();
      expect(follower.events.map(({ id }) => Number(id))).toEqual(follower.events.map((_, place) => place));
      expect(follower.events.at(-1)?.event).toBe(`${prefix}RunCompleted`);
    });

    test("in the background with a stream returns a stream", async () => {
      const stream = await client().stream(path, { message: "hello", stream: true, background: true });
      await stream.all();
      expect(stream.events.at(-1)?.event).toBe(`${prefix}RunCompleted`);
    });

    test("a client that disconnects from a stream does not stop the run", async () => {
      for (const background of [false, true]) {
        const session_id = `s-left-${kind}-${background}`;
        const stream = await client().stream(path, { message: "slow please", session_id, background });
        await stream.untilEvents(4);
        stream.cut();
        const record = `${path}/${stream.runId}?session_id=${session_id}`;
        await eventually(async () => expect((await client().get(record)).json.status).toBe("COMPLETED"));
        expect((await client().get(record)).json.content).toContain("word29");
      }
    });

    test("a client that disconnects before the response does not stop the run", async () => {
      const session_id = `s-gone-${kind}`;
      const controller = new AbortController();
      const request = fetch(new URL(path, client().base), {
        method: "POST",
        body: new URLSearchParams({ message: "slow please", stream: "false", session_id }),
        signal: controller.signal,
      }).catch(() => "left");
      await eventually(async () =>
        expect((await client().get(`${path}?session_id=${session_id}`)).json.length).toBe(1),
      );
      controller.abort();
      expect(await request).toBe("left");
      await eventually(async () =>
        expect((await client().get(`${path}?session_id=${session_id}`)).json[0].status).toBe("COMPLETED"),
      );
    });

    test("a failed run is an event in a stream, and otherwise 500 with the record and the error", async () => {
      const stream = await client().stream(path, { message: "please explode" });
      await stream.all();
      expect(stream.events.at(-1)).toMatchObject({ event: `${prefix}RunError`, data: { content: "model exploded" } });
      const { status, json, headers } = await client().post(path, { message: "please explode", stream: false });
      expect(status).toBe(500);
      expect(json).toMatchObject({
        detail: "model exploded",
        error_code: "RUN_FAILED",
        run_id: headers["x-run-id"],
        status: "ERROR",
        content: "model exploded",
      });
    });

    test("response, record and listing of a failed run have the error_type and error_id of its event", async () => {
      const session_id = `why-${kind}`;
      const waited = (await client().post(path, { message: "please explode", stream: false, session_id })).json;
      const form = { message: "please explode", stream: false, background: true, session_id };
      const { run_id } = (await client().post(path, form)).json;
      const record = async (id: string) => (await client().get(`${path}/${id}?session_id=${session_id}`)).json;
      await eventually(async () => expect((await record(run_id)).status).toBe("ERROR"));
      const listed = (await client().get(`${path}?session_id=${session_id}`)).json;
      for (const [place, id] of [waited.run_id, run_id].entries()) {
        const log = await client().stream(`${path}/${id}/resume`, { session_id });
        const { error_type, error_id } = (await log.all()).at(-1)?.data ?? {};
        expect([error_type, error_id]).toEqual(["model_provider_error", expect.stringMatching(/^[0-9a-f-]{36}$/)]);
        expect(await record(id)).toMatchObject({ error_type, error_id });
        expect(listed[place]).toMatchObject({ run_id: id, error_type, error_id });
        if (place === 0) expect(waited).toMatchObject({ error_type, error_id });
      }
      const fine = (await client().post(path, { message: "hello", stream: false, session_id })).json;
      const shown = [fine, await record(fine.run_id), (await client().get(`${path}?session_id=${session_id}`)).json[2]];
      for (const one of shown) expect(Object.keys(one)).not.toContain("error_type");
    });

    test("a start with Last-Event-ID returns 400 with the path of resume", async () => {
      const { status, json } = await client().post(path, { message: "hello" }, { "last-event-id": "7" });
      expect(status).toBe(400);
      expect(json.error_code).toBe("BAD_REQUEST");
      expect(json.detail).toContain("/runs/{run_id}/resume");
    });
  });

  eachServer("the form of a start", (client) => {
    test.each([
      { name: "message missing", fields: { stream: "false" } },
      { name: "message empty", fields: { message: "", stream: "false" } },
    ])("$name returns 422", async ({ fields }) => {
      const { status, json } = await client().post(path, fields);
      expect(status).toBe(422);
      expect(json).toEqual({ detail: "body.message: Field required", error_code: "VALIDATION_ERROR" });
    });

    test("an invalid boolean returns 422", async () => {
      const { status, json } = await client().post(path, { message: "x", stream: "maybe" });
      expect(status).toBe(422);
      expect(json.detail).toBe("body.stream: Input should be a valid boolean, unable to interpret input");
    });

    test("empty fields count as absent", async () => {
      const fields = {
        message: "hello",
        stream: "0",
        background: "",
        session_id: "",
        user_id: "",
        session_state: "",
        version: "",
      };
      const { status, json } = await client().post(path, fields);
      expect(status).toBe(200);
      expect(json.session_id).toMatch(uuid);
      expect(json).not.toHaveProperty("user_id");
    });

    test("unknown fields are ignored, and do not set internal fields", async () => {
      const fields = {
        message: "hello",
        stream: "false",
        wibble: 1,
        run_id: "my-own-run-id",
        retries: "x",
        status: "ERROR",
      };
      const { status, json } = await client().post(path, fields);
      expect(status).toBe(200);
      expect(json.run_id).toMatch(uuid);
      expect(json.status).toBe("COMPLETED");
    });

    test("extra fields are JSON texts, and an invalid one returns 422 with its name", async () => {
      const good = { session_state: '{"a":1}', metadata: '{"k":"v"}', dependencies: "{}", knowledge_filters: "[]" };
      const { status, json } = await client().post(path, { message: "hello", stream: "false", ...good });
      expect(status).toBe(200);
      expect(json.session_state).toMatchObject({ a: 1 });
      for (const field of [...Object.keys(good), "output_schema", "images", "input_files"]) {
        const bad = await client().post(path, { message: "hello", stream: "false", [field]: "{bad" });
        expect([bad.status, bad.json.error_code]).toEqual([422, "VALIDATION_ERROR"]);
        expect(bad.json.detail).toContain(`body.${field}: Invalid JSON`);
      }
    });

    test("stream_events=false sends content events only", async () => {
      const stream = await client().stream(path, { message: "hello", stream_events: "false" });
      await stream.all();
      expect(new Set(stream.frames.map(({ event }) => event))).toEqual(new Set([`${prefix}RunContent`]));
      expect(stream.frames.map(({ data }) => data.content).join("")).toBe("Hello there, you said: hello");
    });

    test("a body of another media type returns 422", async () => {
      for (const type of ["text/plain", "application/octet-stream"]) {
        const sent = { method: "POST", headers: { "content-type": type }, body: '{"message":"x"}' };
        const { status, json } = await client().send(path, sent);
        expect([status, json.error_code]).toEqual([422, "VALIDATION_ERROR"]);
        expect(json.detail).toMatch(/multipart\/form-data.*application\/json/);
      }
    });

    test("a JSON body is read like a form, with values as JSON or as texts", async () => {
      const post = (body: unknown, type = "application/json") =>
        client().send(path, {
          ...{ method: "POST", headers: { "content-type": type } },
          body: typeof body === "string" ? body : JSON.stringify(body),
        });
      const fields = {
        message: "hello",
        stream: false,
        session_id: null,
        session_state: { a: 1 },
        metadata: '{"k":"v"}',
      };
      const { status, json } = await post(fields, "application/json; charset=utf-8");
      expect([status, json.status]).toEqual([200, "COMPLETED"]);
      expect(json.session_state).toMatchObject({ a: 1 });
      expect((await post({ message: "hello", stream: "false" })).status).toBe(200);
      expect((await post({ message: "hello", background: true, stream: false })).status).toBe(202);
      const streamed = await post({ message: "hello" });
      expect(streamed.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      for (const bad of [
        '{"message":',
        "[]",
        '"x"',
        {},
        { message: 1 },
        { message: "x", files: ["x"] },
        { message: "x", stream: 2 },
      ]) {
        const refused = await post(bad);
        expect([bad, refused.status, refused.json.error_code]).toEqual([bad, 422, "VALIDATION_ERROR"]);
      }
    });

    test("an unknown component returns 404", async () => {
      const { status, json } = await client().post(`/${kind}s/nope/runs`, { message: "x" });
      expect(status).toBe(404);
      expect(json).toEqual({ detail: `${prefix || "Agent"} not found`, error_code: "NOT_FOUND" });
    });

    test("a message may contain characters that ids may not", async () => {
      const { status, json } = await client().post(path, { message: "a\0b\u{1f600}", stream: "false" });
      expect(status).toBe(200);
      expect(json.input.input_content).toBe("a\0b\u{1f600}");
    });
  });
});

test("[V2] [V9] [V10] a standard event stream parser reads a whole stream", async () => {
  const folder = await createDataDir();
  const { server, client } = await startServer(
    { kind: "sqlite", dataDir: folder.path },
    conformancePlatform({ heartbeatInterval: 300 }),
  );
  const stream = await client.stream("/teams/duo-team/runs", { message: "delegate silent" });
  await stream.all();
  const events: EventSourceMessage[] = [];
  const comments: string[] = [];
  const onError = vi.fn();
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: (text) => comments.push(text),
    onError,
  });
  // In small pieces, as a network may deliver them.
  for (let start = 0; start < stream.text.length; start += 7) parser.feed(stream.text.slice(start, start + 7));
  expect(onError).not.toHaveBeenCalled();
  expect(events).toEqual(
    stream.events.map(({ id, event, raw }) => ({ id, event, data: /\ndata: (.*)\n/.exec(raw)?.[1] })),
  );
  expect(new Set(comments)).toEqual(new Set(["heartbeat"]));
  await server.close({ shutdownTimeout: 0 });
  await folder.remove();
});

eachServer(
  "long waits and limits",
  (client) => {
    test("a response without a stream waits for its run beyond the heartbeat interval", async () => {
      const { status, json } = await client().post("/agents/plain-agent/runs", { message: "silent", stream: "no" });
      expect([status, json.content]).toEqual([200, "at last"]);
    });

    test("[V9] a stream sends heartbeat comments while its model is silent", async () => {
      const stream = await client().stream("/agents/plain-agent/runs", { message: "silent" });
      await stream.all();
      const comments = stream.frames.filter(({ comment }) => comment === "heartbeat");
      expect(comments.length).toBeGreaterThanOrEqual(4);
      expect(stream.events.at(-1)?.event).toBe("RunCompleted");
    });

    test("[X5] a message and a body beyond their limits return 413", async () => {
      const path = "/agents/plain-agent/runs";
      const long = await client().post(path, { message: "x".repeat(60_000), stream: "no" });
      expect([long.status, long.json.error_code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
      const large = await client().post(path, { message: "x", other: "x".repeat(200_000), stream: "no" });
      expect([large.status, large.json.error_code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
      await sleep(20);
      expect((await client().post(path, { message: "x", stream: "no" })).status).toBe(200);
    });
  },
  () => conformancePlatform({ heartbeatInterval: 250, maxMessageBytes: 50_000, maxBodyBytes: 100_000 }),
);
