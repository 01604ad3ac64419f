/** Step requirements whose answerTimeout passes without an answer. */
import { expect, test } from "vitest";
import { condition, parallel, router, step } from "../../src/define/workflow/steps.ts";
import type { LeafOptions, StepNode } from "../../src/define/workflow/types.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

const first = step({ name: "draft", run: () => "a draft" });
const last = step({ name: "last", run: ({ previous }) => `after ${previous}` });
const run = (): string => "done";
const soon = { answerTimeout: 40 };

const flow = (id: string, ...steps: StepNode[]) =>
  defineWorkflow({ id, steps: [first, ...steps, last], sessionPolicy: "parallel" });

const asking = (more: Partial<LeafOptions>) => step({ name: "ask", confirm: "Sure?", run, ...more });

/** Workflows whose middle step pauses the run. */
const workflows = [
  flow("cancels", asking(soon)),
  flow("skips", asking({ ...soon, onTimeout: "skip" })),
  flow("approves", asking({ ...soon, onTimeout: "approve" })),
  flow("reviewed", step({ name: "ask", review: true, run, ...soon, onTimeout: "approve" })),
  flow("unreviewed", step({ name: "ask", review: true, run, ...soon, onTimeout: "skip" })),
  flow("unrouted", router({ name: "ask", choices: [step({ name: "one", run })], ...soon, onTimeout: "skip" })),
  flow(
    "both",
    parallel({
      name: "both",
      steps: [asking({ ...soon, onTimeout: "approve" }), asking({ name: "patient", answerTimeout: 3_600_000 })],
    }),
  ),
  flow("patient", asking({ answerTimeout: 3_600_000 })),
  flow("late", asking({ answerTimeout: 300, onTimeout: "skip" })),
];

const open = (database: TestDatabase) => openServer(database, { workflows });

async function started({ client }: OpenServer, id: string) {
  const stream = await client.stream(`/workflows/${id}/runs`, { message: "hello", session_id: "s" });
  await stream.closed;
  expect(stream.events.map(({ event }) => event)).toContain("WorkflowPaused");
  return stream.runId;
}

const recordOf = ({ client }: OpenServer, id: string, runId: string) =>
  client.record(`workflows/${id}`, { runId, sessionId: "s" });

async function ended(server: OpenServer, id: string, runId: string) {
  return await eventually(async () => {
    const record = await recordOf(server, id, runId);
    expect(record.status).not.toMatch(/PAUSED|PENDING|RUNNING/);
    return record;
  });
}

