/** `POST /a2a/teams/{id}/v1/message:stream` against the published description. */
import { describe, expect, test } from "vitest";
import { answerIn, framesOf, openStream, postJson, request, results } from "./support/a2a.ts";
import { eachServer } from "./support/server.ts";

const path = "/a2a/teams/duo-team/v1/message:stream";
const families = ["agents/plain-agent", "teams/duo-team", "workflows/simple-flow"];

eachServer("the A2A message endpoint", (client) => {
  test.each(["message%3Astream", "message%3astream", "%6Dessage:strea%6d", "message:stream/"])(
    "[A1] accepts a path with percent escapes: %s",
    async (name) => {
      const stream = await openStream(client(), `/a2a/teams/duo%2Dteam/v1/${name}?x=%3A`, request("hello"));
      expect(stream.status).toBe(200);
      expect((await stream.all()).at(-1)?.event).toBe("Task");
      for (const other of ["message%253Astream", "message%2Fstream", "message%3Bstream"])
        expect((await postJson(client(), `/a2a/teams/duo-team/v1/${other}`, request("hello"))).status).toBe(404);
    },
  );

  test("[P6] [A1] [A2] [A4] [A34] [A35] [A36] [A37] [A38] [A39] [V5] [V6] [T2] [X3] streams a task's updates, its message and the completed task for a message", async () => {
    const body = request("hello", { contextId: "a2a-1" }, {}, { method: "message/stream" });
    const stream = await openStream(client(), path, body);
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const frames = await stream.all();
    for (const { data, event, raw } of frames) {
      expect(data).toEqual({ jsonrpc: "2.0", id: "req-1", result: expect.any(Object) });
      expect(["TaskStatusUpdateEvent", "Message", "Task"]).toContain(event);
      expect(raw).toMatch(/^event: \w+\ndata: \{.*\}\nid: \d+\.\d+\n\n$/);
    }
    const taskId = stream.runId;
    expect(frames[0]?.data.result).toEqual({
      ...{ kind: "status-update", taskId, contextId: "a2a-1", status: "working", final: false },
    });
    const message = frames.find(({ event }) => event === "Message")?.data.result;
    expect(message).toEqual({
      ...{ kind: "message", messageId: expect.any(String), role: "agent", taskId, contextId: "a2a-1" },
      ...{ parts: [{ kind: "text", text: "Hello" }], metadata: { agno_content_category: "content" } },
    });
    expect(answerIn(frames)).toBe("Hello there, you said: hello");
    const [update, task] = frames.slice(-2);
    expect([update?.event, update?.data.result]).toEqual([
      "TaskStatusUpdateEvent",
      { kind: "status-update", taskId, contextId: "a2a-1", status: "completed", final: true },
    ]);
    expect([task?.event, task?.data.result]).toEqual([
      "Task",
      {
        ...{ kind: "task", id: taskId, contextId: "a2a-1", status: { state: "completed" } },
        history: [
          {
            ...{ kind: "message", messageId: message.messageId, role: "agent", taskId, contextId: "a2a-1" },
            parts: [{ kind: "text", text: "Hello there, you said: hello" }],
            metadata: { metrics: expect.objectContaining({ total_tokens: expect.any(Number) }) },
          },
        ],
      },
    ]);
    expect((await client().get(`/teams/duo-team/runs/${taskId}?session_id=a2a-1`)).json.status).toBe("COMPLETED");
  });

  test("[A23] [A32] accepts a message without role, jsonrpc, method, kind, contextId or a part's kind, and treats null in optional members as absent", async () => {
    const bare = { id: 7, params: { message: { messageId: "m", parts: [{ text: "hello" }] } } };
    const frames = await framesOf(client(), path, bare);
    expect([frames[0]?.data.id, answerIn(frames)]).toEqual([7, "Hello there, you said: hello"]);
    const nothing = { contextId: null, taskId: null, metadata: null, extensions: null, referenceTaskIds: null };
    const message = { ...bare.params.message, ...nothing, agentId: null };
    const nulls = { ...bare, params: { message, configuration: null, metadata: null } };
    expect((await framesOf(client(), path, nulls)).at(-1)?.event).toBe("Task");
    const empty = request("", { parts: [] });
    expect((await framesOf(client(), path, empty)).at(-1)?.data.result.status.state).toBe("completed");
    expect((await postJson(client(), path, bare, { "content-type": "application/json; charset=utf-8" })).status).toBe(
      200,
    );
  });

  test("[A11] repeats the request's id in every frame with its JSON type", async () => {
    for (const id of ["7", 7, "", 0, -1, "ü\n\u0001"]) {
      const frames = await framesOf(client(), path, request("hello", {}, {}, { id }));
      expect([...new Set(frames.map(({ data }) => data.id))]).toEqual([id]);
    }
  });

  test("[A12] [A13] [A14] [A15] [A17] [A20] [A22] [A24] [A25] [A26] [A27] [A28] [A29] [A33] accepts every described member and ignores unknown ones", async () => {
    const message = {
      ...{ contextId: "a2a-full", kind: "message", role: "user", agentId: "somebody-else", unknown: { deep: [1] } },
      ...{ extensions: ["https://example.com/x"], referenceTaskIds: ["t-0"], metadata: { userId: "u1", more: 1 } },
      parts: [{ kind: "text", text: "hello", metadata: { a: 1 }, x: 1 }],
    };
    const push = { url: "https://example.com/hook", id: "p", token: "t", more: 1 };
    const authentication = { schemes: ["Bearer"], credentials: "c" };
    const configuration = {
      ...{ acceptedOutputModes: ["text/plain"], blocking: false, historyLength: 0, unknown: true },
      pushNotificationConfig: { ...push, authentication },
    };
    const params = { configuration, metadata: { purpose: "test", nested: { a: [1] } }, unknown: 1 };
    const frames = await framesOf(client(), path, request("hello", message, params, { unknown: 1 }));
    const task = frames.at(-1)?.data.result;
    expect([answerIn(frames), task.history]).toEqual(["Hello there, you said: hello", []]);
    const run = (await client().get(`/teams/duo-team/runs/${task.id}?session_id=a2a-full`)).json;
    expect([run.metadata, run.user_id, run.team_id]).toEqual([params.metadata, "u1", "duo-team"]);
  });

  test("[A16] uses contextId as the session, and creates a session if it is absent", async () => {
    const contextId = "a2a-session";
    for (const text of ["first", "second"]) await framesOf(client(), path, request(text, { contextId }));
    const runs = (await client().get(`/teams/duo-team/runs?session_id=${contextId}`)).json;
    expect(runs.map((run: { run_input: string }) => run.run_input)).toEqual(["first", "second"]);
    const alone = results(await framesOf(client(), path, request("hello")));
    expect(new Set(alone.map((result) => result.contextId)).size).toBe(1);
    expect(alone[0].contextId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("[A5] [A6] [A7] [A42] without authorization, reads the user id from the header, else from the message; a reserved one returns 403", async () => {
    const userOf = async (body: object, headers: object): Promise<unknown> => {
      const [first] = results(await framesOf(client(), path, body, headers));
      return (await client().get(`/teams/duo-team/runs/${first.taskId}?session_id=${first.contextId}`)).json.user_id;
    };
    const named = request("hello", { metadata: { userId: "from-message" } });
    expect(await userOf(named, { "x-user-id": "from-header" })).toBe("from-header");
    expect(await userOf(named, {})).toBe("from-message");
    expect(await userOf(request("hello", { metadata: { userId: "" } }), {})).toBeUndefined();
    for (const userId of ["__scheduler__", "sa:bot", "__oauth__:x"]) {
      const detail = "Client-supplied user_id may not claim a reserved principal";
      const inHeader = await postJson(client(), path, request("hello"), { "x-user-id": userId });
      const inMessage = await postJson(client(), path, request("hello", { metadata: { userId } }));
      for (const { status, json } of [inHeader, inMessage]) expect([status, json]).toEqual([403, { detail }]);
    }
    expect((await postJson(client(), path, request("x"), { "x-user-id": "u".repeat(256) })).status).toBe(422);
  });

  describe("[A9] [A10] [A18] [A19] [A31] [A43] [A44] [A48] [E7] [E8] returns 422 with the location for a body that does not match the schema:", () => {
    const message = ["body", "params", "message"];
    const configuration = ["body", "params", "configuration"];
    const push = (config: unknown): object => request("x", {}, { configuration: { pushNotificationConfig: config } });
    test.each<[string, unknown, (string | number)[]]>([
      ["no id", request("x", {}, {}, { id: undefined }), ["body", "id"]],
      ["a null id", request("x", {}, {}, { id: null }), ["body", "id"]],
      ["a boolean id", request("x", {}, {}, { id: true }), ["body", "id"]],
      ["an id with a fraction", request("x", {}, {}, { id: 1.5 }), ["body", "id"]],
      ["another JSON-RPC version", request("x", {}, {}, { jsonrpc: "1.0" }), ["body", "jsonrpc"]],
      ["another method", request("x", {}, {}, { method: "message/send" }), ["body", "method"]],
      ["a null jsonrpc", request("x", {}, {}, { jsonrpc: null }), ["body", "jsonrpc"]],
      ["a null method", request("x", {}, {}, { method: null }), ["body", "method"]],
      ["no params", { id: "1" }, ["body", "params"]],
      ["params as a string", { id: "1", params: JSON.stringify({ message: {} }) }, ["body", "params"]],
      ["params as a list", { id: "1", params: [] }, ["body", "params"]],
      ["no message", { id: "1", params: {} }, message],
      ["metadata as a list", request("x", {}, { metadata: [] }), ["body", "params", "metadata"]],
      ["no messageId", request("x", { messageId: undefined }), [...message, "messageId"]],
      ["a number as messageId", request("x", { messageId: 1 }), [...message, "messageId"]],
      ["no parts", request("x", { parts: undefined }), [...message, "parts"]],
      ["parts as a string", request("x", { parts: "hello" }), [...message, "parts"]],
      ["a part as a string", request("x", { parts: ["hello"] }), [...message, "parts", 0]],
      [
        "a part with an unknown kind",
        request("x", { parts: [{ kind: "image", text: "x" }] }),
        [...message, "parts", 0, "kind"],
      ],
      ["an empty part", request("x", { parts: [{}] }), [...message, "parts", 0, "text"]],
      ["a text that is a number", request("x", { parts: [{ text: 1 }] }), [...message, "parts", 0, "text"]],
      ["a file part without a file", request("x", { parts: [{ kind: "file" }] }), [...message, "parts", 0, "file"]],
      [
        "a file without bytes or address",
        request("x", { parts: [{ kind: "file", file: {} }] }),
        [...message, "parts", 0, "file"],
      ],
      [
        "a file URI of the local disk",
        request("x", { parts: [{ kind: "file", file: { uri: "file:///etc/passwd" } }] }),
        [...message, "parts", 0, "file", "uri"],
      ],
      [
        "bytes that are not base64",
        request("x", { parts: [{ kind: "file", file: { bytes: "%%%" } }] }),
        [...message, "parts", 0, "file", "bytes"],
      ],
      [
        "empty bytes",
        request("x", { parts: [{ kind: "file", file: { bytes: " \n" } }] }),
        [...message, "parts", 0, "file", "bytes"],
      ],
      [
        "a data URI without content",
        request("x", { parts: [{ kind: "file", file: { uri: "data:text/plain," } }] }),
        [...message, "parts", 0, "file", "uri"],
      ],
      [
        "a number as metadata of a part",
        request("x", { parts: [{ text: "x", metadata: 1 }] }),
        [...message, "parts", 0, "metadata"],
      ],
      ["a role other than user", request("x", { role: "agent" }), [...message, "role"]],
      ["a kind other than message", request("x", { kind: "task" }), [...message, "kind"]],
      ["a null role", request("x", { role: null }), [...message, "role"]],
      ["a null kind", request("x", { kind: null }), [...message, "kind"]],
      ["a null kind of a part", request("x", { parts: [{ kind: null, text: "x" }] }), [...message, "parts", 0, "kind"]],
      ["a number as contextId", request("x", { contextId: 1 }), [...message, "contextId"]],
      ["a contextId that is too long", request("x", { contextId: "x".repeat(256) }), [...message, "contextId"]],
      ["a context with NUL", request("x", { contextId: "a\0b" }), [...message, "contextId"]],
      ["a list as taskId", request("x", { taskId: [] }), [...message, "taskId"]],
      ["a number as agentId", request("x", { agentId: 1 }), [...message, "agentId"]],
      ["extensions as a string", request("x", { extensions: "x" }), [...message, "extensions"]],
      ["a number as extension", request("x", { extensions: ["x", 1] }), [...message, "extensions", 1]],
      ["referenceTaskIds as a string", request("x", { referenceTaskIds: "x" }), [...message, "referenceTaskIds"]],
      ["a string as metadata of the message", request("x", { metadata: "x" }), [...message, "metadata"]],
      ["a number as userId", request("x", { metadata: { userId: 1 } }), [...message, "metadata", "userId"]],
      ["a null userId", request("x", { metadata: { userId: null } }), [...message, "metadata", "userId"]],
      ["configuration as a string", request("x", {}, { configuration: "x" }), configuration],
      [
        "acceptedOutputModes as a string",
        request("x", {}, { configuration: { acceptedOutputModes: "x" } }),
        [...configuration, "acceptedOutputModes"],
      ],
      ["blocking as a string", request("x", {}, { configuration: { blocking: "no" } }), [...configuration, "blocking"]],
      [
        "a historyLength with a fraction",
        request("x", {}, { configuration: { historyLength: 1.5 } }),
        [...configuration, "historyLength"],
      ],
      ["a push configuration without url", push({}), [...configuration, "pushNotificationConfig", "url"]],
      ["a number as push token", push({ url: "u", token: 1 }), [...configuration, "pushNotificationConfig", "token"]],
      ["a number as push id", push({ url: "u", id: 1 }), [...configuration, "pushNotificationConfig", "id"]],
      [
        "a push id with NUL",
        push({ url: "https://client.example/", id: "a\0b" }),
        [...configuration, "pushNotificationConfig", "id"],
      ],
      [
        "a push url on the loopback address",
        push({ url: "http://127.0.0.1/" }),
        [...configuration, "pushNotificationConfig"],
      ],
      [
        "authentication schemes as a string",
        push({ url: "u", authentication: { schemes: "x" } }),
        [...configuration, "pushNotificationConfig", "authentication", "schemes"],
      ],
      [
        "a number as credentials",
        push({ url: "u", authentication: { credentials: 1 } }),
        [...configuration, "pushNotificationConfig", "authentication", "credentials"],
      ],
    ])("%s", async (_what, body, loc) => {
      const { status, json } = await postJson(client(), path, body);
      expect([status, Object.keys(json)]).toEqual([422, ["detail"]]);
      for (const fault of json.detail) {
        expect(fault).toMatchObject({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) });
        expect(fault).toHaveProperty("input");
        if ("ctx" in fault) expect(fault.ctx).toEqual(expect.any(Object));
      }
      expect(json.detail.map((fault: { loc: unknown }) => fault.loc)).toContainEqual(loc);
    });

    test.each([
      ["malformed JSON", "{bad", "application/json"],
      ["an empty body", "", "application/json"],
      ["a JSON array", "[]", "application/json"],
      ["a JSON string", '"hello"', "application/json"],
      ["JSON nested too deeply", `${"[".repeat(500)}${"]".repeat(500)}`, "application/json"],
      ["a form", "id=1", "application/x-www-form-urlencoded"],
      ["another media type", JSON.stringify(request("x")), "text/plain"],
    ])("%s", async (_what, body, type) => {
      const { status, json } = await postJson(client(), path, body, { "content-type": type });
      expect([status, Object.keys(json), Array.isArray(json.detail)]).toEqual([422, ["detail"], true]);
      expect(json.detail[0]).toMatchObject({ loc: expect.arrayContaining(["body"]), msg: expect.any(String) });
    });
  });

  test("[A46] [A48] an unknown component returns 404 as a plain HTTP error, and GET returns 405", async () => {
    for (const [family, title] of [
      ["agents", "Agent"],
      ["teams", "Team"],
      ["workflows", "Workflow"],
    ]) {
      for (const action of ["stream", "send"]) {
        const { status, json } = await postJson(client(), `/a2a/${family}/nope/v1/message:${action}`, request("x"));
        expect([status, json]).toEqual([404, { detail: `${title} not found`, error_code: "NOT_FOUND" }]);
      }
    }
    expect((await client().get(path)).status).toBe(405);
    expect((await postJson(client(), "/a2a/teams/duo-team/v1/message", request("x"))).status).toBe(404);
  });

  test("[A40] a failed run ends with a failed task that reveals no internal error text", async () => {
    for (const [family, text] of [
      ["agents/plain-agent", "explode"],
      ["teams/duo-team", "explode"],
      ["workflows/bad-flow", "secret"],
    ]) {
      const frames = await framesOf(client(), `/a2a/${family}/v1/message:stream`, request(text ?? ""));
      const [update, task] = results(frames).slice(-2);
      expect([task.status.state, update.final]).toEqual(["failed", true]);
      expect(family === "teams/duo-team" ? update.status : update.status.state).toBe("failed");
      expect(task.history[0].parts[0].text).toMatch(/^The task failed\. \(error [0-9a-f-]{36}\)$/);
      const [id] = /[0-9a-f-]{36}/.exec(task.history[0].parts[0].text) ?? [];
      const why = {
        error_type: family === "workflows/bad-flow" ? "step_failed" : "model_provider_error",
        error_id: id,
      };
      expect(task.history[0].metadata).toEqual(why);
      if (family !== "teams/duo-team") expect(update.status.message.metadata).toEqual(why);
      for (const { raw } of frames) expect(raw).not.toMatch(/exploded|blew up/);
    }
  });

  test("agents and workflows send status as an object, and teams do so if the request names a protocol version", async () => {
    for (const family of families) {
      for (const version of [undefined, "0.3", "1.0", "0.3.0"]) {
        const headers = version ? { "a2a-version": version } : {};
        const all = results(await framesOf(client(), `/a2a/${family}/v1/message:stream`, request("hello"), headers));
        const updates = all.filter(({ kind }) => kind === "status-update");
        const isBare = family.startsWith("teams") && version === undefined;
        expect(updates[0].status).toEqual(isBare ? "working" : { state: "working" });
        expect(updates.at(-1).status).toEqual(isBare ? "completed" : { state: "completed" });
      }
    }
    const { status, json } = await postJson(client(), path, request("x"), { "a2a-version": "2.0" });
    expect([status, json.detail[0].loc]).toEqual([422, ["header", "a2a-version"]]);
  });

  test("a team's stream keeps the team's task id, and marks messages of members in their metadata", async () => {
    const stream = await openStream(client(), path, request("delegate hello"));
    const all = results(await stream.all());
    expect([...new Set(all.map((result) => result.taskId ?? result.id))]).toEqual([stream.runId]);
    const types = all.flatMap(({ metadata }) => metadata?.agno_event_type ?? []);
    expect(types).toEqual(["tool_call_started", "member_run_started", "member_run_completed", "tool_call_completed"]);
    expect(all.find(({ metadata }) => metadata?.agno_event_type === "tool_call_started").metadata).toEqual({
      ...{ agno_event_type: "tool_call_started", tool_name: "delegate_task_to_member" },
      ...{ tool_call_id: expect.any(String), tool_args: '{"member_id":"agent-a","task":"delegate hello"}' },
    });
    const messages = all.filter(({ kind }) => kind === "message");
    const byId = Map.groupBy(messages, ({ messageId }) => messageId);
    expect(byId.size).toBe(2);
    const [member, own] = [...byId.values()];
    const textOf = (some: typeof messages = []): string =>
      some.flatMap(({ parts }) => parts.map((part: { text: string }) => part.text)).join("");
    expect(textOf(own)).toBe("Tool said: Hello there, you said: delegate hello");
    expect(textOf(member)).toBe("Hello there, you said: delegate hello");
    expect(member?.[0].metadata).toEqual({
      ...{ agno_content_category: "member_content", member_id: "agent-a", member_name: "Agent A" },
      member_run_id: expect.any(String),
    });
    expect(textOf([all.at(-1).history[0]])).toBe(textOf(own));
  });

  test("a workflow's stream names its steps by the recorded event types, and the task has the answer", async () => {
    const stream = await openStream(client(), "/a2a/workflows/rich-flow/v1/message:stream", request("hello"));
    const all = results(await stream.all());
    expect([...new Set(all.map((result) => result.taskId ?? result.id))]).toEqual([stream.runId]);
    const types = new Set(all.flatMap(({ metadata }) => metadata?.agno_event_type ?? []));
    const wanted = [
      "workflow_step_started",
      "workflow_step_completed",
      "loop_iteration_started",
      "loop_iteration_completed",
    ];
    const containers = ["parallel", "condition", "loop", "router"].flatMap((one) => [
      `${one}_execution_started`,
      `${one}_execution_completed`,
    ]);
    expect([...types]).toEqual(expect.arrayContaining([...wanted, ...containers]));
    expect(all.at(-1)).toMatchObject({ kind: "task", status: { state: "completed" } });
    expect(all.at(-1).history[0].parts[0].text).toContain("Tool said");
  });

  test("a data part becomes JSON text of the input, a file part without a media type becomes a document, and large parts return 413", async () => {
    const bytes = Buffer.from("a,b").toString("base64");
    const parts = [
      ...[{ kind: "text", text: "hello" }, { kind: "data", data: { a: 1 } }, { text: "solo" }],
      ...[{ kind: "file", file: { uri: "https://example.com/a.png", mimeType: "image/png" } }],
      ...[
        { kind: "file", file: { bytes, name: "a.csv" } },
        { kind: "file", file: { bytes, mimeType: "AUDIO/wav" } },
      ],
    ];
    const send = path.replace("stream", "send");
    const { json } = await postJson(client(), send, request("", { parts, contextId: "a2a-files" }));
    const run = (await client().get(`/teams/duo-team/runs/${json.result.id}?session_id=a2a-files`)).json;
    expect(run.input).toMatchObject({
      input_content: 'hello\n{"a":1}\nsolo',
      images: [{ url: "https://example.com/a.png", mime_type: "image/png" }],
      audios: [{ content: bytes, mime_type: "audio/wav" }],
      files: [{ content: bytes, filename: "a.csv" }],
    });
    const large = { parts: [{ text: "x".repeat(1024 * 1024 + 1) }] };
    expect((await postJson(client(), path, request("", large))).status).toBe(413);
    expect((await postJson(client(), path, request("x".repeat(5 * 1024 * 1024)))).status).toBe(413);
  });
});
