/** The HTTP+JSON binding of both versions: paths, bodies, statuses. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk } from "./support/desk.ts";
import { Raw, said10 } from "./support/raw.ts";

const base = "/a2a/agents/clerk/rest";

/** Returns a message in the protocol-buffer JSON that clients of 0.3 send over HTTP. */
const saidBuffers = (text: string, more: object = {}, configuration?: object): object => ({
  message: { messageId: crypto.randomUUID(), role: "ROLE_USER", content: [{ text }], ...more },
  ...(configuration && { configuration }),
});

eachDatabase("the HTTP+JSON binding", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));
  const raw = new Raw(() => server.client.address.origin);

  describe("of 1.0", () => {
    test.concurrent("a message can be sent and its task read, listed and cancelled, each at its path", async ({
      expect,
    }) => {
      const contextId = "of-http";
      const sent = await raw.ask("POST", `${base}/message:send`, said10("hello", { contextId }));
      expect([sent.status, sent.json.task.status.state]).toEqual([200, "TASK_STATE_COMPLETED"]);
      const { id } = sent.json.task;
      const got = await raw.ask("GET", `${base}/tasks/${id}?historyLength=0`);
      expect(got.json).toMatchObject({ id, contextId, artifacts: [{ parts: [{ text: "You said: hello" }] }] });
      expect(got.json.history ?? []).toEqual([]);
      const listed = await raw.ask("GET", `${base}/tasks?contextId=${contextId}&pageSize=1&includeArtifacts=true`);
      expect(listed.json).toMatchObject({
        tasks: [{ id, artifacts: [{}] }],
        nextPageToken: "",
        pageSize: 1,
        totalSize: 1,
      });
      const begun = await raw.ask("POST", `${base}/message:send`, said10("endless", {}, { returnImmediately: true }));
      expect(begun.json.task.status.state).toMatch(/SUBMITTED|WORKING/);
      const cancelled = await raw.ask("POST", `${base}/tasks/${begun.json.task.id}:cancel`);
      expect(cancelled.json).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
    });

    test.concurrent("a stream contains the bare items, and can be subscribed to by GET and by POST", async ({
      expect,
    }) => {
      const frames = await raw.frames("POST", `${base}/message:stream`, said10("slow"), 4);
      const { id } = frames[0]!.data.task;
      expect(Object.keys(frames[1]!.data)).toEqual(["statusUpdate"]);
      for (const method of ["GET", "POST"]) {
        const back = raw.with({ "Last-Event-ID": frames[3]!.id! });
        const rest = await back.frames(method, `${base}/tasks/${id}:subscribe`);
        expect(rest.at(-1)!.data.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
      }
      const over = await raw.ask("GET", `${base}/tasks/${id}:subscribe`);
      expect([over.status, over.json.error.details[0].reason]).toEqual([400, "UNSUPPORTED_OPERATION"]);
    });

    test.concurrent("push notification configs can be created, read, listed and deleted below their task's path", async ({
      expect,
    }) => {
      const { json } = await raw.ask("POST", `${base}/message:send`, said10("hello"));
      const configs = `${base}/tasks/${json.task.id}/pushNotificationConfigs`;
      const url = "https://client.example/hook";
      const made = await raw.ask("POST", configs, { id: "a", url });
      expect([made.status, made.json]).toEqual([200, { taskId: json.task.id, id: "a", url }]);
      expect((await raw.ask("GET", `${configs}/a`)).json.url).toBe(url);
      expect((await raw.ask("GET", configs)).json).toMatchObject({ configs: [{ id: "a" }], nextPageToken: "" });
      const gone = await raw.ask("DELETE", `${configs}/a`);
      expect([gone.status, gone.json]).toEqual([200, {}]);
      expect((await raw.ask("DELETE", `${configs}/a`)).status).toBe(200);
      expect((await raw.ask("GET", `${configs}/a`)).status).toBe(404);
    });

    test.concurrent.for([
      ["malformed JSON", "POST", "/message:send", "{", 400, "JSON_PARSE"],
      ["a body that is a list", "POST", "/message:send", "[]", 400, "INVALID_REQUEST"],
      ["no body", "POST", "/message:send", "", 400, "INVALID_PARAMS"],
      ["a message without parts", "POST", "/message:send", said10("x", { parts: [] }), 400, "INVALID_PARAMS"],
      ["an unknown task", "GET", "/tasks/no-such-task", undefined, 404, "TASK_NOT_FOUND"],
      ["an unknown task to cancel", "POST", "/tasks/no-such-task:cancel", undefined, 404, "TASK_NOT_FOUND"],
      ["an unknown operation", "POST", "/tasks/x:dance", undefined, 404, "METHOD_NOT_FOUND"],
      ["constructor as operation", "POST", "/tasks/x:constructor", undefined, 404, "METHOD_NOT_FOUND"],
      ["no operation", "POST", "/tasks/x", undefined, 404, "METHOD_NOT_FOUND"],
      ["a page size that is too large", "GET", "/tasks?pageSize=1000", undefined, 400, "INVALID_PARAMS"],
      ["a page size that is not a number", "GET", "/tasks?pageSize=many", undefined, 400, "INVALID_PARAMS"],
      [
        "the extended card of a server without authorization",
        "GET",
        "/extendedAgentCard",
        undefined,
        400,
        "UNSUPPORTED_OPERATION",
      ],
    ] as const)(
      "%s gets the error with its status and reason",
      async ([, method, path, body, status, reason], { expect }) => {
        const answer = await raw.ask(method, `${base}${path}`, body);
        expect([answer.status, answer.json.error.code]).toEqual([status, status]);
        expect(answer.json.error.details[0]).toMatchObject({ reason, domain: "a2a-protocol.org" });
      },
    );

    test.concurrent("a body above the limit gets 413, and another version gets 400", async ({ expect }) => {
      const huge = await raw.ask("POST", `${base}/message:send`, said10("x".repeat(5 * 1024 * 1024)));
      expect([huge.status, huge.json.error.code]).toEqual([413, 413]);
      const long = await raw.ask("POST", `${base}/message:send`, said10("x".repeat(2 * 1024 * 1024)));
      expect([long.status, long.json.error.code]).toEqual([413, 413]);
      const other = await raw.with({ "A2A-Version": "0.3" }).ask("GET", `${base}/tasks/x`);
      expect([other.status, other.json.error.details[0].reason]).toEqual([400, "VERSION_NOT_SUPPORTED"]);
    });

    test.concurrent("an answer has the media type of 1.0 if the client accepts it", async ({ expect }) => {
      const typeFor = async (accept: string, path: string): Promise<string | null> => {
        const response = await raw.with({ accept }).send("GET", `${base}${path}`);
        await response.text();
        return response.headers.get("content-type");
      };
      const own = expect.stringMatching(/^application\/a2a\+json\b/);
      const usual = "application/json; charset=utf-8";
      expect(await typeFor("application/a2a+json, application/json", "/tasks")).toEqual(own);
      expect(await typeFor("application/a2a+json", "/tasks/no-such-task")).toEqual(own);
      expect(await typeFor("application/json, application/a2a+json;q=0", "/tasks")).toBe(usual);
      expect(await typeFor("*/*", "/tasks")).toBe(usual);
      expect(await typeFor("application/a2a+json", "/v1/tasks")).toBe(usual);
    });

    test.concurrent("an unknown component or path gets 404, and a wrong method gets 405", async ({ expect }) => {
      expect((await raw.ask("GET", "/a2a/agents/unknown/rest/tasks/x")).status).toBe(404);
      expect((await raw.ask("GET", `${base}/songs`)).status).toBe(404);
      expect((await raw.ask("DELETE", `${base}/tasks/x`)).status).toBe(405);
    });
  });

  describe("of 0.3", () => {
    test.concurrent("messages are accepted and answered in protocol-buffer JSON, and also accepted in the JSON of the schema", async ({
      expect,
    }) => {
      const sent = await raw.ask("POST", `${base}/v1/message:send`, saidBuffers("hello", {}, { blocking: true }));
      expect(sent.json.task).toMatchObject({
        status: { state: "TASK_STATE_COMPLETED" },
        history: [{ role: "ROLE_USER", content: [{ text: "hello" }] }],
        artifacts: [{ parts: [{ text: "You said: hello" }] }],
      });
      const kinds = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "by its schema" }] };
      const other = await raw.ask("POST", `${base}/v1/message:send`, { message: kinds });
      expect(other.json.task.artifacts[0].parts).toEqual([{ text: "You said: by its schema" }]);
      const snake = { request: { message_id: "m", role: "ROLE_USER", content: [{ text: "snake" }], context_id: "c" } };
      expect((await raw.ask("POST", `${base}/v1/message:send`, snake)).json.task.contextId).toBe("c");
    });

    test.concurrent("a message without blocking: true returns at once; a cancelled task has TASK_STATE_CANCELLED", async ({
      expect,
    }) => {
      const begun = await raw.ask("POST", `${base}/v1/message:send`, saidBuffers("endless", {}, {}));
      expect(begun.json.task.status.state).toMatch(/SUBMITTED|WORKING/);
      const { json } = await raw.ask("POST", `${base}/v1/tasks/${begun.json.task.id}:cancel`);
      expect(json.status.state).toBe("TASK_STATE_CANCELLED");
    });

    test.concurrent("files have the member names of protocol buffers", async ({ expect }) => {
      const fileWithBytes = Buffer.from("x").toString("base64");
      const content = [
        { file: { fileWithBytes, mimeType: "text/plain", name: "x.txt" } },
        { data: { data: { a_b: 1 } } },
      ];
      const { json } = await raw.ask(
        "POST",
        `${base}/v1/message:send`,
        saidBuffers("", { content }, { blocking: true }),
      );
      expect(json.task.history[0].content).toContainEqual({
        file: { fileWithBytes, mimeType: "text/plain", name: "x.txt" },
      });
      expect(json.task.artifacts[0].parts[0].text).toContain('You said: {"a_b":1}');
    });

    test.concurrent("push notification configs have resource names", async ({ expect }) => {
      const { json } = await raw.ask("POST", `${base}/v1/message:send`, saidBuffers("hello", {}, { blocking: true }));
      const configs = `${base}/v1/tasks/${json.task.id}/pushNotificationConfigs`;
      const url = "https://client.example/hook";
      const name = `tasks/${json.task.id}/pushNotificationConfigs/a`;
      const config = { name, push_notification_config: { id: "a", url } };
      const made = await raw.ask("POST", configs, { parent: `tasks/${json.task.id}`, config_id: "a", config });
      expect(made.json).toEqual({ name, pushNotificationConfig: { id: "a", url } });
      expect((await raw.ask("GET", `${configs}/a`)).json.name).toBe(name);
      expect((await raw.ask("GET", configs)).json.configs).toHaveLength(1);
      expect((await raw.ask("DELETE", `${configs}/a`)).status).toBe(200);
    });

    test.concurrent("errors have the codes of JSON-RPC and HTTP statuses", async ({ expect }) => {
      const unknown = await raw.ask("GET", `${base}/v1/tasks/no-such-task`);
      expect([unknown.status, unknown.json.code]).toEqual([404, -32001]);
      const card = await raw.ask("GET", `${base}/v1/card`);
      expect([card.status, card.json.code]).toEqual([400, -32007]);
      const other = await raw.with({ "A2A-Version": "1.0" }).ask("GET", `${base}/v1/tasks/x`);
      expect([other.status, other.json.code]).toEqual([400, -32009]);
    });

    test.concurrent("every operation is available at its path", async ({ expect }) => {
      const task = `${base}/v1/tasks/no-such-task`;
      const codes = await Promise.all(
        (
          [
            ["POST", `${base}/v1/message:send`, {}, -32602],
            ["POST", `${base}/v1/message:stream`, {}, -32602],
            ["GET", task, undefined, -32001],
            ["POST", `${task}:cancel`, undefined, -32001],
            ["POST", `${task}:subscribe`, undefined, -32001],
            ["GET", `${task}:subscribe`, undefined, -32001],
            ["POST", `${task}/pushNotificationConfigs`, { config: { url: "https://client.example/" } }, -32001],
            ["GET", `${task}/pushNotificationConfigs`, undefined, -32001],
            ["GET", `${task}/pushNotificationConfigs/a`, undefined, -32001],
            ["DELETE", `${task}/pushNotificationConfigs/a`, undefined, -32001],
            ["GET", `${base}/v1/card`, undefined, -32007],
          ] as const
        ).map(async ([method, path, body, code]) => [(await raw.ask(method, path, body)).json.code, code]),
      );
      for (const [received, code] of codes) expect(received).toBe(code);
      expect((await raw.ask("GET", `${base}/v1/tasks`)).status).toBe(200);
    });

    test.concurrent("tasks can be listed", async ({ expect }) => {
      const { json } = await raw.ask("POST", `${base}/v1/message:send`, saidBuffers("hello", { contextId: "old" }));
      const listed = await raw.ask("GET", `${base}/v1/tasks?contextId=old`);
      expect(listed.json.tasks.map(({ id }: { id: string }) => id)).toEqual([json.task.id]);
    });
  });
});
