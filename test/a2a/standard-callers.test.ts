/** Authorization on the standard endpoints: scopes, user isolation and cards. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { desk } from "./support/desk.ts";
import { Raw, said03, said10 } from "./support/raw.ts";

const pair = makePair();
const path = "/a2a/agents/clerk";

eachDatabase("callers of the standard endpoints", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    server = await openServer(await openDatabase(), desk({}, { authorization }));
  });
  afterAll(() => server.end(0));
  const stranger = new Raw(() => server.client.address.origin);
  const as = (sub: string, ...scopes: string[]): Raw => stranger.with(bearer(token({ sub, scopes }, pair)));

  test("a request without a token gets 401 with WWW-Authenticate: Bearer", async () => {
    for (const [method, where] of [
      ["POST", path],
      ["POST", `${path}/rest/message:send`],
      ["GET", `${path}/rest/tasks/x`],
      ["GET", `${path}/rest/v1/card`],
    ] as const) {
      const { status, headers, json } = await stranger.ask(method, where, method === "POST" ? {} : undefined);
      expect([status, headers.get("www-authenticate"), json.error_code]).toEqual([401, "Bearer", "UNAUTHENTICATED"]);
    }
  });

  test("each operation requires its own scope: read for tasks, run for messages, cancels, subscriptions and push configs", async () => {
    const [reader, sender, other] = [as("ada", "agents:read"), as("ada", "agents:run"), as("ada", "teams:run")];
    const { json } = await sender.call("SendMessage", said10("hello"));
    const { id } = json.result.task;
    const forbidden = { detail: "Insufficient permissions. Required scope(s): agents:run" };
    const refused = await reader.call("SendMessage", said10("hello"));
    expect([refused.status, refused.json]).toEqual([403, forbidden]);
    expect((await reader.call("message/send", said03("hello"))).status).toBe(403);
    expect((await reader.call("GetTask", { id })).json.result.id).toBe(id);
    expect((await sender.call("GetTask", { id })).status).toBe(403);
    for (const method of ["SubscribeToTask", "CancelTask"])
      expect((await reader.call(method, { id })).status).toBe(403);
    const configs = { taskId: id, id: "a", url: "https://client.example/" };
    expect((await reader.call("CreateTaskPushNotificationConfig", configs)).status).toBe(403);
    expect((await reader.call("ListTaskPushNotificationConfigs", { taskId: id })).status).toBe(403);
    expect((await other.call("SendMessage", said10("hello"))).status).toBe(403);
    expect((await reader.ask("GET", `${path}/rest/tasks/${id}`)).json.id).toBe(id);
    expect((await reader.ask("GET", `${path}/rest/tasks/${id}:subscribe`)).status).toBe(403);
    expect((await as("ada", "agents:clerk:run").call("SendMessage", said10("hello"))).status).toBe(200);
    expect((await as("ada", "agents:counter:run").call("SendMessage", said10("hello"))).status).toBe(403);
  });

  test("the operator's scope mappings for runs apply to starts, answers, reads, subscriptions and cancels", async () => {
    const run = "/agents/{agent_id}/runs";
    const scopeMappings = {
      [`POST ${run}`]: ["launch"],
      [`POST ${run}/{run_id}/continue`]: ["approve"],
      [`POST ${run}/{run_id}/cancel`]: ["stop"],
      [`POST ${run}/{run_id}/resume`]: ["watch"],
      [`GET ${run}/{run_id}`]: ["look"],
    };
    const authorization = { verificationKeys: [pair.pem], scopeMappings };
    await using mapped = await openServer(await openDatabase(), desk({}, { authorization }));
    const raw = new Raw(() => mapped.client.address.origin);
    const may = (...scopes: string[]): Raw =>
      raw.with(bearer(token({ sub: "ada", scopes: ["agents:run", "agents:read", ...scopes] }, pair)));
    const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status;
    for (const scope of ["approve", "stop", "watch", "look"])
      expect(await statusOf(may(scope).call("SendMessage", said10("approve")))).toBe(403);
    const { id } = (await may("launch").call("SendMessage", said10("approve"))).json.result.task;
    const answer = said10("yes", { taskId: id });
    for (const [scope, work] of [
      ["approve", (sender: Raw) => sender.call("SendMessage", answer)],
      ["look", (sender: Raw) => sender.call("GetTask", { id })],
      ["watch", (sender: Raw) => sender.call("tasks/resubscribe", { id })],
      ["stop", (sender: Raw) => sender.call("CancelTask", { id })],
    ] as const) {
      expect([scope, await statusOf(work(may("launch")))]).toEqual([scope, 403]);
      expect([scope, await statusOf(work(may(scope)))]).toEqual([scope, 200]);
    }
  });

  test("another user's task gets the same errors as an unknown one, and is not listed", async () => {
    const all = ["agents:run", "agents:read"];
    const [ada, bob] = [as("ada", ...all), as("bob", ...all)];
    const { json } = await ada.call("SendMessage", said10("approve", { contextId: "private" }));
    const { id } = json.result.task;
    const config = { taskId: id, id: "a", url: "https://client.example/" };
    await ada.call("CreateTaskPushNotificationConfig", config);
    for (const [method, params] of [
      ["GetTask", { id }],
      ["CancelTask", { id }],
      ["SubscribeToTask", { id }],
      ["tasks/resubscribe", { id }],
      ["SendMessage", said10("yes", { taskId: id })],
      ["GetTaskPushNotificationConfig", config],
      ["ListTaskPushNotificationConfigs", { taskId: id }],
      ["CreateTaskPushNotificationConfig", config],
      ["DeleteTaskPushNotificationConfig", config],
    ] as const) {
      const theirs = await bob.call(method, params);
      const unknown = await bob.call(method, JSON.parse(JSON.stringify(params).replaceAll(id, "no-such-task")));
      expect([method, theirs.json.error]).toEqual([method, { ...unknown.json.error }]);
      expect(theirs.json.error.code).toBe(-32001);
    }
    expect((await bob.call("ListTasks", {})).json.result).toMatchObject({ tasks: [], totalSize: 0 });
    expect((await bob.call("ListTasks", { contextId: "private" })).json.result.tasks).toEqual([]);
    expect((await ada.call("ListTasks", { contextId: "private" })).json.result.tasks).toHaveLength(1);
    // Bob's context of the same name is a different context.
    const own = await bob.call("SendMessage", said10("hello", { contextId: "private" }));
    expect(own.json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await as("root", "agent_os:admin").call("GetTask", { id })).json.result.id).toBe(id);
  });

  test("the run's user is the token's subject, not the user in the message's metadata", async () => {
    const ada = as("ada", "agents:run", "agents:read");
    const { json } = await ada.call("SendMessage", said10("hello", { metadata: { userId: "bob" } }));
    const { id, contextId } = json.result.task;
    const run = await as("ada", "agents:read").ask("GET", `/agents/clerk/runs/${id}?session_id=${contextId}`);
    expect(run.json.user_id).toBe("ada");
  });

  describe("the card", () => {
    test("the extended card requires the component's read scope and lists more skills than the public card", async () => {
      const office = "/a2a/teams/office";
      const idsOf = (card: { skills: { id: string }[] }): string[] => card.skills.map(({ id }) => id);
      const shown = (await as("ada", "teams:read").ask("GET", `${office}/.well-known/agent-card.json`)).json;
      expect(shown).toMatchObject({
        supportsAuthenticatedExtendedCard: true,
        capabilities: { extendedAgentCard: true },
        securitySchemes: { bearer: {} },
      });
      expect((await stranger.call("GetExtendedAgentCard", {}, office)).status).toBe(401);
      expect((await as("ada", "teams:run").call("GetExtendedAgentCard", {}, office)).status).toBe(403);
      const reader = as("ada", "teams:read");
      const one = (await reader.call("GetExtendedAgentCard", {}, office)).json.result;
      const old = (await reader.call("agent/getAuthenticatedExtendedCard", undefined, office)).json.result;
      expect(idsOf(one)).toEqual([...idsOf(shown), "office/clerk/send_letter"]);
      expect([idsOf(old), old.protocolVersion, "supportedInterfaces" in old]).toEqual([idsOf(one), "0.3.0", false]);
      expect((await reader.ask("GET", `${office}/rest/extendedAgentCard`)).json).toEqual(one);
      expect((await reader.ask("GET", `${office}/rest/v1/card`)).json).toEqual(old);
    });
  });
});
