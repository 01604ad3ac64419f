/** Remote agents over A2A: on a Troupe server (1.0), and on the stock JavaScript server (0.3). */
import { describe, expect, test } from "vitest";
import { defineAgent, defineWorkflow, remoteAgent, remoteTeam, remoteWorkflow, step } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import type { Frame } from "../support/stream-client.ts";
import { tcpRelay } from "../support/tcp-relay.ts";
import { desk, slowWords } from "./support/desk.ts";
import { Raw, said10 } from "./support/raw.ts";
import { stockServer03 } from "./support/stock-server.ts";

const rawOf = (server: OpenServer): Raw => new Raw(() => server.client.address.origin);

/** Starts a run by its form. */
async function run(raw: Raw, message: string, fields: Record<string, string> = {}) {
  const form = new URLSearchParams({ message, stream: "false", ...fields }).toString();
  return await raw.with({ "content-type": "application/x-www-form-urlencoded" }).ask("POST", "/agents/far/runs", form);
}

/** Returns the pieces of the answer. */
const saidIn = (events: readonly Frame[]): unknown[] =>
  events.filter(({ event }) => event === "RunContent").map(({ data }) => data.content);

eachDatabase("a remote component over A2A", (openDatabase) => {
  test("as an agent has runs, streams, sessions, failures and cancels like a local agent", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const a2a = `${there.client.address.origin}/a2a/agents/clerk`;
    await using here = await openServer(await openDatabase(), { agents: [remoteAgent({ id: "far", a2a })] });
    const raw = rawOf(here);
    const done = await run(raw, "hello", { session_id: "s1" });
    expect(done.json).toMatchObject({
      status: "COMPLETED",
      content: "You said: hello",
      agent_id: "far",
      session_id: "s1",
    });
    const tasks = await rawOf(there).call("ListTasks", { contextId: "s1" });
    expect(tasks.json.result.tasks).toHaveLength(1);

    const form = new URLSearchParams({ message: "in pieces", stream: "true" }).toString();
    const frames = await raw
      .with({ "content-type": "application/x-www-form-urlencoded" })
      .frames("POST", "/agents/far/runs", form);
    const names = frames.map(({ event }) => event);
    expect([names[0], names.at(-1)]).toEqual(["RunStarted", "RunCompleted"]);
    const said = frames.filter(({ event }) => event === "RunContent").map(({ data }) => data.content);
    expect([said.length > 2, said.join("")]).toEqual([true, "You said: in pieces"]);
    expect(frames.map(({ data }) => data.event_index)).toEqual(frames.map((_, place) => place));
    expect(new Set(frames.map(({ data }) => data.run_id)).size).toBe(1);

    const failed = await run(raw, "explode");
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.json)).not.toContain("secret");

    const begun = await raw
      .with({ "content-type": "application/x-www-form-urlencoded" })
      .frames("POST", "/agents/far/runs", new URLSearchParams({ message: "endless", stream: "true" }).toString(), 4);
    const { run_id, session_id } = begun[0]!.data;
    await raw.ask("POST", `/agents/far/runs/${run_id}/cancel?session_id=${session_id}`);
    await expect
      .poll(
        async () => (await rawOf(there).call("ListTasks", { contextId: session_id })).json.result.tasks[0].status.state,
      )
      .toBe("TASK_STATE_CANCELED");
  });

  test("as a team or workflow emits events with the names of its kind, and may be a step of a local workflow", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const a2a = (path: string): string => `${there.client.address.origin}/a2a/${path}`;
    const teams = [remoteTeam({ id: "office", a2a: a2a("teams/office") })];
    const far = remoteWorkflow({ id: "round", a2a: a2a("workflows/round") });
    const vault = remoteWorkflow({ id: "vault", a2a: a2a("workflows/vault") });
    const around = defineWorkflow({ id: "around", steps: [step({ name: "far", workflow: far })] });
    await using here = await openServer(await openDatabase(), { teams, workflows: [far, vault, around] });
    for (const [path, prefix] of [
      ["teams/office", "TeamRun"],
      ["workflows/round", "Workflow"],
    ] as const) {
      const stream = await here.client.stream(`/${path}/runs`, { message: "hello" });
      await stream.closed;
      const names = stream.events.map(({ event }) => event);
      expect([names[0], names.at(-1)]).toEqual([`${prefix}Started`, `${prefix}Completed`]);
      expect(stream.events.at(-1)?.data.content).toBe("You said: hello");
      const task = (await rawOf(here).call("SendMessage", said10("hello"), `/a2a/${path}`)).json.result.task;
      expect(task.artifacts[0].parts).toEqual([{ text: "You said: hello" }]);
      const form = new URLSearchParams({ message: "explode", stream: "false" }).toString();
      const raw = rawOf(here).with({ "content-type": "application/x-www-form-urlencoded" });
      expect((await raw.ask("POST", `/${path}/runs`, form)).text).not.toContain("secret");
    }
    const within = await here.client.stream("/workflows/around/runs", { message: "hello" });
    await within.closed;
    expect(within.events.at(-1)).toMatchObject({ event: "WorkflowCompleted", data: { content: "You said: hello" } });

    const ask = async (text: string, path: string, more: object = {}) =>
      (await rawOf(here).call("SendMessage", said10(text, more), path)).json.result.task;
    const asked = await ask("approve", "/a2a/teams/office");
    expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const done = await ask("yes", "/a2a/teams/office", { taskId: asked.id });
    expect(done.artifacts[0].parts).toEqual([{ text: "The tool said sent to Ada" }]);
    // A question of a remote workflow's step cannot be answered from the local server.
    const waits = await ask("pay", "/a2a/workflows/vault");
    expect([waits.status.state, waits.status.message.metadata.error_type]).toEqual([
      "TASK_STATE_FAILED",
      "remote_paused",
    ]);
  });

  test("continues its stream without loss after each cut, and after the local run was taken over [L3]", async () => {
    await using there = await openServer(await openDatabase(), desk());
    await using relay = await tcpRelay(new URL(there.client.address.origin));
    const agents = [remoteAgent({ id: "far", a2a: `${relay.url}/a2a/agents/clerk` })];
    const own = await openDatabase();
    const answer = slowWords.join("");
    {
      await using here = await openServer(own, { agents });
      const stream = await here.client.stream("/agents/far/runs", { message: "slow" });
      await stream.until(4);
      relay.cut();
      await stream.until(8);
      relay.cut();
      await stream.closed;
      // Every word arrives once and in its own event, so no later request for the task was needed.
      expect(saidIn(stream.events)).toEqual(slowWords);
      expect(stream.events.at(-1)).toMatchObject({ event: "RunCompleted", data: { content: answer } });
    }
    const first = await openServer(own, { agents });
    const begun = await first.client.stream("/agents/far/runs", { message: "slow", session_id: "taken-up" });
    await begun.until(4);
    await first.end(0);
    await using second = await openServer(own, { agents });
    await expect
      .poll(async () => (await second.client.get(`/agents/far/runs/${begun.runId}?session_id=taken-up`)).body)
      .toMatchObject({ status: "COMPLETED", content: answer });
    const told = await rawOf(second)
      .with({ "last-event-id": "-1" })
      .callFrames("tasks/resubscribe", { id: begun.runId }, "/a2a/agents/far");
    const pieces = told.flatMap(({ data: { result } }) => (result.artifact ? [result.artifact.parts[0].text] : []));
    // The text before the takeover is one piece.
    expect(pieces.join("")).toBe(answer);
    const tasks = await rawOf(there).call("ListTasks", {});
    expect(tasks.json.result.tasks).toHaveLength(2);
  });
});

