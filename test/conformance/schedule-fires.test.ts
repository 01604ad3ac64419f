/** Fires of schedules: their effect on the platform, and changes of the schedule while they run. */
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import type { Answer, Client } from "./support/client.ts";
import { eachServer } from "./support/server.ts";

const json = { "content-type": "application/json" };

function send(client: Client, method: string, path: string, body?: unknown): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.send(`/schedules${path}`, { method, headers: json, ...sent });
}

const slowRun = { endpoint: "/agents/plain-agent/runs", method: "POST", payload: { message: "slow" } };

let names = 0;

async function make(client: Client, plan: Record<string, unknown>): Promise<string> {
  const whole = { name: `fires ${names++}`, cron_expr: "@yearly", ...slowRun, ...plan };
  const made = await send(client, "POST", "", whole);
  expect(made.status).toBe(201);
  return made.json.id;
}

/** Waits for a fire of the schedule whose run has begun. */
async function begun(client: Client, id: string): Promise<Answer["json"]> {
  return await eventually(async () => {
    const [fire] = (await client.get(`/schedules/${id}/runs`)).json.data;
    expect(fire).toMatchObject({ status: "running", run_id: expect.any(String) });
    return fire;
  });
}

/** Waits for the end of the schedule's only fire. */
async function settled(client: Client, id: string): Promise<Answer["json"]> {
  return await eventually(async () => {
    const [fire, ...others] = (await client.get(`/schedules/${id}/runs`)).json.data;
    expect([fire.status, others]).toEqual([expect.stringMatching(/success|failed|cancelled/), []]);
    return fire;
  });
}

eachServer("fires of schedules", (client) => {
  test("a fire runs a workflow with the message, session and state of its payload", async () => {
    const payload = { message: "slow", session_id: "weekly", stream: true, session_state: { of: ["a"] } };
    const id = await make(client(), { endpoint: "/workflows/simple-flow/runs", payload });
    const { json: fired } = await send(client(), "POST", `/${id}/trigger`);
    expect(fired).toMatchObject({ status: "success", session_id: "weekly", input: { input_content: "slow" } });
    const run = await client().get(`/workflows/simple-flow/runs/${fired.run_id}?session_id=weekly`);
    expect(run.json).toMatchObject({ status: "COMPLETED", content: fired.output.content });
  });

  test("a run that pauses ends its fire as paused with the requirements, and the record follows the continued run to its end", async () => {
    const plan = { endpoint: "/agents/hitl-agent/runs", payload: { message: "email" }, pause_after_failures: 1 };
    const id = await make(client(), plan);
    const { json: fired } = await send(client(), "POST", `/${id}/trigger`);
    expect(fired).toMatchObject({ status: "paused", status_code: 200, error: null });
    expect(fired.output).toEqual({
      ...{ content: "I have tools to execute, but I need confirmation.", content_type: "str" },
    });
    expect(fired.requirements[0].tool_execution).toMatchObject({ tool_name: "send_email" });
    expect((await client().get(`/schedules/${id}`)).json).toMatchObject({ enabled: true });
    const run = `/agents/hitl-agent/runs/${fired.run_id}`;
    const tools = JSON.stringify([{ ...fired.requirements[0].tool_execution, confirmed: true }]);
    // A change of the schedule meanwhile does not matter.
    await send(client(), "PATCH", `/${id}`, { endpoint: "/health", method: "GET", payload: null });
    expect((await client().post(`${run}/continue`, { session_id: fired.session_id, tools })).status).toBe(200);
    const record = await settled(client(), id);
    expect(record).toMatchObject({ id: fired.id, run_id: fired.run_id, status: "success", requirements: null });
    expect(record.output.content).toBe("Tool said: sent to a@example.com");
  });

  test("a run that is cancelled while paused is cancelled in its fire's record", async () => {
    const id = await make(client(), { endpoint: "/agents/hitl-agent/runs", payload: { message: "email" } });
    const { json: fired } = await send(client(), "POST", `/${id}/trigger`);
    await client().post(`/agents/hitl-agent/runs/${fired.run_id}/cancel?session_id=${fired.session_id}`);
    expect(await settled(client(), id)).toMatchObject({ id: fired.id, status: "cancelled", requirements: null });
  });

  test("a change, a disable and a deletion of the schedule do not affect a running fire", async () => {
    const id = await make(client(), { payload: { message: "slow" } });
    const firing = send(client(), "POST", `/${id}/trigger`);
    await begun(client(), id);
    const changes = { timeout_seconds: 1, endpoint: "/health", method: "GET", payload: null, cron_expr: "@daily" };
    expect((await send(client(), "PATCH", `/${id}`, changes)).status).toBe(200);
    expect((await send(client(), "POST", `/${id}/disable`)).json.enabled).toBe(false);
    expect((await firing).json).toMatchObject({ status: "success", output: { content_type: "str" } });

    expect((await send(client(), "POST", `/${id}/enable`)).json.enabled).toBe(true);
    await send(client(), "PATCH", `/${id}`, { ...slowRun, timeout_seconds: 60 });
    const last = send(client(), "POST", `/${id}/trigger`);
    const { run_id, session_id } = await begun(client(), id);
    expect((await send(client(), "DELETE", `/${id}`)).status).toBe(204);
    expect((await last).status).toBe(404);
    const path = `/agents/plain-agent/runs/${run_id}?session_id=${session_id}`;
    await eventually(async () => expect((await client().get(path)).json.status).toBe("COMPLETED"));
  });

  test("a fire that follows a stream fails at its timeout, and the run of that stream continues", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams({ message: "endless", stream: "false", background: "true" });
    const started = await client().send("/agents/plain-agent/runs", { method: "POST", headers, body: `${body}` });
    const run = `/agents/plain-agent/runs/${started.json.run_id}`;
    const id = await make(client(), { endpoint: `${run}/resume`, timeout_seconds: 1 });
    expect((await send(client(), "POST", `/${id}/trigger`)).json).toMatchObject({
      ...{ status: "failed", error: "Timed out after 1 seconds.", run_id: null },
    });
    const { session_id } = started.json;
    expect((await client().get(`${run}?session_id=${session_id}`)).json.status).toBe("RUNNING");
    await client().send(`${run}/cancel?session_id=${session_id}`, { method: "POST" });
  });

  test("disabling the schedule cancels a pending retry", async () => {
    const plan = {
      cron_expr: "* * * * * *",
      endpoint: "/sessions/nope",
      method: "GET",
      max_retries: 1,
      retry_delay_seconds: 3_600,
    };
    const id = await make(client(), { ...plan, max_fires: 1 });
    const rows = async () => (await client().get(`/schedules/${id}/runs`)).json.data as Answer["json"][];
    await eventually(async () => expect((await rows()).map(({ status }) => status)).toEqual(["pending", "failed"]));
    await send(client(), "POST", `/${id}/disable`);
    expect((await rows()).map(({ attempt, status }) => [attempt, status])).toEqual([
      [2, "cancelled"],
      [1, "failed"],
    ]);
  });
});
