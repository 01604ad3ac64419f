import { describe, expect, test, vi } from "vitest";
import { TroupeError } from "../../src/errors.ts";
import { eventually } from "../support/eventually.ts";
import { request } from "./support/a2a.ts";
import { foundRun, serve } from "./support/fake-parts.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer } from "./support/server.ts";

const run = "/teams/duo-team/runs/5f168f9d-e430-4efa-a9e7-ff5fbf2add9e";

const fails = async (): Promise<never> => {
  throw new Error("SELECT secret FROM runs: connection refused");
};

describe("[E10] [R35] [S10] an internal failure", () => {
  test.each([
    { name: "of a resume", method: "POST", path: `${run}/resume`, parts: { store: { locateRun: fails } } },
    {
      name: "of a resume that reads the head of the log",
      method: "POST",
      path: `${run}/resume`,
      parts: {
        store: {
          findRun: foundRun,
          locateRun: foundRun,
        },
        logs: { head: fails },
      },
    },
    { name: "of a start", method: "POST", path: "/teams/duo-team/runs", parts: { engine: { start: fails } } },
    {
      name: "[A45] of a message over A2A",
      method: "POST",
      path: "/a2a/teams/duo-team/v1/message:stream",
      parts: { engine: { start: fails } },
    },
    { name: "of reading a run", method: "GET", path: `${run}?session_id=s`, parts: { store: { locateRun: fails } } },
    {
      name: "of a listing of runs",
      method: "GET",
      path: "/teams/duo-team/runs?session_id=s",
      parts: { store: { findSession: fails } },
    },
    { name: "of a deletion", method: "DELETE", path: "/schedules/x", parts: { schedules: { remove: fails } } },
    {
      name: "[W18] of a listing of a workflow's runs",
      method: "GET",
      path: "/workflows/simple-flow/runs",
      parts: { store: { listRuns: fails } },
    },
  ])(
    "$name returns 500 without internal details, and the log has the error under the response's request id",
    async ({ method, path, parts }) => {
      const { client, errors } = await serve(parts);
      const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "message=x" };
      const message = { headers: { "content-type": "application/json" }, body: JSON.stringify(request("x")) };
      const sent = path.endsWith("/runs") ? form : path.startsWith("/a2a") ? message : {};
      const { status, json, headers } = await client.send(path, { method, ...sent });
      expect(status).toBe(500);
      expect(json).toEqual({ detail: "Internal server error", error_code: "INTERNAL_SERVER_ERROR" });
      expect(errors).toMatchObject([{ requestId: headers["x-request-id"], method, error: { message: /SELECT/ } }]);
    },
  );

  test("of the database connection returns 503 with Retry-After, and logs no error", async () => {
    const away = async () => {
      throw new TroupeError("unavailable", "The database is not available", { retryAfter: 1 });
    };
    const { client, errors } = await serve({ store: { findRun: away, locateRun: away, findSession: away } });
    for (const [method, path] of [
      ["POST", `${run}/resume`],
      ["GET", `${run}?session_id=s`],
      ["GET", "/teams/duo-team/runs?session_id=s"],
      ["POST", `${run}/cancel`],
    ] as const) {
      const answer = await client.send(path, { method });
      expect([path, answer.status, answer.headers["retry-after"]]).toEqual([path, 503, "1"]);
      expect(answer.json).toEqual({ detail: "The database is not available", error_code: "SERVICE_UNAVAILABLE" });
    }
    expect(errors).toEqual([]);
  });

  test("while a stream reads the log ends the stream with its cursor", async () => {
    const head = async () => ({ status: "RUNNING", nextIndex: 3, firstKept: 0, attempt: 1, cancelRequested: false });
    const follow = async function* () {
      yield { kind: "frames", first: 0, last: 0, bytes: Buffer.from("event: X\ndata: {}\nid: 0\n\n") };
      throw new Error("gone");
    };
    const { client } = await serve({ store: { findRun: foundRun, locateRun: foundRun }, logs: { head, follow } });
    const stream = await client.stream(`${run}/resume`);
    await stream.all();
    expect(stream.status).toBe(200);
    expect(stream.frames.at(-1)?.comment).toBe("interrupted, resume with last_event_index=0");
  });
});

describe("a server that accepts no starts", () => {
  const closed = { acceptance: { open: false, reason: "The server is shutting down.", retryAfter: 5 }, start: vi.fn() };

  test("returns 503 with Retry-After for a start, before it checks anything else", async () => {
    const { client } = await serve({ engine: closed });
    const headers = { "last-event-id": "5", "content-type": "a/b" };
    for (const path of ["/teams/duo-team/runs", "/agents/nope/runs", "/teams/%00/runs"]) {
      const answer = await client.send(path, { method: "POST", headers, body: "x".repeat(100_000) });
      expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
      expect(answer.json).toEqual({ detail: "The server is shutting down.", error_code: "SERVICE_UNAVAILABLE" });
    }
    expect(closed.start).not.toHaveBeenCalled();
  });

  test("still serves reads", async () => {
    const { client } = await serve({ engine: closed });
    expect((await client.get("/health")).status).toBe(200);
  });
});

eachServer(
  "a server with maxLiveRuns live runs",
  (client) => {
    test("returns 503 for a start until a run ends, and still serves reads", async () => {
      const path = "/agents/plain-agent/runs";
      const first = await client().stream(path, { message: "endless", session_id: "s-1" });
      await first.untilEvents(3);
      const refused = await client().post(path, { message: "hello", stream: "no" });
      expect([refused.status, refused.json.error_code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect((await client().get(`${path}?session_id=s-1`)).json.length).toBe(1);
      await client().post(`${path}/${first.runId}/cancel`);
      await first.all();
      await eventually(async () =>
        expect((await client().post(path, { message: "hello", stream: "no" })).status).toBe(200),
      );
    });
  },
  () => conformancePlatform({ maxLiveRuns: 1 }),
);