describe("a remote agent on the stock server of 0.3", () => {
  test("completes with its answer or fails with its reason, and gets the run id as the idempotency key", async () => {
    const there = await stockServer03();
    await using database = await openDatabaseOf("sqlite");
    const card = `${there.origin}/.well-known/agent-card.json`;
    const own = defineAgent({ id: "own", model: scriptedModel(["x"]) });
    const agents = [own, remoteAgent({ id: "far", a2a: card, credential: "none" })];
    await using here = await openServer(database, { agents });
    const raw = rawOf(here);
    const done = await run(raw, "hello");
    expect(done.json).toMatchObject({ status: "COMPLETED", content: "Echo: hello" });
    expect(there.keys).toEqual([done.json.run_id]);
    const failed = await run(raw, "fail");
    expect([failed.status, JSON.stringify(failed.json).includes("No.")]).toEqual([500, true]);
  });

  test.each([
    ["is resubscribed to when its stream breaks, and the answer has no gap", {}, "tasks/resubscribe"],
    ["sends meaningless event ids, which are not used as cursors", { ids: true }, "tasks/resubscribe"],
    ["does not support resubscribe, so the task is polled", { unknown: ["tasks/resubscribe"] }, "tasks/get"],
  ])("%s", async (_, behaviour, method) => {
    const there = Object.assign(await stockServer03(), { breaksAfter: 3, ...behaviour });
    await using database = await openDatabaseOf("sqlite");
    await using here = await openServer(database, { agents: [remoteAgent({ id: "far", a2a: there.origin })] });
    const stream = await here.client.stream("/agents/far/runs", { message: "one two three four five six seven" });
    await stream.closed;
    const whole = "Echo: one two three four five six seven";
    expect(stream.events.at(-1)).toMatchObject({ event: "RunCompleted", data: { content: whole } });
    expect(saidIn(stream.events).join("")).toBe(whole);
    expect(there.calls).toContain(method);
  });

  test("is not called if its card names another host or the server is unreachable: the run fails with 502", async () => {
    const there = await stockServer03();
    await using database = await openDatabaseOf("sqlite");
    // The endpoint's host differs from the card's host: a credential must not be sent there.
    const a2a = there.origin.replace("127.0.0.1", "localhost");
    const unreachable = "http://127.0.0.1:1";
    const agents = [remoteAgent({ id: "far", a2a }), remoteAgent({ id: "gone", a2a: unreachable })];
    await using here = await openServer(database, { agents });
    const refused = await run(rawOf(here), "hello");
    expect(refused.status).toBe(502);
    const form = new URLSearchParams({ message: "x", stream: "false" }).toString();
    const raw = rawOf(here).with({ "content-type": "application/x-www-form-urlencoded" });
    expect((await raw.ask("POST", "/agents/gone/runs", form)).status).toBe(502);
  });
});
