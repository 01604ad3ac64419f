import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Client, EventStream, Fields } from "./support/client.ts";
import { rawEvents } from "./support/frames.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer } from "./support/server.ts";

const kinds = [
  { kind: "team", path: "/teams/duo-team/runs", other: "/teams/quiet-team/runs", foreign: "/agents/plain-agent/runs" },
  {
    kind: "agent",
    path: "/agents/plain-agent/runs",
    other: "/agents/tool-agent/runs",
    foreign: "/teams/duo-team/runs",
  },
] as const;

async function finished(
  client: Client,
  path: string,
  fields: Fields = { message: "delegate hello" },
): Promise<EventStream> {
  const stream = await client.stream(path, fields);
  await stream.all();
  return stream;
}

async function resumed(
  client: Client,
  run: string,
  fields?: Fields,
  headers?: Record<string, string>,
): Promise<EventStream> {
  const stream = await client.stream(`${run}/resume`, fields, headers);
  await stream.all();
  return stream;
}

describe.each(kinds)("[R1] [R37] POST …/resume of a run of a $kind", ({ kind, path, other, foreign }) => {
  eachServer("a completed run", (client) => {
    test("[P5] [R6] [R15] [R20] [V4] is replayed after the last received event, byte for byte", async () => {
      const first = await finished(client(), path);
      const total = first.events.length;
      for (const cursor of [0, 3, total - 2]) {
        const rest = await resumed(client(), `${path}/${first.runId}`, { last_event_index: cursor });
        expect(rest.status).toBe(200);
        expect(rest.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
        expect(rawEvents(rest.frames)).toEqual(rawEvents(first.frames).slice(cursor + 1));
        expect(rest.frames[0]?.raw).toBe(
          `event: replay\ndata: {"event": "replay", "run_id": "${first.runId}", "status": "COMPLETED", ` +
            `"total_events": ${total - cursor - 1}, "total_buffered": ${total}, "last_event_index_requested": ${cursor}, ` +
            `"message": "Run COMPLETED. Replaying ${total - cursor - 1} missed events (of ${total} total)."}\n\n`,
        );
      }
    });

    test("[R7] [R9] [R22] [R28] is replayed from 0 without a body, session or credential, and with an empty form", async () => {
      const first = await finished(client(), path);
      for (const fields of [undefined, {}]) {
        const all = await resumed(client(), `${path}/${first.runId}`, fields);
        expect(rawEvents(all.frames)).toEqual(rawEvents(first.frames));
        expect(all.frames[0]?.data.last_event_index_requested).toBe(-1);
      }
    });

    test("[R8] empty fields count as absent", async () => {
      const first = await finished(client(), path);
      const all = await resumed(client(), `${path}/${first.runId}`, { last_event_index: "", session_id: "" });
      expect(rawEvents(all.frames)).toEqual(rawEvents(first.frames));
    });

    test("[R11] a negative index replays everything, and an index at or beyond the end nothing", async () => {
      const first = await finished(client(), path);
      const total = first.events.length;
      const negative = await resumed(client(), `${path}/${first.runId}`, { last_event_index: -5 });
      expect(rawEvents(negative.frames)).toEqual(rawEvents(first.frames));
      for (const index of [total - 1, total, 100_000, "99999999999999999999999999"]) {
        const nothing = await resumed(client(), `${path}/${first.runId}`, { last_event_index: index });
        expect(nothing.status).toBe(200);
        expect(nothing.frames.map(({ event }) => event)).toEqual(["replay"]);
        expect(nothing.frames[0]?.data).toMatchObject({ total_events: 0, total_buffered: total });
      }
    });

    test("[R3] [R4] [R5] [R10] optional, nullable fields are read from a form, from multipart and from a JSON object", async () => {
      const first = await finished(client(), path, { message: "hello", session_id: `s-${kind}` });
      const run = `${path}/${first.runId}/resume`;
      const boundary = "XBOUND";
      const part = (name: string, value: string) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const bodies: [string, string][] = [
        ["application/x-www-form-urlencoded", `last_event_index=2&session_id=s-${kind}`],
        ["application/x-www-form-urlencoded; charset=utf-8", "last_event_index=2"],
        [
          `multipart/form-data; boundary=${boundary}`,
          `${part("last_event_index", "2")}${part("session_id", `s-${kind}`)}--${boundary}--\r\n`,
        ],
        ["application/json", JSON.stringify({ last_event_index: 2, session_id: `s-${kind}` })],
        ["application/json", JSON.stringify({ last_event_index: "2", session_id: null })],
      ];
      for (const [type, body] of bodies) {
        const { text } = await client().send(run, { method: "POST", headers: { "content-type": type }, body });
        expect(text.match(/^id: \d+$/gm)?.map((line) => Number(line.slice(4)))[0]).toBe(3);
      }
      for (const body of ["{}", '{"last_event_index":null,"session_id":null}', "", '{"unknown":1}']) {
        const sent = { method: "POST", headers: { "content-type": "application/json" }, body };
        expect((await client().send(run, sent)).text).toContain("\nid: 0\n\n");
      }
    });

    test("a content type without a body counts as no body", async () => {
      const first = await finished(client(), path, { message: "hello" });
      for (const type of ["multipart/form-data", "text/plain", "application/x-www-form-urlencoded", "a/b"]) {
        const sent = { method: "POST", headers: { "content-type": type, "content-length": "0" } };
        expect((await client().send(`${path}/${first.runId}/resume`, sent)).status).toBe(200);
      }
    });

    test("[R38] Last-Event-ID is a cursor, and the form's field takes precedence over it", async () => {
      const first = await finished(client(), path);
      const run = `${path}/${first.runId}`;
      const byHeader = await resumed(client(), run, undefined, { "last-event-id": "2" });
      expect(rawEvents(byHeader.frames)).toEqual(rawEvents(first.frames).slice(3));
      const byForm = await resumed(client(), run, { last_event_index: 4 }, { "last-event-id": "2" });
      expect(rawEvents(byForm.frames)).toEqual(rawEvents(first.frames).slice(5));
    });

    test("[R12] [R34] [E6] an index that is not an integer returns 422 with a text and VALIDATION_ERROR", async () => {
      const first = await finished(client(), path, { message: "hello" });
      const { status, json } = await client().post(`${path}/${first.runId}/resume`, { last_event_index: "abc" });
      expect(status).toBe(422);
      expect(json).toEqual({
        detail: "body.last_event_index: Input should be a valid integer, unable to parse string as an integer",
        error_code: "VALIDATION_ERROR",
      });
      const bodies = [
        '{"last_event_index":1.5}',
        '{"last_event_index":1e400}',
        '{"last_event_index":{}}',
        "[]",
        "3",
        "{bad",
      ];
      for (const body of bodies) {
        const sent = { method: "POST", headers: { "content-type": "application/json" }, body };
        const answer = await client().send(`${path}/${first.runId}/resume`, sent);
        expect([answer.status, typeof answer.json.detail, answer.json.error_code]).toEqual([
          422,
          "string",
          "VALIDATION_ERROR",
        ]);
      }
      const header = await client().post(`${path}/${first.runId}/resume`, undefined, { "last-event-id": "x.1" });
      expect([header.status, header.json.error_code]).toEqual([422, "VALIDATION_ERROR"]);
    });

    test("a body of another media type returns 422", async () => {
      const sent = { method: "POST", headers: { "content-type": "text/plain" }, body: "last_event_index=2" };
      const { status, json } = await client().send(`${path}/x/resume`, sent);
      expect([status, typeof json.detail, json.error_code]).toEqual([422, "string", "VALIDATION_ERROR"]);
    });

    test("[R31] [R32] [R33] an unknown component or run, a run of another component or session, and a member's run return 404", async () => {
      const first = await finished(client(), path, { message: "delegate hello", session_id: `s-404-${kind}` });
      const title = kind === "team" ? "Team" : "Agent";
      const cases: [string, Fields | undefined, string][] = [
        [`/${kind}s/nope/runs/${first.runId}/resume`, undefined, `${title} not found`],
        [`${path}/nope/resume`, undefined, "Run not found"],
        [`${other}/${first.runId}/resume`, undefined, "Run not found"],
        [`${foreign}/${first.runId}/resume`, undefined, "Run not found"],
        [`${path}/${first.runId}/resume`, { session_id: "another" }, "Run not found"],
      ];
      const member = first.events.find(({ data }) => data.run_id !== first.runId);
      if (kind === "team") {
        const advice = `Run not found: it is a member's, and stands in the run ${first.runId}`;
        cases.push([`${path}/${member?.data.run_id}/resume`, undefined, advice]);
        cases.push([`/agents/agent-a/runs/${member?.data.run_id}/resume`, undefined, "Agent not found"]);
      }
      for (const [address, fields, detail] of cases) {
        const { status, json } = await client().post(address, fields);
        expect([address, status, json]).toEqual([address, 404, { detail, error_code: "NOT_FOUND" }]);
      }
    });

    test("[R36] of several errors, the path's are reported before the body's, and the body's before 404", async () => {
      const bad = { last_event_index: "abc" };
      const long = "x".repeat(256);
      const detail = async (address: string, fields?: Fields) => (await client().post(address, fields)).json.detail;
      expect(await detail(`/${kind}s/nope/runs/${long}/resume`, bad)).toMatch(/^path\.run_id: /);
      expect(await detail(`/${kind}s/%00/runs/${long}/resume`, bad)).toMatch(/^path\.\w+_id: .*; path\.run_id: /);
      expect(await detail(`/${kind}s/nope/runs/nope/resume`, bad)).toMatch(/^body\.last_event_index: /);
      expect(await detail(`/${kind}s/nope/runs/nope/resume`)).toMatch(/^(Team|Agent) not found$/);
      expect(await detail(`${path}/nope/resume`)).toBe("Run not found");
    });

    test("[R1] other methods return 405", async () => {
      for (const method of ["GET", "PUT", "DELETE", "PATCH", "HEAD"]) {
        const { status, headers } = await client().send(`${path}/x/resume`, { method });
        expect([method, status, headers.allow]).toEqual([method, 405, "POST"]);
      }
    });

    test("a failed run is replayed with its status", async () => {
      const failed = await finished(client(), path, { message: "please explode" });
      const replay = await resumed(client(), `${path}/${failed.runId}`);
      expect(replay.frames[0]?.data).toMatchObject({ event: "replay", status: "ERROR" });
      expect(rawEvents(replay.frames)).toEqual(rawEvents(failed.frames));
    });
  });

  eachServer("an active run", (client) => {
    test("[P4] [R14] [R20] sends missed events first, then live ones to the end, with catch_up and subscribed frames as recorded", async () => {
      const first = await client().stream(path, { message: "slow please" });
      await first.untilEvents(8);
      const second = await client().stream(`${path}/${first.runId}/resume`, { last_event_index: 4 });
      await Promise.all([first.all(), second.all()]);
      expect(rawEvents(second.frames)).toEqual(rawEvents(first.frames).slice(5));

      const [catchUp] = second.frames;
      const { missed_events: missed, current_event_count: count } = catchUp?.data ?? {};
      expect(missed).toBe(count - 5);
      expect(catchUp?.raw).toBe(
        `event: catch_up\ndata: {"event": "catch_up", "run_id": "${first.runId}", "status": "running", ` +
          `"missed_events": ${missed}, "current_event_count": ${count}, "message": "Catching up on ${missed} missed events."}\n\n`,
      );
      expect(second.frames[missed + 1]?.raw).toBe(
        `event: subscribed\ndata: {"event": "subscribed", "run_id": "${first.runId}", "status": "running", ` +
          `"current_event_count": ${count}, "message": "Subscribed to ${kind} run. Receiving live events."}\n\n`,
      );
      expect(second.frames[missed]?.id).toBe(String(count - 1));
      expect(second.frames[missed + 2]?.id).toBe(String(count));
    });

    test("sends subscribed at once, without catch_up, if no event was missed", async () => {
      const first = await client().stream(path, { message: "slow please" });
      await first.untilEvents(3);
      const second = await client().stream(`${path}/${first.runId}/resume`, { last_event_index: 1000 });
      await second.until((frames) => frames.length > 0);
      expect(second.frames[0]?.event).toBe("subscribed");
      second.cut();
      first.cut();
      await client().post(`${path}/${first.runId}/cancel`);
    });

    test("[R11] a cursor beyond the end of an active run waits for the event after it", async () => {
      const first = await client().stream(path, { message: "slow please" });
      await first.untilEvents(3);
      const ahead = await client().stream(`${path}/${first.runId}/resume`, { last_event_index: 20 });
      await Promise.all([first.all(), ahead.all()]);
      expect(rawEvents(ahead.frames)).toEqual(rawEvents(first.frames).slice(21));
    });

    test("[R19] catch_up and subscribed carry neither index nor id", async () => {
      const first = await client().stream(path, { message: "slow please" });
      await first.untilEvents(6);
      const second = await client().stream(`${path}/${first.runId}/resume`, { last_event_index: 2 });
      await second.until((frames) => frames.some(({ event }) => event === "subscribed"));
      const meta = second.frames.filter(({ event }) => event === "catch_up" || event === "subscribed");
      expect(meta.map(({ id, data }) => [id, "event_index" in data])).toEqual([
        [undefined, false],
        [undefined, false],
      ]);
      first.cut();
      second.cut();
      await client().post(`${path}/${first.runId}/cancel`);
    });

    test("ten concurrent readers of a background run receive the same bytes", async () => {
      const fields = { message: "slow please", stream: "false", background: "true" };
      const { json } = await client().post(path, fields);
      const readers = await Promise.all(
        Array.from({ length: 10 }, () => client().stream(`${path}/${json.run_id}/resume`)),
      );
      await Promise.all(readers.map((reader) => reader.all()));
      const [one, ...others] = readers.map((reader) => rawEvents(reader.frames));
      expect(one?.length).toBeGreaterThan(30);
      for (const each of others) expect(each).toEqual(one);
    });

    test("a cancelled run ends its stream with one terminal event and is replayed as CANCELLED", async () => {
      const first = await client().stream(path, { message: "endless" });
      await first.untilEvents(6);
      expect((await client().post(`${path}/${first.runId}/cancel`)).json).toEqual({});
      await first.all();
      const prefix = kind === "team" ? "Team" : "";
      expect(first.events.at(-1)).toMatchObject({
        event: `${prefix}RunCancelled`,
        data: { reason: `Run ${first.runId} was cancelled` },
      });
      expect(first.events.filter(({ event }) => event === `${prefix}RunCompleted`)).toEqual([]);
      const replay = await resumed(client(), `${path}/${first.runId}`);
      expect(replay.frames[0]?.data.status).toBe("CANCELLED");
      expect(rawEvents(replay.frames)).toEqual(rawEvents(first.frames));
    });
  });
});

eachServer(
  "a run whose events are only in the database",
  (client) => {
    test("[R16] [R17] is replayed with the same indices and bytes, with and without session_id", async () => {
      const path = "/teams/duo-team/runs";
      const first = await finished(client(), path, { message: "delegate hello", session_id: "s-db" });
      // No event stays in memory: the ring is smaller than one event.
      for (const fields of [{ last_event_index: 6, session_id: "s-db" }, { last_event_index: 6 }]) {
        await eventually(async () => {
          const rest = await resumed(client(), `${path}/${first.runId}`, fields);
          expect(rawEvents(rest.frames)).toEqual(rawEvents(first.frames).slice(7));
        });
      }
    });
  },
  () => conformancePlatform({ maxRingBytes: 1, maxTotalRingBytes: 1 }),
);
