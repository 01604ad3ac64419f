/** Workflows: their responses, their events and order, their records and listings. */
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { asRead } from "./support/answers.ts";
import type { Fields } from "./support/client.ts";
import type { Frame } from "./support/frames.ts";
import { eachServer } from "./support/server.ts";

const runs = (id: string) => `/workflows/${id}/runs`;

/** Names of the events; consecutive content events count once. */
function namesOf(frames: readonly Frame[]): string[] {
  const names = frames.filter(({ id }) => id !== undefined).map(({ event }) => event ?? "");
  return names.filter((name, place) => !(name.endsWith("RunContent") && names[place - 1] === name));
}

const agentRun = [
  ...["RunStarted", "ModelRequestStarted", "RunContent", "ModelRequestCompleted", "RunContentCompleted"],
  "RunCompleted",
];

/** The record of the run of the first step of `simple-flow`. */
function executorRun(run: { run_id: string; step_results: { step_id: string; step_run_id: string }[] }) {
  const [draft] = run.step_results;
  return {
    ...{
      run_id: draft!.step_run_id,
      agent_id: "plain-agent",
      agent_name: "Plain Agent",
      session_id: expect.any(String),
    },
    ...{ parent_run_id: run.run_id, user_id: "u1", content: "Hello there, you said: hello", content_type: "str" },
    ...{ model_provider_data: expect.any(Object), model: "fake-model", model_provider: "OpenAI", session_state: {} },
    ...{ created_at: expect.any(Number), status: "COMPLETED", workflow_step_id: draft!.step_id },
    ...{ metrics: expect.objectContaining({ total_tokens: expect.any(Number) }), events: [] },
    messages: [expect.objectContaining({ role: "user" }), expect.objectContaining({ role: "assistant" })],
    input: { input_content: "hello" },
  };
}

