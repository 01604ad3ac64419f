/** A2A requests with an arbitrary value in an arbitrary place: the server answers or rejects them, and never fails internally. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { repetitions } from "../support/repetitions.ts";
import { postJson, request } from "./support/a2a.ts";
import { eachServer } from "./support/server.ts";

const file = { kind: "file", file: { bytes: "YQ==", mimeType: "text/plain", name: "a.txt" } };
const push = {
  url: "https://example.com",
  id: "p",
  token: "t",
  authentication: { schemes: ["Bearer"], credentials: "c" },
};
const whole = request(
  "hello",
  {
    ...{ kind: "message", role: "user", contextId: "hostile", taskId: "", agentId: "a", metadata: { userId: "u" } },
    ...{ extensions: ["e"], referenceTaskIds: ["t"] },
    parts: [{ kind: "text", text: "hello", metadata: {} }, { kind: "data", data: { a: 1 } }, file],
  },
  {
    metadata: { factory_input: {} },
    configuration: {
      acceptedOutputModes: ["text/plain"],
      blocking: true,
      historyLength: 1,
      pushNotificationConfig: push,
    },
  },
);

const standard = "/a2a/agents/plain-agent";
const { params } = whole as { params: { message: object; configuration: object } };
const call = (method: string, params: object): object => ({ jsonrpc: "2.0", id: 1, method, params });
const calls: readonly object[] = [
  call("message/send", params),
  call("SendMessage", {
    message: {
      ...{ messageId: "m", role: "ROLE_USER", contextId: "hostile", metadata: { userId: "u" } },
      parts: [{ text: "hello" }, { data: { a: 1 } }, { raw: "YQ==", mediaType: "text/plain", filename: "a.txt" }],
    },
    configuration: { historyLength: 1, taskPushNotificationConfig: { id: "p", url: "https://example.com" } },
  }),
  call("GetTask", { id: "x", historyLength: 1 }),
  call("ListTasks", {
    contextId: "c",
    status: "TASK_STATE_WORKING",
    pageSize: 3,
    statusTimestampAfter: "2026-01-01T00:00:00Z",
  }),
  call("tasks/pushNotificationConfig/set", { taskId: "x", pushNotificationConfig: push }),
  call("CancelTask", { id: "x" }),
];

type Place = readonly (string | number)[];

/** All paths into a JSON value. */
function placesIn(value: unknown, above: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [above];
  const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [above, ...below.flatMap(([name, member]) => placesIn(member, [...above, name as string | number]))];
}

function withValue(value: unknown, [name, ...rest]: Place, given: unknown): unknown {
  if (name === undefined) return given;
  if (Array.isArray(value)) return value.map((one, place) => (place === name ? withValue(one, rest, given) : one));
  const members = value as Record<string, unknown>;
  return { ...members, [name]: withValue(members[name], rest, given) };
}

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    "",
    "\0",
    "\ud800",
    "x".repeat(300),
    [],
    [[]],
    {},
    [null],
    { kind: "text" },
  ),
  fc.constantFrom<unknown>(
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "data:text/plain;base64,YQ==",
    "http://[",
    "sa:bot",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const headers = fc.constantFrom<Record<string, string>>(
  ...[{}, { "x-user-id": "\u00ff" }, { "x-user-id": "a b" }, { "a2a-version": "1" }, { "last-event-id": "0.0" }],
  ...[
    { "last-event-id": "-5" },
    { "idempotency-key": "\u00fc" },
    { "content-type": "application/json; charset=utf-16" },
  ],
);
const paths = fc.constantFrom(
  ...["/a2a/agents/plain-agent/v1/message:stream", "/a2a/agents/plain-agent/v1/message:send", "/a2a/message/send"],
  ...["/a2a/agents/plain-agent/v1/tasks:get", "/a2a/agents/plain-agent/v1/tasks:cancel"],
);

eachServer("malformed A2A requests", (client) => {
  test("an arbitrary value anywhere in a request to the platform's endpoints returns an expected status code", async () => {
    await fc.assert(
      fc.asyncProperty(
        paths,
        fc.constantFrom(...placesIn(whole)),
        strange,
        headers,
        async (path, place, value, more) => {
          const { status, text } = await postJson(client(), path, withValue(whole, place, value), more);
          expect([200, 202, 400, 403, 404, 409, 413, 422], text).toContain(status);
        },
      ),
      { numRuns: repetitions(80) },
    );
  });

  test("an arbitrary value in a call or a path of the standard endpoints causes no internal error", async () => {
    const wordless = fc.constantFrom("constructor", "x:constructor", "x:toString", "..", "%00", "a%2Fb", "x:", ":");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls.flatMap((call) => placesIn(call).map((place) => ({ call, place })))),
        strange,
        wordless,
        headers,
        async ({ call, place }, value, word, more) => {
          const { status, text } = await postJson(client(), standard, withValue(call, place, value), more);
          expect([200, 403, 413, 415, 422], text).toContain(status);
          expect(text).not.toContain("INTERNAL_ERROR");
          for (const path of [`tasks/${word}`, `v1/tasks/${word}`, `tasks/x/pushNotificationConfigs/${word}`]) {
            expect((await client().get(`${standard}/rest/${path}`)).status).toBeLessThan(500);
          }
        },
      ),
      { numRuns: repetitions(80) },
    );
  });

  test("invalid role and configId members of the 0.3 HTTP binding return 400", async () => {
    const rest = `${standard}/rest/v1`;
    const send = (message: object) => postJson(client(), `${rest}/message:send`, message);
    for (const role of [{ toString: 1, valueOf: 1 }, [{ toString: 1 }], 5, null]) {
      expect((await send({ message: { role, messageId: "m" } })).status).toBe(400);
    }
    const content = [{ text: "hello" }];
    const { json } = await send({ message: { role: "ROLE_USER", messageId: "m", content } });
    const configs = `${rest}/tasks/${json.task.id}/pushNotificationConfigs`;
    const config = { url: "https://example.com" };
    for (const configId of [{ a: 1 }, ["a"], 5, true, "a\u0000b", "\ud800", "x".repeat(1_000)]) {
      const answer = await postJson(client(), configs, { configId, config });
      expect([answer.status, answer.text], JSON.stringify(configId)).toEqual([
        400,
        expect.stringContaining("Invalid parameters: configId"),
      ]);
    }
  });
});
