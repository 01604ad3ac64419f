/** The JSON-RPC binding of both versions, by their specifications. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk, slowWords } from "./support/desk.ts";
import { Raw, said03, said10 } from "./support/raw.ts";

const path = "/a2a/agents/clerk";
const versions = ["0.3", "1.0"] as const;
const words = {
  "0.3": { send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel", said: said03 },
  "1.0": { send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", cancel: "CancelTask", said: said10 },
} as const;

/** Returns the task in the answer to a message. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the answers without types
const taskIn = ({ json }: { json: any }): any => json.result.task ?? json.result;

eachDatabase("the JSON-RPC binding", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));
  const raw = new Raw(() => server.client.address.origin);

  describe("calls", () => {
    test.concurrent.for([
      ["malformed JSON", '{"jsonrpc": "2.0", ', -32700],
      ["a list", "[]", -32600],
      ["a string", '"hello"', -32600],
      ["no body", undefined, -32700],
      ["an empty object", {}, -32600],
      ["no jsonrpc", { id: 1, method: "tasks/get", params: { id: "x" } }, -32600],
      ["another jsonrpc", { jsonrpc: "1.0", id: 1, method: "tasks/get", params: { id: "x" } }, -32600],
      ["no id", { jsonrpc: "2.0", method: "tasks/get", params: { id: "x" } }, -32600],
      ["an id that is neither a string nor an integer", { jsonrpc: "2.0", id: 1.5, method: "tasks/get" }, -32600],
      ["no method", { jsonrpc: "2.0", id: 1 }, -32600],
      ["an unknown method", { jsonrpc: "2.0", id: 1, method: "tasks/dance", params: {} }, -32601],
      ["constructor as method", { jsonrpc: "2.0", id: 1, method: "constructor", params: {} }, -32601],
      ["params that are a list", { jsonrpc: "2.0", id: 1, method: "tasks/get", params: [] }, -32602],
      ["params without a required member", { jsonrpc: "2.0", id: 1, method: "tasks/get", params: {} }, -32602],
      ["an unknown task", { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "no-such-task" } }, -32001],
    ])("%s gets its JSON-RPC error", async ([, body, code], { expect }) => {
      const { status, json } = await raw.ask("POST", path, body ?? "");
      const id = (body as { id?: unknown } | undefined)?.id;
      expect([status, json.jsonrpc, json.error.code]).toEqual([200, "2.0", code]);
      expect(json.id).toBe(id === 1 ? 1 : null);
      expect(json.error.message).toEqual(expect.any(String));
      expect(json.error.data[0]).toMatchObject({ "@type": "type.googleapis.com/google.rpc.ErrorInfo" });
    });

    test.concurrent("the answer has the id of the call, in its type", async ({ expect }) => {
      for (const id of ["a", 7, 0, "", null]) {
        expect((await raw.call("message/send", said03("hello"), path, id)).json.id).toBe(id);
      }
    });

    test.concurrent("a content type other than JSON is rejected; that of 1.0 is accepted", async ({ expect }) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: said10("hello") });
      const plain = await raw.with({ "content-type": "text/plain" }).ask("POST", path, body);
      expect(plain.json.error.code).toBe(-32005);
      const own = await raw.with({ "content-type": "application/a2a+json" }).ask("POST", path, body);
      expect(own.json.result.task.status.state).toBe("TASK_STATE_COMPLETED");
    });

    test.concurrent("an unknown component gets 404 instead of a JSON-RPC error", async ({ expect }) => {
      const { status, json } = await raw.call("message/send", said03("hello"), "/a2a/agents/unknown");
      expect([status, json]).toEqual([404, { detail: "Agent not found", error_code: "NOT_FOUND" }]);
    });

    test.concurrent("A2A-Version selects the methods, and an unsupported version is rejected", async ({ expect }) => {
      const ask = async (version: string, method: string, params: unknown) => {
        const { json } = await raw.with({ "A2A-Version": version }).call(method, params);
        return json.error?.code ?? "done";
      };
      expect(await ask("0.3", "message/send", said03("x"))).toBe("done");
      expect(await ask("0.3.0", "message/send", said03("x"))).toBe("done");
      expect(await ask("1.0", "SendMessage", said10("x"))).toBe("done");
      expect(await ask("1.0", "message/send", said03("x"))).toBe(-32601);
      expect(await ask("0.3", "SendMessage", said10("x"))).toBe(-32601);
      for (const version of ["0.2", "1.1", "2.0", "new"]) expect(await ask(version, "GetTask", {})).toBe(-32009);
      const { json } = await raw.call("SendMessage", said10("x"), `${path}?A2A-Version=9.9`);
      expect(json.error.code).toBe(-32009);
    });
  });

  describe.each(versions)("messages of %s", (version) => {
    const { send, stream, get, cancel, said } = words[version];
    const state = (task: { status: { state: string } }): string =>
      task.status.state.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");

    test.concurrent.for([
      ["no message", {}],
      ["a message that is a string", { message: "hello" }],
      ["no messageId", said("x", { messageId: undefined })],
      ["an empty messageId", said("x", { messageId: "" })],
      ["no parts", said("x", { parts: undefined })],
      ["empty parts", said("x", { parts: [] })],
      ["a part without content", said("x", { parts: [{}] })],
      ["a part of an unknown kind", said("x", { parts: [{ kind: "song", text: "x" }] })],
      [
        "a part with two contents",
        said("x", {
          parts: [
            version === "0.3"
              ? { kind: "file", file: { bytes: "YQ==", uri: "https://client.example/a" } }
              : { text: "x", url: "https://client.example/a" },
          ],
        }),
      ],
      ["a text that is a number", said("x", { parts: [{ kind: "text", text: 5 }] })],
      ["no role", said("x", { role: undefined })],
      ["the agent's role", said("x", { role: version === "0.3" ? "agent" : "ROLE_AGENT" })],
      ["a contextId that is a number", said("x", { contextId: 5 })],
      ["a contextId with NUL", said("x", { contextId: "a\u0000b" })],
      ["metadata that is a list", { ...said("x"), metadata: [] }],
      ["a negative historyLength", said("x", {}, { historyLength: -1 })],
      ["a configuration that is a string", { ...said("x"), configuration: "x" }],
    ])("%s is rejected as invalid parameters", async ([, params], { expect }) => {
      // A part of 0.3 with a text would be valid in 1.0, so the text is removed.
      const known = (params as { message?: { parts?: { kind?: string }[] } }).message?.parts?.[0];
      if (version === "1.0" && known?.kind === "song") delete (known as { text?: string }).text;
      const { json } = await raw.with({ "A2A-Version": version }).call(send, params);
      expect(json.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid parameters: /) });
    });

    test.concurrent("a message without contextId gets a new context, and a given contextId is kept", async ({
      expect,
    }) => {
      const own = taskIn(await raw.call(send, said("one")));
      expect(own.contextId).toEqual(expect.any(String));
      const named = taskIn(await raw.call(send, said("two", { contextId: `of-${version}-${own.id}` })));
      expect(named.contextId).toBe(`of-${version}-${own.id}`);
    });

    test.concurrent("an answer with another context than its task's is rejected; without a context it gets its task's", async ({
      expect,
    }) => {
      const asked = taskIn(await raw.call(send, said("approve")));
      expect(state(asked)).toBe("input-required");
      const strange = await raw.call(send, said("yes", { taskId: asked.id, contextId: "another" }));
      expect(strange.json.error.code).toBe(-32001);
      const done = taskIn(await raw.call(send, said("yes", { taskId: asked.id })));
      expect([state(done), done.contextId]).toEqual(["completed", asked.contextId]);
    });

    test.concurrent("a message or cancel to an ended task is rejected, and a message to an unknown task is not found", async ({
      expect,
    }) => {
      const { id } = taskIn(await raw.call(send, said("hello")));
      expect((await raw.call(send, said("more", { taskId: id }))).json.error.code).toBe(-32004);
      expect((await raw.call(send, said("more", { taskId: "no-such-task" }))).json.error.code).toBe(-32001);
      expect((await raw.call(cancel, { id })).json.error.code).toBe(-32002);
    });

    test.concurrent("without authorization a caller may claim a user id by header or metadata, but no reserved or overlong one", async ({
      expect,
    }) => {
      const named = said("hello", { metadata: { userId: "from-message" } });
      for (const [header, user] of [
        ["from-header", "from-header"],
        ["", "from-message"],
      ] as const) {
        const task = taskIn(await raw.with({ "X-User-ID": header }).call(send, named));
        const run = await raw.ask("GET", `/agents/clerk/runs/${task.id}?session_id=${task.contextId}`);
        expect(run.json.user_id).toBe(user);
      }
      expect((await raw.with({ "X-User-ID": "sa:bot" }).call(send, said("hello"))).status).toBe(403);
      expect((await raw.call(send, said("hello", { metadata: { userId: "__scheduler__" } }))).status).toBe(403);
      const long = await raw.with({ "X-User-ID": "u".repeat(256) }).call(send, said("hello"));
      expect(long.json.error.code).toBe(-32602);
    });

    test.concurrent("a failed task has an error type and id, and no internal detail", async ({ expect }) => {
      const answer = await raw.call(send, said("explode"));
      expect(state(taskIn(answer))).toBe("failed");
      expect(answer.text).not.toContain("secret");
      const { id, status } = taskIn(answer);
      const why = { error_type: "model_provider_error", error_id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
      expect(status.message.metadata).toEqual(why);
      expect(taskIn(await raw.call(get, { id })).status.message.metadata).toEqual(status.message.metadata);
    });

    test.concurrent("historyLength: 0 omits the history, in messages, reads and streams", async ({ expect }) => {
      const all = taskIn(await raw.call(send, said("hello")));
      const none = taskIn(await raw.call(send, said("hello", {}, { historyLength: 0 })));
      expect([all.history.length, "history" in none]).toEqual([1, false]);
      const later = await raw.call(get, { id: all.id, historyLength: 0 });
      expect(later.json.result).not.toHaveProperty("history");
      const [begun] = await raw.callFrames(stream, said("hello", {}, { historyLength: 0 }));
      expect(begun!.data.result.task ?? begun!.data.result).not.toHaveProperty("history");
    });

    test.concurrent("parts with files, URLs and data are read back as they were sent; invalid base64 is rejected", async ({
      expect,
    }) => {
      const bytes = Buffer.from("a letter").toString("base64");
      const parts =
        version === "0.3"
          ? [
              { kind: "text", text: "see" },
              { kind: "file", file: { bytes, mimeType: "text/plain", name: "letter.txt" } },
              { kind: "file", file: { uri: "https://example.com/a.pdf", mimeType: "application/pdf" } },
              { kind: "file", file: { bytes } },
              { kind: "data", data: { some_key: [1] }, metadata: { of: "data" } },
            ]
          : [
              { text: "see" },
              { raw: bytes, mediaType: "text/plain", filename: "letter.txt" },
              { url: "https://example.com/a.pdf", mediaType: "application/pdf" },
              { raw: bytes },
              { data: { some_key: [1] }, metadata: { of: "data" } },
            ];
      const answer = await raw.call(send, said("", { parts }));
      const task = taskIn(answer);
      expect(state(task)).toBe("completed");
      expect(answer.text).toContain('You said: see\\n{\\"some_key\\":[1]}');
      expect(task.history[0].parts).toEqual(parts);
      expect((await raw.call(get, { id: task.id })).json.result.history[0].parts).toEqual(parts);
      const broken = version === "0.3" ? { kind: "file", file: { bytes: "§" } } : { raw: "§" };
      expect((await raw.call(send, said("", { parts: [broken] }))).json.error.code).toBe(-32602);
    });

    test.concurrent("a stream begins with the task, has a cursor in each frame and ends with the last state", async ({
      expect,
    }) => {
      const frames = await raw.callFrames(stream, said("hello"));
      const kindOf = (data: object): string =>
        version === "0.3" ? (data as { kind: string }).kind : Object.keys(data)[0]!;
      const kinds = frames.map(({ data }) => kindOf(data.result));
      expect(kinds[0]).toBe("task");
      expect(kinds.at(-1)).toBe(version === "0.3" ? "status-update" : "statusUpdate");
      expect(frames.every(({ data }) => data.jsonrpc === "2.0" && data.id === "s1")).toBe(true);
      expect(frames.slice(1).every(({ id }) => /^\d+\.\d+$/.test(id ?? ""))).toBe(true);
      const last = frames.at(-1)!.data.result;
      expect(state(last.statusUpdate ?? last)).toBe("completed");
      if (version === "0.3") expect([last.final, frames[1]!.data.result.final]).toEqual([true, false]);
      else expect(last.statusUpdate).not.toHaveProperty("final");
    });

    test.concurrent("several subscribers of a task get the same frames, even if another subscriber disconnects", async ({
      expect,
    }) => {
      const [first] = await raw.callFrames(stream, said("slow"), path, 1);
      const { id } = first!.data.result.task ?? first!.data.result;
      const subscribe = version === "0.3" ? "tasks/resubscribe" : "SubscribeToTask";
      const [one, two] = await Promise.all([
        raw.callFrames(subscribe, { id }),
        raw.callFrames(subscribe, { id }),
        raw.callFrames(subscribe, { id }, path, 3),
      ]);
      const texts = (frames: typeof one) => frames.slice(1).map(({ text }) => text);
      expect(texts(one)).toEqual(texts(two));
      expect(JSON.stringify(one)).toContain(slowWords.at(-1)!.trim());
    });

    test.concurrent("a subscriber with a Last-Event-ID gets the missed frames, also after the task ended; an invalid cursor is rejected", async ({
      expect,
    }) => {
      const begun = await raw.callFrames(stream, said("slow"), path, 4);
      const { id } = begun[0]!.data.result.task ?? begun[0]!.data.result;
      const subscribe = version === "0.3" ? "tasks/resubscribe" : "SubscribeToTask";
      const from = (cursor: string | undefined) => raw.with({ "Last-Event-ID": cursor ?? "" });
      const rest = await from(begun.at(-1)!.id).callFrames(subscribe, { id });
      expect(rest[0]!.id).not.toBe(begun.at(-1)!.id);
      const again = await from(begun.at(-1)!.id).callFrames(subscribe, { id });
      expect(again.map(({ text }) => text)).toEqual(rest.map(({ text }) => text));
      const whole = await from("-1").callFrames(subscribe, { id });
      expect(whole.map(({ text }) => text)).toEqual([...begun.slice(1), ...rest].map(({ text }) => text));
      expect((await from("yesterday").call(subscribe, { id })).json.error.code).toBe(-32602);
    });

    test.concurrent("a repeated streaming message with a Last-Event-ID resumes the stream; without a taskId it is rejected", async ({
      expect,
    }) => {
      const begun = await raw.callFrames(stream, said("slow"), path, 3);
      const { id } = begun[0]!.data.result.task ?? begun[0]!.data.result;
      const back = raw.with({ "Last-Event-ID": begun.at(-1)!.id! });
      const rest = await back.callFrames(stream, said("slow", { taskId: id }));
      expect(rest.every(({ data }) => JSON.stringify(data).includes(id))).toBe(true);
      expect((await back.call(stream, said("slow"))).json.error.code).toBe(-32600);
    });
  });

  test.concurrent("0.3: an error of a streaming method is a frame of an event stream", async ({ expect }) => {
    for (const [method, params, code] of [
      ["message/stream", {}, -32602],
      ["message/stream", said03("x", { taskId: "no-such-task" }), -32001],
      ["tasks/resubscribe", { id: "no-such-task" }, -32001],
    ] as const) {
      const { status, headers, json } = await raw.call(method, params);
      expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
      expect(json).toMatchObject({ jsonrpc: "2.0", id: "r1", error: { code } });
    }
    const { json } = await raw.call("SubscribeToTask", { id: "no-such-task" });
    expect(json.error.code).toBe(-32001);
  });

  test.concurrent("1.0: a subscription to an ended task is rejected as an unsupported operation", async ({
    expect,
  }) => {
    const { id } = taskIn(await raw.call("SendMessage", said10("hello")));
    expect((await raw.call("SubscribeToTask", { id })).json.error.code).toBe(-32004);
    expect((await raw.call("SubscribeToTask", { id: "no-such-task" })).json.error.code).toBe(-32001);
  });

  test.concurrent("0.3: a subscription to a paused task ends with its question", async ({ expect }) => {
    const { id } = taskIn(await raw.call("message/send", said03("approve")));
    const frames = await raw.callFrames("tasks/resubscribe", { id });
    const last = frames.at(-1)!;
    expect([last.data.result.final, last.data.result.status.state]).toEqual([true, "input-required"]);
    expect(frames).toHaveLength(2);
    const back = raw.with({ "Last-Event-ID": String(Number.parseInt(last.id!, 10) - 1) });
    const again = await back.callFrames("message/stream", said03("approve", { taskId: id }));
    expect(again.map(({ text }) => text)).toEqual([last.text]);
  });

  test.concurrent("1.0: a subscription to a paused task continues when the task does", async ({ expect }) => {
    const { id } = taskIn(await raw.call("SendMessage", said10("approve")));
    const following = raw.callFrames("SubscribeToTask", { id });
    await raw.call("SendMessage", said10("yes", { taskId: id }));
    const frames = await following;
    expect(frames[0]!.data.result.task.id).toBe(id);
    expect(frames.at(-1)!.data.result.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
  });

  test.concurrent("acceptedOutputModes of the first message apply to every subscriber of the task", async ({
    expect,
  }) => {
    const counter = "/a2a/agents/counter";
    const sent = said10("count", {}, { acceptedOutputModes: ["text/plain"] });
    const first = await raw.callFrames("SendStreamingMessage", sent, counter);
    const { id } = first[0]!.data.result.task;
    expect(JSON.stringify(first)).not.toContain('"data":{"letters"');
    const again = await raw.with({ "Last-Event-ID": "-1" }).callFrames("SubscribeToTask", { id }, counter);
    expect(again.map(({ text }) => text)).toEqual(first.slice(1).map(({ text }) => text));
  });

  test.concurrent("members of protocol buffers are accepted in snake_case and camelCase", async ({ expect }) => {
    const message = { message_id: "m1", role: "ROLE_USER", parts: [{ text: "hello" }], context_id: "snakes" };
    const metadata = { my_key: 1 };
    const task = taskIn(await raw.call("SendMessage", { message, metadata }));
    expect([task.contextId, task.metadata]).toEqual(["snakes", { my_key: 1 }]);
  });

  test.concurrent("ListTasks sorts by last change, pages and filters, and rejects invalid parameters", async ({
    expect,
  }) => {
    const contextId = "listed";
    // The task that starts first changes last.
    const asked = taskIn(await raw.call("SendMessage", said10("approve", { contextId })));
    const ids: string[] = [];
    for (const text of ["two", "three"]) {
      ids.unshift(taskIn(await raw.call("SendMessage", said10(text, { contextId }))).id);
    }
    ids.unshift(taskIn(await raw.call("SendMessage", said10("yes", { taskId: asked.id }))).id);
    const list = async (params: object) => (await raw.call("ListTasks", { contextId, ...params })).json.result;
    const first = await list({ pageSize: 2 });
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) });
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second.nextPageToken).toBe("");
    const found = [...first.tasks, ...second.tasks];
    expect(found.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(found.every((task: object) => !("artifacts" in task))).toBe(true);
    const times = found.map(({ status }: { status: { timestamp: string } }) => Date.parse(status.timestamp));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    const full = await list({ includeArtifacts: true, historyLength: 0 });
    expect(full.tasks[0]).toMatchObject({ artifacts: [{ artifactId: "answer" }] });
    expect(full.tasks[0].history ?? []).toEqual([]);
    expect((await list({ status: "TASK_STATE_COMPLETED" })).totalSize).toBe(3);
    expect((await list({ status: "TASK_STATE_WORKING" })).tasks).toEqual([]);
    expect((await list({ statusTimestampAfter: new Date(times[1]!).toISOString() })).tasks.length).toBeLessThan(3);
    expect((await list({ statusTimestampAfter: "2999-01-01T00:00:00Z" })).tasks).toEqual([]);
    for (const wrong of [{ pageSize: 101 }, { pageSize: -1 }, { pageToken: "x" }, { status: "GONE" }]) {
      expect((await raw.call("ListTasks", { contextId, ...wrong })).json.error.code).toBe(-32602);
    }
    const old = await raw.call("tasks/list", { contextId, pageSize: 1 });
    expect(old.json.result.tasks[0]).toMatchObject({ kind: "task", id: ids[0], status: { state: "completed" } });
  });

  test.concurrent("paused tasks are listed as input-required or, if they need an approval, as auth-required", async ({
    expect,
  }) => {
    for (const [path, states] of [
      ["/a2a/agents/bank", { "auth-required": 3, "input-required": 0 }],
      ["/a2a/workflows/vault", { "auth-required": 3, "input-required": 0 }],
      ["/a2a/agents/clerk", { "auth-required": 0, "input-required": 3 }],
    ] as const) {
      const contextId = `waiting-${path}`;
      const asked: string[] = [];
      for (let place = 0; place < 3; place++) {
        const task = taskIn(await raw.call("SendMessage", said10("approve", { contextId }), path));
        asked.unshift(task.id);
      }
      for (const [state, total] of Object.entries(states)) {
        const listed: string[] = [];
        let pageToken = "";
        do {
          const params = { contextId, status: state, pageSize: 2, pageToken };
          const { result } = (await raw.call("ListTasks", params, path)).json;
          expect(result.totalSize).toBe(total);
          expect(result.tasks).toHaveLength(Math.min(total - listed.length, 2));
          listed.push(...result.tasks.map(({ id }: { id: string }) => id));
          pageToken = result.nextPageToken;
        } while (pageToken !== "");
        expect(listed).toEqual(total === 0 ? [] : asked);
      }
    }
  });

  test.concurrent("1.0: a subscription to a paused task begins with its question, not with earlier events", async ({
    expect,
  }) => {
    const { id } = taskIn(await raw.call("SendMessage", said10("approve")));
    const subscribed = Promise.withResolvers<void>();
    const following = raw.callFrames("SubscribeToTask", { id }, path, 2, subscribed.resolve);
    await subscribed.promise;
    await raw.call("SendMessage", said10("yes", { taskId: id }));
    const [first, next] = await following;
    expect(first!.data.result.task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const again = await raw.with({ "Last-Event-ID": "-1" }).callFrames("SubscribeToTask", { id });
    const place = again.findIndex(({ id: frame }) => frame === next!.id);
    const before = again[place - 1]!.data.result.statusUpdate;
    expect(before.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  test.concurrent("timestamps in streams equal those of the task at any time, with milliseconds", async ({
    expect,
  }) => {
    const [asked] = (await raw.callFrames("SendStreamingMessage", said10("approve"))).slice(-1);
    const { taskId: id, status } = asked!.data.result.statusUpdate;
    const waiting = (await raw.call("GetTask", { id })).json.result;
    expect(status.timestamp).toBe(waiting.status.timestamp);
    const [done] = (await raw.callFrames("SendStreamingMessage", said10("yes", { taskId: id }))).slice(-1);
    const over = (await raw.call("GetTask", { id })).json.result;
    expect(done!.data.result.statusUpdate.status.timestamp).toBe(over.status.timestamp);
    const all = await raw.with({ "Last-Event-ID": "-1" }).callFrames("SubscribeToTask", { id });
    const texts = all.map(({ text }) => text);
    expect(texts).toContain(asked!.text);
    expect(texts.at(-1)).toBe(done!.text);
    for (const { status } of [waiting, over]) expect(status.timestamp).toMatch(/\.\d{3}Z$/);
  });

  test.concurrent("1.0: texts and data keep their media type and file name, which 0.3 omits", async ({ expect }) => {
    const parts = [
      { text: "# hi", mediaType: "text/markdown", filename: "hi.md" },
      { data: { a: 1 }, mediaType: "application/geo+json", filename: "a.json", metadata: { of: "data" } },
    ];
    const task = taskIn(await raw.call("SendMessage", said10("", { parts })));
    expect(task.history[0].parts).toEqual(parts);
    expect((await raw.call("GetTask", { id: task.id })).json.result.history[0].parts).toEqual(parts);
    const only = taskIn(await raw.call("SendMessage", said10("", { parts: [parts[0]] })));
    expect(only.history[0].parts).toEqual([parts[0]]);
    const old = (await raw.call("tasks/get", { id: task.id })).json.result;
    expect(old.history[0].parts).toEqual([
      { kind: "text", text: "# hi" },
      { kind: "data", data: { a: 1 }, metadata: { of: "data" } },
    ]);
  });

  test.concurrent("a part whose media type the card does not declare is rejected", async ({ expect }) => {
    const send = async (part: object, to = path) => {
      const { json } = await raw.call("SendMessage", said10("", { parts: [{ text: "see" }, part] }), to);
      return json.error?.code ?? json.result.task.status.state;
    };
    const raws = Buffer.from("x").toString("base64");
    for (const type of ["video/mp4", "application/zip"]) {
      expect(await send({ raw: raws, mediaType: type })).toBe(-32005);
      expect(await send({ text: "x", mediaType: type })).toBe(-32005);
      const file = { kind: "file", file: { bytes: raws, mimeType: type } };
      const old = await raw.call("message/send", said03("", { parts: [file] }));
      expect(old.json.error.code).toBe(-32005);
    }
    for (const type of ["image/png", "text/csv", "TEXT/plain; charset=utf-8", "application/octet-stream", ""]) {
      expect(await send({ raw: raws, mediaType: type })).toBe("TASK_STATE_COMPLETED");
    }
    // Without inputModes, the card declares text, JSON and the types of the model's provider.
    expect(await send({ raw: raws, mediaType: "image/png" }, "/a2a/agents/bank")).toBe(-32005);
  });

  test.concurrent("a paused, failed or cancelled task has its partial answer", async ({ expect }) => {
    const textOf = ({ artifacts = [] }: { artifacts?: { parts: { text: string }[] }[] }): string =>
      artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)).join();
    const waiting = taskIn(await raw.call("SendMessage", said10("tell me"), "/a2a/agents/bank"));
    expect([waiting.status.state, textOf(waiting)]).toEqual(["TASK_STATE_AUTH_REQUIRED", "One moment. "]);
    expect(textOf((await raw.call("GetTask", { id: waiting.id }, "/a2a/agents/bank")).json.result)).toBe(
      "One moment. ",
    );
    const failed = taskIn(await raw.call("SendMessage", said10("half")));
    expect([failed.status.state, textOf(failed)]).toEqual(["TASK_STATE_FAILED", "So far, "]);
    expect(textOf((await raw.call("tasks/get", { id: failed.id })).json.result)).toBe("So far, ");
    const begun = await raw.callFrames("SendStreamingMessage", said10("endless"), path, 4);
    const { id } = begun[0]!.data.result.task;
    const cancelled = (await raw.call("CancelTask", { id })).json.result;
    expect([cancelled.status.state, textOf(cancelled)]).toEqual(["TASK_STATE_CANCELED", expect.stringMatching(/^on /)]);
  });

  test.concurrent("the history contains the first message, then the questions and their answers", async ({
    expect,
  }) => {
    const first = said10("approve") as { message: { messageId: string } };
    const asked = taskIn(await raw.call("SendMessage", first));
    const answer = said10("yes", { taskId: asked.id, metadata: { by: "Ada" } }) as { message: { messageId: string } };
    const done = taskIn(await raw.call("SendMessage", answer));
    expect(done.history.map(({ messageId }: { messageId: string }) => messageId)).toEqual([
      first.message.messageId,
      asked.status.message.messageId,
      answer.message.messageId,
    ]);
    expect(done.history[1]).toEqual(asked.status.message);
    expect(done.history[2]).toMatchObject({
      ...{ role: "ROLE_USER", taskId: asked.id, contextId: asked.contextId },
      ...{ parts: [{ text: "yes" }], metadata: { by: "Ada" } },
    });
    const got = (await raw.call("GetTask", { id: asked.id, historyLength: 2 })).json.result;
    expect(got.history).toEqual(done.history.slice(1));
    const { contextId } = asked;
    const listed = (await raw.call("ListTasks", { contextId })).json.result;
    expect(listed.tasks[0].history).toEqual(done.history);
    const old = (await raw.call("tasks/get", { id: asked.id })).json.result;
    expect(old.history.map(({ role }: { role: string }) => role)).toEqual(["user", "agent", "user"]);
  });

  test.concurrent("a task is unknown to every other component", async ({ expect }) => {
    const { id } = taskIn(await raw.call("SendMessage", said10("hello")));
    expect((await raw.call("GetTask", { id }, "/a2a/teams/office")).json.error.code).toBe(-32001);
    expect((await raw.call("CancelTask", { id }, "/a2a/workflows/round")).json.error.code).toBe(-32001);
  });

  test.concurrent("without authorization the extended card is rejected, and the card declares that there is none", async ({
    expect,
  }) => {
    expect((await raw.call("GetExtendedAgentCard", {})).json.error.code).toBe(-32004);
    expect((await raw.call("agent/getAuthenticatedExtendedCard", undefined)).json.error.code).toBe(-32007);
    const card = await raw.ask("GET", `${path}/.well-known/agent-card.json`);
    expect(card.json).toMatchObject({
      supportsAuthenticatedExtendedCard: false,
      capabilities: { pushNotifications: true },
    });
  });

  test.concurrent("push notification configs can be created, read, listed and deleted in the form of each version", async ({
    expect,
  }) => {
    const { id: taskId } = taskIn(await raw.call("SendMessage", said10("hello")));
    const url = "https://client.example/hook";
    const given = { id: "a", url, token: "t", authentication: { scheme: "Bearer", credentials: "c" } };
    const made = await raw.call("CreateTaskPushNotificationConfig", { taskId, ...given });
    expect(made.json.result).toEqual({ taskId, ...given });
    const old = await raw.call("tasks/pushNotificationConfig/get", { id: taskId });
    const authentication = { schemes: ["Bearer"], credentials: "c" };
    expect(old.json.result).toEqual({ taskId, pushNotificationConfig: { id: "a", url, token: "t", authentication } });
    // A client of 0.3 that omits the id expects the task's id.
    const usual = await raw.call("tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig: { url } });
    expect(usual.json.result.pushNotificationConfig.id).toBe(taskId);
    const list = await raw.call("ListTaskPushNotificationConfigs", { taskId, pageSize: 1 });
    expect(list.json.result).toMatchObject({ configs: [{ taskId }], nextPageToken: expect.stringMatching(/./) });
    const { nextPageToken: pageToken } = list.json.result;
    const rest = await raw.call("ListTaskPushNotificationConfigs", { taskId, pageSize: 1, pageToken });
    expect(rest.json.result).toMatchObject({ configs: [{ taskId }], nextPageToken: "" });
    const both = await raw.call("tasks/pushNotificationConfig/list", { id: taskId });
    expect(both.json.result).toHaveLength(2);
    expect((await raw.call("DeleteTaskPushNotificationConfig", { taskId, id: "a" })).json.result).toBeNull();
    expect((await raw.call("GetTaskPushNotificationConfig", { taskId, id: "a" })).json.error.code).toBe(-32001);
    const unknown = { taskId: "no-such-task", id: "a", url };
    expect((await raw.call("CreateTaskPushNotificationConfig", unknown)).json.error.code).toBe(-32001);
  });

  const wrongConfigs: [string, object][] = [
    ["no url", { url: undefined }],
    ["a url that is not one", { url: "client.example" }],
    ["another scheme", { url: "file:///etc/passwd" }],
    ["a line break in the token", { token: "a\r\nx: y" }],
    ["a line break in the credentials", { authentication: { scheme: "Bearer", credentials: "a\nb" } }],
    ["an invalid authentication scheme", { authentication: { scheme: "Be arer", credentials: "a" } }],
    ["a token of 5,000 characters", { token: "x".repeat(5_000) }],
  ];
  test.concurrent.for(wrongConfigs)("a push notification config with %s is rejected", async ([, wrong], { expect }) => {
    const { id: taskId } = taskIn(await raw.call("SendMessage", said10("hello")));
    const config = { taskId, id: "a", url: "https://client.example/", ...wrong };
    const { json } = await raw.call("CreateTaskPushNotificationConfig", config);
    expect(json.error.code).toBe(-32602);
    const beside = { taskPushNotificationConfig: { ...config, taskId: "" } };
    expect((await raw.call("SendMessage", said10("hello", {}, beside))).json.error.code).toBe(-32602);
  });

  test.concurrent("the eleventh push notification config of a task is rejected", async ({ expect }) => {
    const { id: taskId } = taskIn(await raw.call("SendMessage", said10("hello")));
    const codes: unknown[] = [];
    for (let place = 0; place < 11; place++) {
      const config = { taskId, id: `c${place}`, url: "https://client.example/" };
      codes.push((await raw.call("CreateTaskPushNotificationConfig", config)).json.error?.code);
    }
    expect(codes.indexOf(-32602)).toBe(10);
  });
});