eachDatabase("a step requirement without an answer within answerTimeout", (openDatabase) => {
  test("is cancelled, skipped or approved by onTimeout, for confirmations, reviews and route selections", async () => {
    await using server = await open(await openDatabase());
    const outcomes = ["cancels", "skips", "approves", "reviewed", "unreviewed", "unrouted"].map(async (id) => {
      const record = await ended(server, id, await started(server, id));
      return [id, record.status, record.content];
    });
    expect(await Promise.all(outcomes)).toEqual([
      ["cancels", "CANCELLED", expect.any(String)],
      ["skips", "COMPLETED", "after a draft"],
      ["approves", "COMPLETED", "after done"],
      ["reviewed", "COMPLETED", "after done"],
      ["unreviewed", "COMPLETED", "after a draft"],
      ["unrouted", "COMPLETED", "after a draft"],
    ]);
  });

  test("contains its deadline and the step's input, and StepContinued has timed_out", async () => {
    await using server = await open(await openDatabase());
    const before = Date.now();
    const runId = await started(server, "approves");
    const record = await ended(server, "approves", runId);
    const log = await server.client.log("workflows/approves", runId);
    const paused = log.find(({ event }) => event === "WorkflowPaused");
    const [asked] = paused!.data.step_requirements as Record<string, unknown>[];
    expect(asked).toMatchObject({ timeout_at: expect.stringMatching(/\.\d{6}\+00:00$/), on_timeout: "approve" });
    expect(asked?.step_input).toMatchObject({
      input: "hello",
      previous_step_outputs: { draft: { step_name: "draft", content: "a draft" } },
      previous_step_content: "a draft",
      additional_data: null,
    });
    const timeoutAt = Date.parse(String(asked?.timeout_at));
    expect(timeoutAt >= before + soon.answerTimeout && timeoutAt <= Date.now()).toBe(true);
    expect(log.find(({ event }) => event === "StepContinued")?.data).toMatchObject({ timed_out: "approve" });
    expect(record.step_requirements).toEqual([asked]);
  });

  test("is resolved without the parallel requirements, which stay open with their old deadlines", async () => {
    await using server = await open(await openDatabase());
    const runId = await started(server, "both");
    const log = await eventually(async () => {
      const log = await server.client.log("workflows/both", runId);
      expect(log.filter(({ event }) => event === "WorkflowPaused")).toHaveLength(2);
      return log;
    });
    const asked = log
      .filter(({ event }) => event === "WorkflowPaused")
      .map(({ data }) => data.step_requirements as { step_name: string; timeout_at: string }[]);
    expect(asked.map((all) => all.map(({ step_name }) => step_name))).toEqual([["ask", "patient"], ["patient"]]);
    expect(asked[1]?.[0]?.timeout_at).toBe(asked[0]?.[1]?.timeout_at);
    const { step_requirements: shown } = await recordOf(server, "both", runId);
    expect(shown.map(({ step_name }: { step_name: string }) => step_name)).toEqual(["ask", "patient"]);
  });

  test("is resolved by another process when the first one has ended", async () => {
    const database = await openDatabase();
    const server = await open(database);
    const runId = await started(server, "late");
    await server[Symbol.asyncDispose]();
    await using other = await open(database);
    expect(await ended(other, "late", runId)).toMatchObject({ status: "COMPLETED", content: "after a draft" });
  });

  test("an answer in time completes the run, and an answer after the cancel returns 409", async () => {
    await using server = await open(await openDatabase());
    const runId = await started(server, "patient");
    const { step_requirements: asked } = await recordOf(server, "patient", runId);
    const answers = JSON.stringify([{ ...asked[0], confirmed: true }]);
    const fields = { session_id: "s", stream: "false", step_requirements: answers };
    const answered = await server.client.post(`/workflows/patient/runs/${runId}/continue`, fields);
    expect(answered.body).toMatchObject({ status: "COMPLETED", content: "after done" });
    const late = await started(server, "cancels");
    await ended(server, "cancels", late);
    const refused = await server.client.post(`/workflows/cancels/runs/${late}/continue`, fields);
    expect([refused.status, refused.body.detail]).toEqual([409, "run is already cancelled"]);
  });
});

test("a step definition with an invalid answerTimeout or onTimeout throws", () => {
  const fields = [{ name: "city" }];
  expect(() => asking({ answerTimeout: 0 })).toThrow(
    'Step "ask": answerTimeout must be a number of milliseconds above 0.',
  );
  expect(() => asking({ onTimeout: "skip" })).toThrow('Step "ask": onTimeout is of no effect without answerTimeout.');
  expect(() => asking({ ...soon, onTimeout: "else" as "skip" })).toThrow(
    'Step "ask": onTimeout "else" is none; use approve, skip, cancel.',
  );
  expect(() => step({ name: "ask", userInput: { fields }, run, ...soon, onTimeout: "approve" })).toThrow(
    'Step "ask": onTimeout "approve" is not for it: a person enters values. Use skip or cancel.',
  );
  expect(() => router({ name: "ask", choices: [first], ...soon, onTimeout: "approve" })).toThrow("a person chooses");
  expect(() => condition({ name: "if", if: () => true, steps: [first], answerTimeout: -1 })).toThrow("answerTimeout");
});
