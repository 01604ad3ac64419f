/** Push notifications of a running server to a local receiver: delivery, retries, restarts and limits. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Arrival, desk, receiver } from "./support/desk.ts";
import { Raw, said03, said10 } from "./support/raw.ts";

const rawOf = (server: { client: { address: URL } }): Raw => new Raw(() => server.client.address.origin);

const push10 = (url: string, more: object = {}): object => ({ taskPushNotificationConfig: { url, ...more } });
const push03 = (url: string, more: object = {}): object => ({ pushNotificationConfig: { url, ...more } });

/** Returns the notified states in order. */
function states(got: readonly Arrival[]): string[] {
  return got.flatMap(({ body }) => body.statusUpdate?.status.state ?? body.status?.state ?? []);
}

const done10 = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"];

eachDatabase("a push notification", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));

  test.concurrent("is sent for each change of state in order (pause, continue, end), and for the answer's artifact", async ({
    expect,
    onTestFinished,
  }) => {
    const raw = rawOf(server);
    const [new10, new03] = [await receiver(() => 200, onTestFinished), await receiver(() => 200, onTestFinished)];
    const { json } = await raw.call("SendMessage", said10("approve", {}, push10(new10.url)));
    const { id: taskId, contextId } = json.result.task;
    await raw.call("tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig: { url: new03.url } });
    await expect.poll(() => states(new10.got)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
    expect(new10.got[1]?.body.statusUpdate.status.message.parts[0]).toMatchObject({ text: expect.any(String) });
    await raw.call("SendMessage", said10("yes", { taskId }));
    const all = ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", ...done10];
    await expect.poll(() => states(new10.got)).toEqual(all);
    expect(new10.got.at(-2)?.body.artifactUpdate).toMatchObject({
      ...{ taskId, contextId, append: false, lastChunk: true },
      artifact: { artifactId: "answer", parts: [{ text: "The tool said sent to Ada" }] },
    });
    // The second target was added later: it gets only later changes.
    await expect.poll(() => states(new03.got)).toEqual(["working", "completed"]);
    const artifacts = [
      { artifactId: "answer", name: "answer", parts: [{ kind: "text", text: "The tool said sent to Ada" }] },
    ];
    expect(new03.got.at(-1)?.body).toMatchObject({ kind: "task", id: taskId, contextId, artifacts });
    const ids = new10.got.map(({ headers }) => headers["x-a2a-notification-id"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.concurrent("of a failed or cancelled task has that state and no internal detail", async ({
    expect,
    onTestFinished,
  }) => {
    const raw = rawOf(server);
    const { url, got } = await receiver(() => 200, onTestFinished);
    await raw.call("message/send", said03("explode", {}, push03(url)));
    await expect.poll(() => states(got)).toEqual(["working", "failed"]);
    expect(JSON.stringify(got)).not.toContain("secret");
    const other = await receiver(() => 200, onTestFinished);
    const { json } = await raw.call(
      "SendMessage",
      said10("endless", {}, { returnImmediately: true, ...push10(other.url) }),
    );
    await expect.poll(() => states(other.got)).toEqual(["TASK_STATE_WORKING"]);
    await raw.call("CancelTask", { id: json.result.task.id });
    await expect.poll(() => states(other.got)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_CANCELED"]);
    // The partial answer is sent before the end.
    expect(other.got.at(-2)?.body.artifactUpdate.artifact.parts[0].text).toMatch(/^on /);
    const types = [got, other.got].map(([first]) => first?.headers["content-type"]);
    expect(types).toEqual(["application/json", "application/a2a+json"]);
  });

  test.concurrent("of one user is delivered while another user's targets do not answer", async ({
    expect,
    onTestFinished,
  }) => {
    const { settings, ...hosted } = desk();
    const bounded = { ...settings, maxConcurrentPushes: 4, pushTimeout: 600_000 };
    await using small = await openServer(await openDatabase(), { ...hosted, settings: bounded });
    const hole = await receiver(() => new Promise(() => undefined), onTestFinished);
    const { url, got } = await receiver(() => 200, onTestFinished);
    const raw = rawOf(small);
    for (let task = 0; task < 8; task++)
      await raw.with({ "x-user-id": "a" }).call("SendMessage", said10("hello", {}, push10(hole.url)));
    await raw.with({ "x-user-id": "b" }).call("SendMessage", said10("hello", {}, push10(url)));
    await expect.poll(() => states(got)).toEqual(done10);
  });

  test.concurrent("is retried until the target accepts it, before later notifications", async ({
    expect,
    onTestFinished,
  }) => {
    const { url, got } = await receiver((place) => (place < 3 ? 503 : 200), onTestFinished);
    await rawOf(server).call("SendMessage", said10("hello", {}, push10(url)));
    await expect.poll(() => states(got)).toEqual(done10);
  });

  test.concurrent("is sent for tasks of the documented endpoints too [A28] [A29] [A30] [V7]", async ({
    expect,
    onTestFinished,
  }) => {
    const { url, got } = await receiver(() => 200, onTestFinished);
    const authentication = { schemes: ["Bearer"], credentials: "of-the-client" };
    const configuration = push03(url, { id: "one", token: "mine", authentication });
    const body = { jsonrpc: "2.0", id: "1", method: "message/stream", params: said03("hello", {}, configuration) };
    await rawOf(server).frames("POST", "/a2a/teams/office/v1/message:stream", body);
    await expect.poll(() => states(got)).toEqual(["working", "completed"]);
    expect(got[0]?.headers).toMatchObject({
      authorization: "Bearer of-the-client",
      "x-a2a-notification-token": "mine",
    });
    const wrong = { ...body, params: said03("hello", {}, push03("ftp://client.example/")) };
    expect((await rawOf(server).ask("POST", "/a2a/teams/office/v1/message:stream", wrong)).status).toBe(422);
  });

  test("is abandoned after 410 or maxPushAttempts until the next change, and the task still completes", async () => {
    const settings = { pushRetryInterval: 5, maxPushAttempts: 3 };
    await using server = await openServer(await openDatabase(), desk({}, { settings }));
    const raw = rawOf(server);
    let [asked, gone] = [0, 0];
    const never = await receiver(() => 500 + 0 * asked++);
    const final = await receiver(() => 410 + 0 * gone++);
    const one = await raw.call("SendMessage", said10("approve", {}, push10(never.url)));
    const two = await raw.call("SendMessage", said10("approve", {}, push10(final.url)));
    await expect.poll(() => [asked, gone]).toEqual([3, 1]);
    // A further change causes a further attempt: the continue and the end together cause one or two.
    for (const { json } of [one, two]) await raw.call("SendMessage", said10("yes", { taskId: json.result.task.id }));
    await expect.poll(() => asked >= 6 && gone >= 2).toBe(true);
    const { json } = await raw.call("GetTask", { id: one.json.result.task.id });
    expect(json.result.status.state).toBe("TASK_STATE_COMPLETED");
  });

  test("that was not delivered before a shutdown is delivered by the next server", async () => {
    const database = await openDatabase();
    const refusing = await receiver((place) => (place < 1 ? 503 : 200));
    const settings = { pushRetryInterval: 300 };
    {
      await using server = await openServer(database, desk({}, { settings }));
      await rawOf(server).call("SendMessage", said10("hello", {}, push10(refusing.url)));
    }
    expect(states(refusing.got)).toEqual([]);
    await using _next = await openServer(database, desk({}, { settings }));
    await expect.poll(() => states(refusing.got)).toEqual(done10);
  });

  test("is not sent after its task was deleted, except for one attempt in progress", async () => {
    await using server = await openServer(await openDatabase(), desk({}, { settings: { pushRetryInterval: 200 } }));
    const raw = rawOf(server);
    let asked = 0;
    const { url } = await receiver(() => 503 + 0 * asked++);
    const { json } = await raw.call("SendMessage", said10("hello", { contextId: "gone" }, push10(url)));
    await expect.poll(() => asked).toBeGreaterThan(0);
    expect((await raw.ask("DELETE", "/sessions/gone")).status).toBe(204);
    expect((await raw.call("GetTask", { id: json.result.task.id })).json.error.code).toBe(-32001);
    const before = asked;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(asked - before).toBeLessThanOrEqual(1);
  });

  test("goes to the new address if its config is replaced during a delivery, and nowhere if its config is deleted", async () => {
    await using server = await openServer(await openDatabase(), desk({}, { settings: { pushRetryInterval: 100 } }));
    const raw = rawOf(server);
    // Two targets are receiving the first notification, and the notification of the end is still to come.
    const slow = [await slowReceiver(), await slowReceiver()] as const;
    const begun = await Promise.all(
      slow.map(({ url }) => raw.call("SendMessage", said10("hello", {}, { ...push10(url) }))),
    );
    await Promise.all(slow.map(({ held }) => held));
    const [deleted, replaced] = begun.map(({ json }) => json.result.task.id);
    const other = await receiver();
    await raw.call("DeleteTaskPushNotificationConfig", { taskId: deleted, id: await onlyIdOf(raw, deleted) });
    const id = await onlyIdOf(raw, replaced);
    await raw.call("CreateTaskPushNotificationConfig", { taskId: replaced, id, url: other.url });
    for (const { goOn } of slow) goOn();
    await expect.poll(() => states(other.got)).toEqual(done10);
    expect(slow.map(({ asked }) => asked())).toEqual([2, 2]);
  });
});

async function onlyIdOf(raw: Raw, taskId: string): Promise<string> {
  const { json } = await raw.call("ListTaskPushNotificationConfigs", { taskId });
  return json.result.configs[0].id;
}

/** Starts a receiver that rejects the first attempt and answers the second one only after `goOn` is called. */
async function slowReceiver(): Promise<{ url: string; held: Promise<void>; goOn: () => void; asked: () => number }> {
  let [asked, goOn, tell] = [0, (): void => undefined, (): void => undefined];
  const isLet = new Promise<void>((resolve) => (goOn = resolve));
  const held = new Promise<void>((resolve) => (tell = resolve));
  const server = createServer(async (request, response) => {
    request.resume();
    if (++asked === 1) return void response.writeHead(503).end();
    tell();
    await isLet;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/told`;
  return { url, held, goOn, asked: () => asked };
}

describe("the security of push notifications", () => {
  test("a notification is signed with a token that contains the hash of its body; the server publishes the key", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signingKey = { ...privateKey.export({ format: "jwk" }), kty: "EC", alg: "ES256", kid: "k1" };
    await using database = await openDatabaseOf("sqlite");
    await using server = await openServer(database, desk({ signingKey }));
    const raw = rawOf(server);
    const { url, got } = await receiver();
    await raw.call("SendMessage", said10("hello", {}, push10(url)));
    await expect.poll(() => states(got)).toEqual(done10);
    const keys = (await raw.ask("GET", "/.well-known/jwks.json")).json;
    expect(JSON.stringify(keys)).not.toContain('"d"');
    for (const { headers, text } of got) {
      const jwt = headers.authorization?.replace("Bearer ", "") ?? "";
      const { payload } = await jwtVerify(jwt, createLocalJWKSet(keys), { audience: new URL(url).origin });
      expect(payload.request_body_sha256).toBe(createHash("sha256").update(text).digest("hex"));
      expect(payload.jti).toBe(headers["x-a2a-notification-id"]);
    }
  });

  test("a private address is rejected by default", async () => {
    await using database = await openDatabaseOf("sqlite");
    await using server = await openServer(database, desk({ pushNotifications: true }));
    const raw = rawOf(server);
    const { url, got } = await receiver();
    const addresses = [
      url,
      "http://client.example/",
      "https://127.0.0.1/",
      "https://169.254.169.254/",
      "https://localhost/",
    ];
    for (const address of addresses) {
      const { json } = await raw.call("SendMessage", said10("hello", {}, push10(address)));
      expect(json.error).toMatchObject({ code: -32602, message: expect.stringContaining("url") });
    }
    expect(got).toEqual([]);
  });

  test("a platform with pushNotifications: false declares that in its card and rejects their operations", async () => {
    await using database = await openDatabaseOf("sqlite");
    await using server = await openServer(database, desk({ pushNotifications: false }));
    const raw = rawOf(server);
    const card = (await raw.ask("GET", "/a2a/agents/clerk/.well-known/agent-card.json")).json;
    expect(card.capabilities.pushNotifications).toBe(false);
    const { json } = await raw.call("SendMessage", said10("hello"));
    const taskId = json.result.task.id;
    const config = { taskId, id: "a", url: "https://client.example/" };
    for (const [method, params] of [
      ["CreateTaskPushNotificationConfig", config],
      ["GetTaskPushNotificationConfig", config],
      ["ListTaskPushNotificationConfigs", { taskId }],
      ["DeleteTaskPushNotificationConfig", config],
      ["SendMessage", said10("hello", {}, push10("https://client.example/"))],
    ] as const) {
      expect((await raw.call(method, params)).json.error.code).toBe(-32003);
    }
    const configuration = { pushNotificationConfig: { url: "https://client.example/" } };
    const { message } = said03("hello") as { message: object };
    const documented = { id: 1, params: { message, configuration } };
    const refused = await raw.ask("POST", "/a2a/agents/clerk/v1/message:stream", documented);
    expect([refused.status, refused.json.error_code]).toEqual([400, "BAD_REQUEST"]);
  });

  test("a body above maxPushBytes omits the artifacts and has artifactsLeftOut: true", async () => {
    await using database = await openDatabaseOf("sqlite");
    await using server = await openServer(database, desk({}, { settings: { maxPushBytes: 200 } }));
    const raw = rawOf(server);
    const [new10, new03] = [await receiver(), await receiver()];
    await raw.call("SendMessage", said10("x".repeat(500), {}, push10(new10.url)));
    await raw.call("message/send", said03("x".repeat(500), {}, push03(new03.url)));
    await expect.poll(() => states(new10.got)).toEqual(done10);
    expect(new10.got.at(-1)?.body.statusUpdate.metadata).toEqual({ artifactsLeftOut: true });
    await expect.poll(() => states(new03.got)).toEqual(["working", "completed"]);
    expect(new03.got.at(-1)?.body).toMatchObject({ metadata: { artifactsLeftOut: true } });
    expect([...new10.got, ...new03.got].some(({ text }) => text.includes("xxx"))).toBe(false);
  });
});
