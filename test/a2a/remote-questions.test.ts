/** Questions of remote agents over A2A: from a Troupe server (1.0), and from the stock JavaScript server (0.3). */
import { describe, expect, test } from "vitest";
import { defineTeam, defineWorkflow, remoteAgent, step } from "../../src/index.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk } from "./support/desk.ts";
import { Raw, said10 } from "./support/raw.ts";
import { stockServer03 } from "./support/stock-server.ts";

const rawOf = (server: OpenServer): Raw => new Raw(() => server.client.address.origin);

const question = "I have tools to execute, but I need confirmation.";

/** Starts or continues a run by its form. */
async function post(server: OpenServer, path: string, fields: Record<string, string>) {
  const form = new URLSearchParams({ stream: "false", session_id: "s", ...fields }).toString();
  const raw = rawOf(server).with({ "content-type": "application/x-www-form-urlencoded" });
  return (await raw.ask("POST", path, form)).json;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the answers without types
const answered = ({ tools: [tool] }: any, value: unknown): Record<string, string> => {
  const [field] = tool.user_input_schema;
  return { tools: JSON.stringify([{ ...tool, answered: true, user_input_schema: [{ ...field, value }] }]) };
};

eachDatabase("a question of a remote agent", (openDatabase) => {
  test("pauses the local run, is answered by continuing it, and is asked again after an invalid answer", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const far = remoteAgent({ id: "far", a2a: `${there.client.address.origin}/a2a/agents/clerk` });
    await using here = await openServer(await openDatabase(), { agents: [far] });
    const paused = await post(here, "/agents/far/runs", { message: "approve slowly" });
    expect(paused).toMatchObject({ status: "PAUSED", content: question });
    expect(paused.tools[0]).toMatchObject({
      tool_name: "input_required",
      tool_args: { question, data: [{ tools: [{ tool_name: "send_letter" }] }] },
      requires_user_input: true,
      user_input_schema: [{ name: "answer", field_type: "str", description: question }],
    });
    const path = `/agents/far/runs/${paused.run_id}/continue`;
    const again = await post(here, path, answered(paused, "perhaps"));
    expect([again.status, again.content.startsWith(`${question}\n(`)]).toEqual(["PAUSED", true]);
    const stream = await here.client.stream(path, { session_id: "s", ...answered(again, "yes") });
    await stream.closed;
    const names = stream.events.map(({ event }) => event);
    expect([names[0], names.at(-1), names.includes("RunPaused")]).toEqual(["RunContinued", "RunCompleted", false]);
    expect(stream.events.at(-1)?.data.content).toBe("The tool said sent to Ada");
    const said = stream.events.filter(({ event }) => event === "RunContent").map(({ data }) => data.content);
    expect([said.join(""), said.length > 1]).toEqual(["The tool said sent to Ada", true]);
    expect(await post(here, path, answered(again, "yes"))).toMatchObject({ detail: "run is already completed" });
  });

  test("can be answered over A2A here or at the remote server first; a cancel here cancels the remote task", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const far = remoteAgent({ id: "far", a2a: `${there.client.address.origin}/a2a/agents/clerk` });
    await using here = await openServer(await openDatabase(), { agents: [far] });
    const ask = async (more: object) =>
      (await rawOf(here).call("SendMessage", said10("approve", more), "/a2a/agents/far")).json.result.task;
    const say = async (text: string, taskId: string, server = here, agent = "far") =>
      (await rawOf(server).call("SendMessage", said10(text, { taskId }), `/a2a/agents/${agent}`)).json.result.task;
    const farTask = async (contextId: string) =>
      (await rawOf(there).call("ListTasks", { contextId })).json.result.tasks[0];

    const one = await ask({ contextId: "one" });
    expect(one.status).toMatchObject({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { parts: [{ text: question }, {}] },
    });
    expect(await say("no", one.id)).toMatchObject({ status: { state: "TASK_STATE_COMPLETED" } });

    const two = await ask({ contextId: "two" });
    await say("yes", (await farTask("two")).id, there, "clerk");
    const done = await say("no", two.id);
    expect(done.artifacts).toMatchObject([{ parts: [{ text: "The tool said sent to Ada" }] }]);

    const three = await ask({ contextId: "three" });
    await rawOf(here).call("CancelTask", { id: three.id }, "/a2a/agents/far");
    await expect.poll(async () => (await farTask("three")).status.state).toBe("TASK_STATE_CANCELED");
  });

  test("in a team or workflow pauses it, and can be answered after a restart", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const far = remoteAgent({ id: "far", a2a: `${there.client.address.origin}/a2a/agents/clerk` });
    const leads = ({ results: [result] }: ScriptedCall) =>
      result
        ? `They said: ${result.text}`
        : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "far", task: "approve" } }] };
    const hosted = () => ({
      teams: [defineTeam({ id: "crew", model: scriptedModel(leads), members: [far] })],
      workflows: [defineWorkflow({ id: "round", steps: [step({ name: "ask", agent: far })] })],
    });
    const own = await openDatabase();
    const first = await openServer(own, hosted());
    const team = await post(first, "/teams/crew/runs", { message: "go" });
    const workflow = await post(first, "/workflows/round/runs", { message: "approve" });
    expect([team.status, workflow.status]).toEqual(["PAUSED", "PAUSED"]);
    await first.end(0);
    await using second = await openServer(own, hosted());
    const say = async (path: string, { run_id }: { run_id: string }) =>
      (await rawOf(second).call("SendMessage", said10("yes", { taskId: run_id }), path)).json.result.task;
    const said = "The tool said sent to Ada";
    expect((await say("/a2a/teams/crew", team)).artifacts).toMatchObject([{ parts: [{ text: `They said: ${said}` }] }]);
    expect((await say("/a2a/workflows/round", workflow)).artifacts).toMatchObject([{ parts: [{ text: said }] }]);
  });
});

describe("a question of the stock server of 0.3", () => {
  test("is answered by a message to its task, with structured answers as data", async () => {
    const there = await stockServer03();
    await using database = await openDatabaseOf("sqlite");
    await using here = await openServer(database, { agents: [remoteAgent({ id: "far", a2a: there.origin })] });
    const paused = await post(here, "/agents/far/runs", { message: "ask me" });
    expect(paused).toMatchObject({ status: "PAUSED", content: "Which one?" });
    const path = `/agents/far/runs/${paused.run_id}/continue`;
    const stream = await here.client.stream(path, { session_id: "s", ...answered(paused, "the left one") });
    await stream.closed;
    expect(stream.events.at(-1)).toMatchObject({ event: "RunCompleted", data: { content: "Echo: the left one" } });
    const next = await post(here, "/agents/far/runs", { message: "ask me" });
    const done = await post(here, `/agents/far/runs/${next.run_id}/continue`, answered(next, { side: "right" }));
    expect(done.content).toBe('Echo: {"side":"right"}');
  });
});