eachServer("workflows", (client) => {
  const start = (id: string, fields: Fields) => client().post(runs(id), { message: "hello", stream: false, ...fields });

  test("[P1] are listed in short, shown with their steps, and counted", async () => {
    const { json: list } = await client().get("/workflows");
    expect(list[0]).toEqual({
      ...{ id: "simple-flow", name: "Simple Flow", description: "two steps", db_id: "main" },
      ...{ is_factory: false, is_component: false },
    });
    const { json: one } = await client().get("/workflows/simple-flow");
    expect(one).toMatchObject({ id: "simple-flow", db_id: "main", workflow_agent: false });
    expect(one.steps).toEqual([
      { name: "draft", type: "Step", agent: expect.objectContaining({ id: "plain-agent" }) },
      { name: "upper", type: "Step" },
    ]);
    const { json: rich } = await client().get("/workflows/rich-flow");
    expect(rich.steps.map(({ type, steps }: { type: string; steps?: unknown[] }) => [type, steps?.length])).toEqual([
      ...[
        ["Parallel", 2],
        ["Condition", 1],
        ["Loop", 1],
        ["Router", 2],
      ],
      ["Step", undefined],
    ]);
    expect((await client().get("/info")).json.workflow_count).toBe(list.length);
    expect((await client().get("/config")).json.workflows).toEqual(list);
    const none = await client().get("/workflows/none");
    expect([none.status, none.json.detail]).toEqual([404, "Workflow not found"]);
  });

  test("return their record with the results and runs of their steps", async () => {
    const { status, json } = await start("simple-flow", { session_id: "w1", user_id: "u1" });
    expect(status).toBe(200);
    const content = "Hello there, you said: hello";
    expect(json).toMatchObject({
      ...{ input: "hello", content: `UP:${content}`, content_type: "str", status: "COMPLETED" },
      ...{ workflow_id: "simple-flow", workflow_name: "Simple Flow", session_id: "w1", user_id: "u1" },
      step_results: [
        { content, step_name: "draft", step_type: "Step", executor_type: "agent", executor_name: "Plain Agent" },
        { content: `UP:${content}`, step_name: "upper", executor_type: "function", success: true, step_run_id: null },
      ],
      step_executor_runs: [{ agent_id: "plain-agent", content, status: "COMPLETED" }],
      metrics: { steps: { draft: { executor_type: "agent", metrics: { total_tokens: expect.any(Number) } } } },
    });
    expect(json.step_results[0].step_run_id).toBe(json.step_executor_runs[0].run_id);
    const { events: _, ...executor } = executorRun(json);
    expect(json.step_executor_runs).toEqual([{ ...executor, tools: [] }]);
    const read = await client().get(`${runs("simple-flow")}/${json.run_id}?session_id=w1`);
    expect(read.json).toEqual(asRead(json));
    const members = [
      "input",
      "content",
      "content_type",
      "workflow_id",
      "workflow_name",
      "run_id",
      "session_id",
      "user_id",
    ];
    const more = ["created_at", "status", "step_results", "step_executor_runs", "metrics"];
    const lists = ["images", "videos", "audio", "files"];
    expect(Object.keys(json).sort()).toEqual([...members, ...more, ...lists].sort());
    expect(Object.keys(read.json).sort()).toEqual([...members, ...more, "events"].sort());
    expect(read.json.step_executor_runs).toEqual([executorRun(json)]);
  });

  test("send step events in the recorded order with continuous indices, in the foreground and the background", async () => {
    const order = ["WorkflowStarted", "StepStarted", ...agentRun, "StepCompleted", "StepStarted", "StepOutput"];
    const all = [...order, "StepCompleted", "WorkflowCompleted"];
    for (const background of [false, true]) {
      const stream = await client().stream(runs("simple-flow"), { message: "hello", background });
      const frames = await stream.all();
      expect(namesOf(frames)).toEqual(all);
      expect(stream.events.map(({ data }) => data.event_index)).toEqual(stream.events.map((_, place) => place));
      const { data: last } = stream.events.at(-1)!;
      expect(last).toMatchObject({ content: "UP:Hello there, you said: hello", nested_depth: 0 });
      const [draft] = last.step_results;
      expect(last.step_executor_runs).toMatchObject([
        { run_id: draft.step_run_id, parent_run_id: last.run_id, workflow_step_id: draft.step_id },
      ]);
      const again = await client().stream(`${runs("simple-flow")}/${stream.runId}/resume`);
      expect((await again.all()).filter(({ id }) => id).map(({ raw }) => raw)).toEqual(
        stream.events.map(({ raw }) => raw),
      );
    }
  });

  test("send the step with every event of a step's run", async () => {
    const stream = await client().stream(runs("rich-flow"), { message: "please" });
    const frames = await stream.all();
    const events = frames.filter(({ id }) => id).map(({ data }) => data);
    const [first] = events;
    for (const event of events.filter(({ agent_id, team_id }) => agent_id ?? team_id)) {
      expect(event).toMatchObject({ workflow_id: "rich-flow", workflow_run_id: first.run_id, nested_depth: 0 });
      expect([event.step_name, event.step_index]).toEqual(event.step_name === "p1" ? ["p1", [0, 0]] : ["teamstep", 4]);
      expect(event.run_id).not.toBe(first.run_id);
    }
    // As recorded, a team in a step always sends the session state.
    expect(events.find(({ event }) => event === "TeamRunCompleted").session_state).toEqual({});
    const member = events.find(({ agent_id }) => agent_id === "agent-a");
    expect(member.parent_run_id).toBe(events.find(({ event }) => event === "TeamRunStarted").run_id);
    const steps = events.filter(
      ({ workflow_run_id, event }) => workflow_run_id === undefined && event !== "WorkflowStarted",
    );
    const told = steps.map(({ event, step_name, step_index }) => [event, step_name, step_index]);
    const parallel = told.filter(([, name]) => name === "p2" || name === "par");
    expect(parallel).toEqual([
      ["ParallelExecutionStarted", "par", 0],
      ["StepStarted", "p2", [0, 1]],
      ["StepCompleted", "p2", [0, 1]],
      ["ParallelExecutionCompleted", "par", 0],
    ]);
    const turn = [
      ["LoopIterationStarted", "loop", 2],
      ["StepStarted", "l1", [2, 0]],
      ["StepCompleted", "l1", [2, 0]],
      ["LoopIterationCompleted", "loop", 2],
    ];
    expect(told.slice(told.findIndex(([event]) => event === "ConditionExecutionStarted"))).toEqual([
      ["ConditionExecutionStarted", "cond", 1],
      ["StepStarted", "c1", [1, 0]],
      ["StepCompleted", "c1", [1, 0]],
      ["ConditionExecutionCompleted", "cond", 1],
      ["LoopExecutionStarted", "loop", 2],
      ...turn,
      ...turn,
      ["LoopExecutionCompleted", "loop", 2],
      ["RouterExecutionStarted", "route", 3],
      ["StepStarted", "r1", [3, 0]],
      ["StepCompleted", "r1", [3, 0]],
      ["RouterExecutionCompleted", "route", 3],
      ["StepStarted", "teamstep", 4],
      ["StepCompleted", "teamstep", 4],
      ["WorkflowCompleted", undefined, undefined],
    ]);
    const only = (name: string) => events.find(({ event }) => event === name);
    expect(only("ParallelExecutionStarted").parallel_step_count).toBe(2);
    expect(only("ConditionExecutionCompleted")).toMatchObject({
      branch: "if",
      executed_steps: 1,
      condition_result: true,
    });
    expect(only("LoopExecutionCompleted")).toMatchObject({ total_iterations: 2, all_results: [[{}], [{}]] });
    expect(only("RouterExecutionStarted").selected_steps).toEqual(["r1"]);
    const { step_results } = only("WorkflowCompleted");
    expect(step_results.map((one: Record<string, unknown>) => [one.step_type, one.executor_type])).toEqual([
      ...[
        ["Parallel", "parallel"],
        ["Condition", null],
        ["Loop", null],
        ["Router", null],
      ],
      ["Step", "team"],
    ]);
    expect(step_results[0].content).toMatch(/^## Parallel Execution Results\n\n### ✅ SUCCESS: p1\nHello there/);
    expect(step_results[1].content).toBe("Condition cond completed with 1 results (if branch)");
  });

  test("have step ids that are equal in every run", async () => {
    const idsOf = async () => {
      const { json } = await start("rich-flow", { message: "please" });
      return json.step_results.map(({ step_id }: { step_id: string }) => step_id);
    };
    const ids = await idsOf();
    expect(new Set(ids).size).toBe(5);
    expect(await idsOf()).toEqual(ids);
  });

  test("a failed step ends the run with an error, and no later step runs", async () => {
    const { status, json } = await start("bad-flow", { session_id: "bad" });
    expect([status, json.status, json.error_code]).toEqual([500, "ERROR", "RUN_FAILED"]);
    expect(json.detail).toBe("The step boom failed: step blew up at hello");
    const stream = await client().stream(runs("bad-flow"), { message: "hello" });
    expect(namesOf(await stream.all())).toEqual(["WorkflowStarted", "StepStarted", "StepError", "WorkflowError"]);
    const told = { error_type: "step_failed", error_id: expect.any(String) };
    expect(stream.events.at(-1)!.data).toMatchObject({ error: "The step boom failed: step blew up at hello", ...told });
    const record = (await client().get(`${runs("bad-flow")}/${json.run_id}?session_id=bad`)).json;
    const [listed] = (await client().get(`${runs("bad-flow")}?session_id=bad`)).json;
    for (const shown of [json, record, listed]) expect(shown).toMatchObject({ ...told, error_id: json.error_id });
  });

  test("a failed run of a step has its own error in its record", async () => {
    const { json } = await start("simple-flow", { message: "explode", session_id: "step" });
    const told = { status: "ERROR", error_type: "model_provider_error" };
    expect(json).toMatchObject({ ...told, step_executor_runs: [told] });
    const [own] = json.step_executor_runs;
    expect(own.error_id).not.toBe(json.error_id);
    const [listed] = (await client().get(`${runs("simple-flow")}?session_id=step`)).json;
    expect(listed.step_executor_runs).toMatchObject([{ error_type: own.error_type, error_id: own.error_id }]);
  });

  test("[W6] [W9] [W17] [E2] an invalid form, an unknown workflow and invalid factory input are rejected before a run starts", async () => {
    expect((await client().post(runs("simple-flow"), { stream: false })).status).toBe(422);
    expect((await client().post(runs("none"), { message: "x" })).status).toBe(404);
    for (const [input, detail] of [
      ["bad", /^factory_input must be valid JSON: /],
      ["[]", /^factory_input must be a JSON object, got list$/],
      ["5", /got int$/],
    ] as const) {
      const started = await start("simple-flow", { factory_input: input });
      const listed = await client().get(`${runs("simple-flow")}?factory_input=${input}`);
      for (const { status, json } of [started, listed]) {
        expect([input, status, json.error_code]).toEqual([input, 400, "BAD_REQUEST"]);
        expect(json.detail).toMatch(detail);
      }
    }
    expect((await start("simple-flow", { factory_input: "{}" })).status).toBe(200);
    const { status, json } = await client().get(`${runs("simple-flow")}?session_id=s&status=paused`);
    expect([status, json]).toEqual([
      422,
      { detail: expect.stringContaining("query.status"), error_code: "VALIDATION_ERROR" },
    ]);
  });

  test("[P7] [W1] [W3] [W16] [W11] [W12] [W13] [W14] list their runs of a session in the shape of the contract", async () => {
    const { json: run } = await start("simple-flow", { session_id: "l1", user_id: "u1" });
    await start("rich-flow", { session_id: "l2" });
    const stream = await client().stream(runs("simple-flow"), { message: "hello", session_id: "l1" });
    await stream.all();
    const { status, json } = await client().get(`${runs("simple-flow")}?session_id=l1&factory_input=%7B%7D`);
    expect([status, json.map(({ run_id }: { run_id: string }) => run_id)]).toEqual([200, [run.run_id, stream.runId]]);
    expect(json[0]).toEqual({
      ...{ run_id: run.run_id, run_input: "hello", events: [], workflow_id: "simple-flow", user_id: "u1" },
      ...{ content: run.content, content_type: "str", status: "COMPLETED", step_results: run.step_results },
      ...{ step_executor_runs: [executorRun(run)], step_requirements: null, pause_kind: null },
      ...{ paused_step_name: null, paused_step_index: null, metrics: run.metrics },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      ...{ reasoning_content: "", reasoning_steps: [], references: [], citations: null, reasoning_messages: [] },
      ...{ images: [], videos: [], audio: [], files: [], response_audio: null },
    });
    expect(json[1].events.at(-1).event).toBe("WorkflowCompleted");
    for (const query of ["session_id=none", "session_id=l2"])
      expect((await client().get(`${runs("simple-flow")}?${query}`)).status).toBe(404);
    expect((await client().get(runs("none"))).status).toBe(404);
    const { json: session } = await client().get("/sessions/l1?type=workflow");
    expect(session).toMatchObject({
      ...{ session_id: "l1", workflow_id: "simple-flow", workflow_name: "Simple Flow", session_name: "hello" },
      session_data: { session_metrics: { total_tokens: expect.any(Number) } },
      workflow_data: { workflow_id: "simple-flow", steps: [{ name: "draft", type: "Step" }, { name: "upper" }] },
    });
    const { json: inSession } = await client().get("/sessions/l1/runs");
    expect(inSession).toHaveLength(2);
    for (const one of [inSession[0], (await client().get(`/sessions/l1/runs/${run.run_id}`)).json])
      expect(one.step_executor_runs).toEqual([executorRun(run)]);
  });

  test("[P8] [W7] [T1] list background runs in progress, and each status filter finds its runs", async () => {
    const begin = async (id: string, message: string): Promise<string> => {
      const sent = { message, stream: false, background: true, session_id: "bg" };
      const { status, json } = await client().post(runs(id), sent);
      expect([status, json.status]).toEqual([202, "PENDING"]);
      return json.run_id;
    };
    const listed = async (id: string, query = "") =>
      (await client().get(`${runs(id)}?session_id=bg${query}`)).json as { run_id: string; status: string }[];
    const statuses = ["PENDING", "RUNNING", "COMPLETED", "ERROR", "PAUSED"];
    const expectStates = async (id: string, states: Record<string, string>) => {
      const found = async () => (await listed(id)).map(({ run_id, status }) => [run_id, status]);
      await eventually(async () => expect(await found()).toEqual(Object.entries(states)));
      for (const status of statuses) {
        const wanted = Object.keys(states).filter((run) => states[run] === status);
        expect([status, ...(await listed(id, `&status=${status}`)).map(({ run_id }) => run_id)]).toEqual([
          status,
          ...wanted,
        ]);
      }
    };
    await expectStates("bad-flow", { [await begin("bad-flow", "hello")]: "ERROR" });
    await expectStates("hitl-flow", { [await begin("hitl-flow", "hello")]: "PAUSED" });
    const [first, second] = [await begin("queue-flow", "endless"), await begin("queue-flow", "hello")];
    await expectStates("queue-flow", { [first]: "RUNNING", [second]: "PENDING" });
    await client().post(`${runs("queue-flow")}/${first}/cancel`);
    await expectStates("queue-flow", { [first]: "CANCELLED", [second]: "COMPLETED" });
  });

  test("have a partial record while they run", async () => {
    const sent = { message: "endless", background: true, session_id: "bg-2", user_id: "u1" };
    const { json: run } = await start("simple-flow", sent);
    const path = `${runs("simple-flow")}/${run.run_id}`;
    const read = async () => (await client().get(`${path}?session_id=bg-2`)).json;
    await eventually(async () => expect((await read()).status).toBe("RUNNING"));
    const { step_executor_runs: _, ...record } = await read();
    const metrics = { steps: {}, duration: null };
    expect(record).toEqual({
      ...{ input: "endless", content_type: "str", workflow_id: "simple-flow", workflow_name: "Simple Flow" },
      ...{ run_id: run.run_id, session_id: "bg-2", user_id: "u1", created_at: expect.any(Number), status: "RUNNING" },
      ...{ metrics, events: [] },
    });
    expect((await client().get(`${runs("simple-flow")}?session_id=bg-2`)).json[0].metrics).toEqual(metrics);
    await client().post(`${path}/cancel`);
  });

  test("[R37] [T3] are cancelled and resumed like other runs, with one terminal event", async () => {
    const stream = await client().stream(runs("simple-flow"), { message: "endless", session_id: "c" });
    await stream.untilEvents(6);
    const one = `${runs("simple-flow")}/${stream.runId}`;
    const reader = await client().stream(`${one}/resume`, { last_event_index: 2 });
    expect((await client().post(`${one}/cancel?session_id=c`)).json).toEqual({});
    expect(namesOf(await stream.all()).at(-1)).toBe("WorkflowCancelled");
    const frames = (await reader.all()).filter(({ id }) => id !== undefined);
    expect(frames.map(({ raw }) => raw)).toEqual(stream.events.slice(3).map(({ raw }) => raw));
    const { json } = await client().get(`${one}?session_id=c`);
    expect([json.status, json.step_executor_runs[0].status]).toEqual(["CANCELLED", "CANCELLED"]);
    expect((await client().stream("/workflows/simple-flow/runs/none/resume")).status).toBe(404);
    expect((await client().stream(`/workflows/rich-flow/runs/${stream.runId}/resume`)).status).toBe(404);
  });
});

describe("a workflow that waits for a confirmation", () => {
  eachServer("", (client) => {
    const path = runs("hitl-flow");
    const paused = async (session: string) => {
      const { json } = await client().post(path, { message: "hello", stream: false, session_id: session });
      return json;
    };
    const go = (run: { run_id: string }, fields: Fields) => client().post(`${path}/${run.run_id}/continue`, fields);
    const answers = (run: { step_requirements: object[] }, change: object) =>
      JSON.stringify(run.step_requirements.map((requirement) => ({ ...requirement, ...change })));

    test("[W5] is PAUSED, is listed by that status, and continues after an answer; a second answer returns 409", async () => {
      const run = await paused("h1");
      expect(run).toMatchObject({
        status: "PAUSED",
        paused_step_index: 0,
        paused_step_name: "ask",
        pause_kind: "step",
      });
      expect(run.step_requirements).toEqual([
        expect.objectContaining({
          ...{ step_name: "ask", step_index: 0, step_type: "Step", requires_confirmation: true },
          ...{ confirmation_message: "ok?", confirmed: null, on_reject: "skip", requires_user_input: false },
          ...{ timeout_at: null, on_timeout: "cancel" },
          step_input: {
            ...{ input: "hello", previous_step_outputs: {}, previous_step_content: null, additional_data: null },
            ...{ images: null, videos: null, audio: null, files: null },
          },
        }),
      ]);
      const { json: listed } = await client().get(`${path}?session_id=h1&status=PAUSED`);
      expect(listed).toMatchObject([
        { run_id: run.run_id, pause_kind: "step", step_requirements: run.step_requirements },
      ]);
      const form = { session_id: "h1", stream: false, step_requirements: answers(run, { confirmed: true }) };
      const done = await go(run, form);
      expect([done.status, done.json.status, done.json.content]).toEqual([200, "COMPLETED", "UP:UP:hello"]);
      expect(done.json.step_results).toHaveLength(2);
      const answered = [{ ...run.step_requirements[0], confirmed: true }];
      expect(done.json.step_requirements).toEqual(answered);
      const { json: ended } = await client().get(`${path}?session_id=h1&status=COMPLETED`);
      expect(ended).toMatchObject([{ run_id: run.run_id, pause_kind: null, step_requirements: answered }]);
      const again = await go(run, form);
      expect([again.status, again.json]).toEqual([409, { detail: "run is already completed", error_code: "CONFLICT" }]);
    });

    test("skips the step if the answer rejects it", async () => {
      const run = await paused("h2");
      const step_requirements = answers(run, { confirmed: false });
      const { json } = await go(run, { session_id: "h2", stream: false, step_requirements });
      expect([json.status, json.content]).toEqual(["COMPLETED", "UP:hello"]);
      expect(json.step_results.map((one: Record<string, string>) => one.step_name)).toEqual(["after"]);
    });

    test("sends pause and continuation in the recorded order with a continuous index", async () => {
      const stream = await client().stream(path, { message: "hello", session_id: "h3" });
      expect(namesOf(await stream.all())).toEqual([
        ...["WorkflowStarted", "StepPaused", "WorkflowPaused", "WorkflowRunOutput"],
      ]);
      const [{ data }, { data: record }] = stream.events.slice(-2) as [Frame, Frame];
      expect(data).toMatchObject({
        status: "PAUSED",
        pause_kind: "step",
        paused_step_name: "ask",
        step_results: [],
        step_executor_runs: [],
      });
      // The record equals the one that a read returns, except for its events, and its data is not an event.
      const { json: read } = await client().get(`${path}/${stream.runId}?session_id=h3`);
      const { event_index: index, ...shown } = record;
      const { events, ...rested } = read;
      expect([index, shown]).toEqual([3, rested]);
      expect(events.map(({ event }: { event: string }) => event)).not.toContain(undefined);
      const one = `${path}/${stream.runId}`;
      const across = await client().stream(`${one}/resume`, { follow: true, last_event_index: 3 });
      const rest = await client().stream(`${one}/continue`, {
        session_id: "h3",
        step_requirements: JSON.stringify([{ step_id: data.step_requirements[0].step_id, confirmed: true }]),
      });
      const frames = await rest.all();
      expect(namesOf(frames)).toEqual([
        ...["StepContinued", "StepStarted", "StepOutput", "StepCompleted"],
        ...["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
      ]);
      expect(rest.events.map(({ id }) => Number(id))).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
      expect(rest.events.at(-1)!.data.step_executor_runs).toEqual([]);
      const [told, { data: completed }] = rest.events.slice(2, 4) as [Frame, Frame];
      const { steps, requires_iteration_review_pause: review, ...output } = told.data.step_output;
      expect([steps, review, output]).toEqual([null, false, completed.step_response]);
      await across.all();
      expect(across.events.map(({ raw }) => raw)).toEqual(rest.events.map(({ raw }) => raw));
    });

    test("stays paused after an invalid answer: 400 or 404", async () => {
      const run = await paused("h4");
      for (const [fields, status, detail] of [
        [{ step_requirements: "bad" }, 400, /^Invalid JSON in step_requirements field$/],
        [{ step_requirements: "{}" }, 400, /^Invalid structure or content for step_requirements: /],
        [{ step_requirements: '[{"confirmed":"maybe"}]' }, 400, /^Invalid structure or content/],
        [{ step_requirements: "[]" }, 400, /unresolved step requirements: \['ask'\]$/],
        [{}, 400, /unresolved step requirements: \['ask'\]$/],
        [{ step_requirements: '[{"step_id":"other","confirmed":true}]' }, 400, /unresolved/],
        [{ step_requirements: answers(run, { confirmed: null }) }, 400, /unresolved/],
        [{ session_id: "other", step_requirements: "[]" }, 404, /^Run not found$/],
        [{ session_id: "", step_requirements: "[]" }, 400, /^session_id is required for this action$/],
      ] as const) {
        const answer = await go(run, { session_id: "h4", stream: false, ...fields });
        expect([fields, answer.status]).toEqual([fields, status]);
        expect(answer.json.detail).toMatch(detail);
      }
      expect((await go({ run_id: "nope" }, { session_id: "h4" })).status).toBe(404);
      const { json } = await client().get(`${path}/${run.run_id}?session_id=h4`);
      expect(json).toEqual(asRead(run));
    });

    test("accepts one of several concurrent answers, and runs the step once", async () => {
      const run = await paused("h5");
      const form = { session_id: "h5", stream: false, step_requirements: answers(run, { confirmed: true }) };
      const all = await Promise.all(Array.from({ length: 8 }, () => go(run, form)));
      expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
      expect(all.find(({ status }) => status === 200)!.json).toMatchObject({
        status: "COMPLETED",
        content: "UP:UP:hello",
      });
      const frames = (await (await client().stream(`${path}/${run.run_id}/resume`)).all()).map(({ event }) => event);
      expect(frames.filter((event) => event === "StepContinued")).toHaveLength(1);
    });

    test("can be cancelled while it waits, and then returns 409 for an answer", async () => {
      const run = await paused("h6");
      expect((await client().post(`${path}/${run.run_id}/cancel?session_id=h6`)).status).toBe(200);
      const reader = await client().stream(`${path}/${run.run_id}/resume`, { follow: true });
      expect((await reader.all()).at(-1)!.event).toBe("WorkflowCancelled");
      const late = await go(run, { session_id: "h6", step_requirements: answers(run, { confirmed: true }) });
      expect([late.status, late.json.detail]).toEqual([409, "run is already cancelled"]);
    });
  });
});
