import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { open, type Principal } from "../../src/model/principal.ts";
import { eventually } from "../support/eventually.ts";
import { foundRun, serve } from "./support/fake-parts.ts";

const resume = "/teams/duo-team/runs/r/resume";
const user: Principal = { kind: "user", userId: "u-token", isAdmin: false, scopes: [], owner: null };
const head = async () => ({ status: "COMPLETED", nextIndex: 0, firstKept: 0, attempt: 1, cancelRequested: false });

function logs() {
  const follow = vi.fn(async function* (_key: number, _options: object) {
    yield { kind: "end", status: "COMPLETED" };
  });
  return { head, follow };
}

describe("[R27] resume by a caller who is not an admin", () => {
  test("returns 400 without session_id, after checking the form and before looking for the run", async () => {
    const { client } = await serve({ caller: user, store: { findRun: foundRun, locateRun: foundRun }, logs: logs() });
    for (const path of [resume, "/teams/nope/runs/x/resume"]) {
      const { status, json } = await client.post(path);
      expect([status, json]).toEqual([
        400,
        { detail: "session_id is required for this action", error_code: "BAD_REQUEST" },
      ]);
    }
    expect((await client.post(resume, { last_event_index: "abc" })).status).toBe(422);
    expect((await client.post(resume, { session_id: "s" })).status).toBe(200);
  });

  test("does not need session_id from an admin", async () => {
    const { client } = await serve({
      caller: { ...user, isAdmin: true },
      store: { findRun: foundRun, locateRun: foundRun },
      logs: logs(),
    });
    expect((await client.post(resume)).status).toBe(200);
  });
});

test("the store receives the caller with each read of a run", async () => {
  const findRun = vi.fn(foundRun);
  const { client } = await serve({ caller: user, store: { locateRun: findRun }, logs: logs() });
  await client.post(resume, { session_id: "s" });
  expect(findRun).toHaveBeenCalledWith(user, "r");
});

test.each([
  ["a caller without a user id", open, "u-form"],
  ["a caller with a user id", user, undefined],
])(
  "a start passes the form's user_id to the engine only if the caller has no user id: %s",
  async (_who, caller, userId) => {
    const start = vi.fn(async () => ({ key: 1, runId: "r", sessionId: "s", status: "PENDING" }));
    const { client } = await serve({ caller, engine: { start } });
    const fields = { message: "x", stream: "no", background: "yes", user_id: "u-form" };
    expect((await client.post("/teams/duo-team/runs", fields)).status).toBe(202);
    expect(start).toHaveBeenCalledWith(caller, expect.objectContaining({ userId, execution: "dispatch" }));
  },
);

test.each([
  [{}, false],
  [{ follow: "true" }, true],
])("resume with %j passes acrossPauses to the log", async (fields, acrossPauses) => {
  const read = logs();
  const { client } = await serve({ store: { findRun: foundRun, locateRun: foundRun }, logs: read });
  const stream = await client.stream(resume, { ...fields, last_event_index: 3 });
  await stream.all();
  expect(read.follow).toHaveBeenCalledWith(1, expect.objectContaining({ cursor: 3, acrossPauses }));
});

test("reading a member's run returns 404 that names its root run, if component and session match", async () => {
  const rows: Record<string, object> = {
    root: { runId: "root", kind: "team", componentId: "duo-team", sessionId: "s", parentRunId: null },
    middle: { runId: "middle", kind: "team", componentId: "inner", sessionId: "s", parentRunId: "root" },
    member: { runId: "member", kind: "agent", componentId: "plain-agent", sessionId: "s", parentRunId: "middle" },
    orphan: { runId: "orphan", kind: "agent", componentId: "plain-agent", sessionId: "s", parentRunId: "gone" },
  };
  const { client } = await serve({ store: { locateRun: async (_caller: Principal, runId: string) => rows[runId] } });
  const detail = async (path: string) => (await client.get(path)).json.detail;
  const advice = "Run not found: it is a member's, and stands in the run root";
  expect(await detail("/teams/duo-team/runs/member?session_id=s")).toBe(advice);
  expect(await detail("/agents/plain-agent/runs/member?session_id=s")).toBe(advice);
  expect(await detail("/teams/duo-team/runs/member?session_id=other")).toBe("Run not found");
  expect(await detail("/teams/quiet-team/runs/member?session_id=s")).toBe("Run not found");
  expect(await detail("/agents/plain-agent/runs/orphan?session_id=s")).toBe("Run not found");
});

test("uploaded files are released from memory while a request waits for its run", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const start = async () => ({ key: 1, runId: "r", sessionId: "s", status: "PENDING" });
  const waits = Promise.withResolvers<void>();
  const follow = vi.fn(async function* () {
    await waits.promise;
    yield { kind: "interrupted" };
  });
  const { client } = await serve({ engine: { start }, logs: { follow } });
  const field = (name: string, value: string) =>
    `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file = (size: number) =>
    `--B\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n${"x".repeat(size)}\r\n`;
  const headers = { "content-type": "multipart/form-data; boundary=B" };
  const size = 8 * 1024 * 1024;
  const before = held();
  const answers = [1, 2].map(() => {
    const body = `${field("message", "hi")}${field("stream", "no")}${file(size)}--B--\r\n`;
    return client.send("/teams/duo-team/runs", { method: "POST", headers, body });
  });
  await eventually(() => expect(follow).toHaveBeenCalledTimes(2));
  await eventually(() => expect(held() - before).toBeLessThan(size / 2));
  waits.resolve();
  for (const answer of answers) expect((await answer).status).toBe(503);
});
