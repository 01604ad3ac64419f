/** Wire names as literals, so that a rename in the code cannot change what clients receive. Change one only with the interface. */
import { expect, test } from "vitest";
import { errorTable } from "../../src/errors.ts";
import { heartbeatComment, interruptedComment, metaFrame } from "../../src/http/streams/meta-frames.ts";
import { fromCursor, fromStart } from "../../src/http/streams/resume.ts";
import { errorBody } from "../../src/http/transport/errors.ts";
import { interfaceVersion } from "../../src/http/transport/version.ts";
import { factsOf } from "../../src/interfaces/a2a/stream/facts.ts";
import { errorFrame, gapFrame, platformFrames } from "../../src/interfaces/a2a/stream/platform-frames.ts";
import { encodeFrames } from "../../src/model/frame.ts";
import { wireRunStatuses } from "../../src/model/run/run.ts";

test("[T1] run statuses are pinned", () => {
  expect(wireRunStatuses).toEqual(["PENDING", "RUNNING", "COMPLETED", "PAUSED", "CANCELLED", "ERROR", "REGENERATED"]);
});

test("[E2] [E3] [E5] [E10] [E11] error codes and their HTTP statuses are pinned", () => {
  expect(Object.values(errorTable).map(({ status, wireCode }) => `${status} ${wireCode}`)).toEqual([
    "400 BAD_REQUEST",
    "400 RUN_REFUSED",
    "401 UNAUTHENTICATED",
    "403 null",
    "404 NOT_FOUND",
    "405 METHOD_NOT_ALLOWED",
    "408 REQUEST_TIMEOUT",
    "409 CONFLICT",
    "413 PAYLOAD_TOO_LARGE",
    "414 URI_TOO_LONG",
    "415 UNSUPPORTED_MEDIA_TYPE",
    "417 EXPECTATION_FAILED",
    "422 VALIDATION_ERROR",
    "429 TOO_MANY_REQUESTS",
    "429 LIMIT_EXCEEDED",
    "431 REQUEST_HEADER_FIELDS_TOO_LARGE",
    "500 INTERNAL_SERVER_ERROR",
    "500 RUN_FAILED",
    "500 INTERNAL_SERVER_ERROR",
    "502 BAD_GATEWAY",
    "503 SERVICE_UNAVAILABLE",
    "503 RUN_CONTINUES",
    "503 null",
  ]);
});

test("[E4] an error body has detail and error_code, and for 403 only detail", () => {
  expect(errorBody("notFound", "Run not found")).toEqual({ detail: "Run not found", error_code: "NOT_FOUND" });
  expect(errorBody("forbidden", "Insufficient permissions")).toEqual({ detail: "Insufficient permissions" });
});

test("[X2] the interface version is 2.7.4", () => {
  expect(interfaceVersion).toBe("2.7.4");
});

test("[V2] [V10] the frame of a stored event is pinned", () => {
  expect(encodeFrames(7, [{ name: "RunContent", members: '"a":1' }]).toString()).toBe(
    'event: RunContent\ndata: {"a":1,"event_index":7}\nid: 7\n\n',
  );
});

test("[V9] heartbeat and interruption comments are pinned", () => {
  expect(heartbeatComment).toBe(": heartbeat\n\n");
  expect(interruptedComment(7)).toBe(": interrupted, resume with last_event_index=7\n\n");
});

test("meta frames of streams are pinned", () => {
  const run = { runId: "r", kind: "team" } as const;
  const head = { nextIndex: 8, firstKept: 0, attempt: 1, cancelRequested: false };
  const frames = { kind: "frames", first: 5, last: 7, bytes: Buffer.from("id: 5\n\nid: 6\n\nid: 7\n\n") } as const;
  const active = fromCursor(run, { ...head, status: "RUNNING" }, 4);
  expect(active.opening + active.translate(frames).join("")).toBe(
    'event: catch_up\ndata: {"event": "catch_up", "run_id": "r", "status": "running", "missed_events": 3, "current_event_count": 8, "message": "Catching up on 3 missed events."}\n\n' +
      "id: 5\n\nid: 6\n\nid: 7\n\n" +
      'event: subscribed\ndata: {"event": "subscribed", "run_id": "r", "status": "running", "current_event_count": 8, "message": "Subscribed to team run. Receiving live events."}\n\n',
  );
  expect(fromCursor({ ...run, kind: "agent" }, { ...head, status: "PENDING" }, 7).opening).toBe(
    'event: subscribed\ndata: {"event": "subscribed", "run_id": "r", "status": "running", "current_event_count": 8, "message": "Subscribed to agent run. Receiving live events."}\n\n',
  );
  expect(fromCursor(run, { ...head, status: "CANCELLED" }, undefined).opening).toBe(
    'event: replay\ndata: {"event": "replay", "run_id": "r", "status": "CANCELLED", "total_events": 8, "total_buffered": 8, "last_event_index_requested": -1, "message": "Run CANCELLED. Replaying 8 missed events (of 8 total)."}\n\n',
  );
  expect(fromStart(run).translate({ kind: "gap", requested: 1, firstAvailable: 4 })).toEqual([
    'event: gap\ndata: {"event": "gap", "run_id": "r", "requested_index": 1, "first_available_index": 4}\n\n',
  ]);
  expect(metaFrame("error", { error: "x" })).toBe('event: error\ndata: {"event": "error", "error": "x"}\n\n');
});

test("[V5] [V6] A2A frames and their progress names are pinned", () => {
  const name = { taskId: "t", contextId: "c" };
  const form = { requestId: 1, bareStatus: true };
  const update = { kind: "status-update", ...name, status: { state: "working" }, final: false } as const;
  const start = 'event: TaskStatusUpdateEvent\ndata: {"id":1,"jsonrpc":"2.0","result":';
  expect(platformFrames(form)("0.0", update)).toBe(
    `${start}{"kind":"status-update","taskId":"t","contextId":"c","status":"working","final":false}}\nid: 0.0\n\n`,
  );
  expect(platformFrames({ ...form, bareStatus: false })("0.0", update)).toContain('"status":{"state":"working"}');
  expect(gapFrame(form, name, 3, 7)).toBe(
    'event: TaskStatusUpdateEvent\ndata: {"id":1,"jsonrpc":"2.0","result":{"kind":"status-update","taskId":"t","contextId":"c",' +
      '"status":"working","final":false,"metadata":{"agno_event_type":"gap","requested_index":3,"first_available_index":7}}}\n\n',
  );
  expect(errorFrame(form, -32001, "Task not found")).toBe(
    'event: error\ndata: {"id":1,"jsonrpc":"2.0","error":{"code":-32001,"message":"Task not found"}}\n\n',
  );
  const progress = ["ToolCallStarted", "ReasoningStep", "StepStarted", "LoopIterationStarted", "TeamRunStarted"];
  const facts = progress.flatMap((event) => factsOf("t", event, '{"run_id":"m"}'));
  expect(facts.map((fact) => fact && "progress" in fact && fact.progress?.agno_event_type)).toEqual([
    ...["tool_call_started", "reasoning_step", "workflow_step_started", "loop_iteration_started", "member_run_started"],
  ]);
});
