import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { componentResponses } from "../../src/http/records/components.ts";
import { listElements } from "../../src/http/records/run-list.ts";
import { eventually } from "../support/eventually.ts";
import { asRead } from "./support/answers.ts";
import type { Client } from "./support/client.ts";
import { eachServer } from "./support/server.ts";

const { components } = JSON.parse(readFileSync(new URL("data/openapi-2.7.4.json", import.meta.url), "utf8"));

describe.each([
  { kind: "agent", path: "/agents/plain-agent/runs", foreign: "/agents/tool-agent/runs", element: "RunSchema" },
  { kind: "team", path: "/teams/duo-team/runs", foreign: "/teams/quiet-team/runs", element: "TeamRunSchema" },
] as const)("records of runs of a $kind", ({ kind, path, foreign, element }) => {
  const prefix = kind === "team" ? "Team" : "Agent";

  eachServer("a single run", (client) => {
    test("has the members of the contract, without null members", async () => {
      const fields = { message: "delegate hello", stream: false, session_id: "s-1", user_id: "u1" };
      const started = await client().post(path, fields);
      const { status, json } = await client().get(`${path}/${started.json.run_id}?session_id=s-1`);
      expect(status).toBe(200);
      expect(json).toEqual(asRead(started.json));
      expect(json).toMatchObject({
        [`${kind}_id`]: path.split("/")[2],
        [`${kind}_name`]: expect.any(String),
        session_id: "s-1",
        user_id: "u1",
        status: "COMPLETED",
        input: { input_content: "delegate hello" },
        metrics: { duration: expect.any(Number) },
      });
      expect(Number.isInteger(json.created_at)).toBe(true);
      expect(Object.values(json)).not.toContain(null);
    });

    test("is returned to the caller of the start with its empty lists and without events", async () => {
      const { json } = await client().post(path, { message: "hello", stream: false, session_id: "s-4", user_id: "u1" });
      const common = ["run_id", `${kind}_id`, `${kind}_name`, "session_id", "user_id", "content", "content_type"];
      const more = [
        "model",
        "model_provider",
        "session_state",
        "created_at",
        "status",
        "metrics",
        "messages",
        "input",
      ].concat("model_provider_data");
      const lists = kind === "team" ? ["member_responses", "tools"] : ["tools"];
      expect(Object.keys(json).sort()).toEqual([...common, ...more, ...lists].sort());
      for (const list of lists) expect([list, json[list]]).toEqual([list, []]);
      const { json: read } = await client().get(`${path}/${json.run_id}?session_id=s-4`);
      expect(Object.keys(read).sort()).toEqual([...common, ...more, ...lists.slice(0, -1), "events"].sort());
    });

    test("has no system prompt in its messages", async () => {
      const started = await client().post(path, { message: "delegate hello", stream: false, session_id: "s-2" });
      const { json } = await client().get(`${path}/${started.json.run_id}?session_id=s-2`);
      expect(json.messages[0]).toEqual({
        id: expect.any(String),
        content: "delegate hello",
        from_history: false,
        stop_after_tool_call: false,
        role: "user",
        created_at: expect.any(Number),
      });
      expect(JSON.stringify(json)).not.toContain('"role":"system"');
      expect(JSON.stringify(json)).not.toContain("secret instructions");
    });

    test("returns 422 without session_id or with an empty one", async () => {
      for (const query of ["", "?session_id="]) {
        const { status, json } = await client().get(`${path}/x${query}`);
        expect(status).toBe(422);
        expect(json).toEqual({ detail: "query.session_id: Field required", error_code: "VALIDATION_ERROR" });
      }
    });

    test("[E5] returns 404 for an unknown id, another session or another component", async () => {
      const { json: run } = await client().post(path, { message: "hello", stream: false, session_id: "s-3" });
      for (const address of [
        `${path}/nope?session_id=s-3`,
        `${path}/${run.run_id}?session_id=other`,
        `${foreign}/${run.run_id}?session_id=s-3`,
      ]) {
        const { status, json } = await client().get(address);
        expect([status, json]).toEqual([404, { detail: "Run not found", error_code: "NOT_FOUND" }]);
      }
      const { status, json } = await client().get(`/${kind}s/nope/runs/${run.run_id}?session_id=s-3`);
      expect([status, json.detail]).toEqual([404, `${prefix} not found`]);
    });
  });

  eachServer("the listing of runs", (client) => {
    test("is an array, oldest first, whose elements have every member of the recorded schema", async () => {
      for (const message of ["one", "two", "delegate three"]) {
        await client().post(path, { message, stream: false, session_id: "s-1", user_id: "u1" });
      }
      await client().post(path, { message: "elsewhere", stream: false, session_id: "s-2" });
      const { status, json } = await client().get(`${path}?session_id=s-1`);
      expect(status).toBe(200);
      expect(json.map((run: { run_input: string }) => run.run_input)).toEqual(["one", "two", "delegate three"]);
      for (const run of json) {
        expect(Object.keys(run).sort()).toEqual(Object.keys(components.schemas[element].properties).sort());
        expect(listElements[kind].safeParse(run).error).toBeUndefined();
        expect(run.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(run).toMatchObject({ parent_run_id: null, status: "COMPLETED", events: null, references: [] });
        if (kind === "agent") expect(run.user_id).toBe("u1");
      }
      expect(JSON.stringify(json)).not.toContain('"role":"system"');
    });

    test("[T1] [P8] filters by every status of the wire, and shows the progress of a background run", async () => {
      const session_id = "s-status";
      const list = async (query = "") =>
        (await client().get(`${path}?session_id=${session_id}${query}`)).json.map(
          (run: { status: string }) => run.status,
        );
      await client().post(path, { message: "hello", stream: false, session_id });
      await client().post(path, { message: "please explode", stream: false, session_id });
      const background = { message: "endless", stream: false, background: true, session_id };
      const { json: run } = await client().post(path, background);
      await eventually(async () => expect(await list()).toEqual(["COMPLETED", "ERROR", "RUNNING"]));
      expect(await list("&status=RUNNING")).toEqual(["RUNNING"]);
      expect(await list("&status=COMPLETED")).toEqual(["COMPLETED"]);
      expect(await list("&status=ERROR")).toEqual(["ERROR"]);
      for (const status of ["PENDING", "PAUSED", "CANCELLED", "REGENERATED"])
        expect(await list(`&status=${status}`)).toEqual([]);
      expect((await list("&status=")).length).toBe(3);
      expect(await list("&status=PENDING&status=ERROR")).toEqual(["ERROR"]);
      await client().post(`${path}/${run.run_id}/cancel`);
      await eventually(async () => expect(await list("&status=CANCELLED")).toEqual(["CANCELLED"]));
      expect(await list("&status=RUNNING")).toEqual([]);
    });

    test("returns 422 for an unknown status, also in lower case", async () => {
      for (const status of ["bogus", "completed"]) {
        const { status: code, json } = await client().get(`${path}?session_id=s-1&status=${status}`);
        expect([code, json.error_code]).toEqual([422, "VALIDATION_ERROR"]);
        expect(json.detail).toContain(
          "'PENDING', 'RUNNING', 'COMPLETED', 'PAUSED', 'CANCELLED', 'ERROR' or 'REGENERATED'",
        );
      }
    });

    test("returns 404 for an unknown session and for a session of another component", async () => {
      await client().post(foreign, { message: "hello", stream: false, session_id: "s-foreign" });
      for (const session of ["none", "s-foreign"]) {
        const { status, json } = await client().get(`${path}?session_id=${session}`);
        expect([status, json]).toEqual([404, { detail: "Session not found", error_code: "NOT_FOUND" }]);
      }
    });
  });

  eachServer("cancelling a run", (client) => {
    test("[T3] [E11] is final, returns {} each time, and leaves a completed run unchanged", async () => {
      const stream = await client().stream(path, { message: "endless", session_id: "s-1" });
      await stream.untilEvents(5);
      const cancel = `${path}/${stream.runId}/cancel`;
      for (let time = 0; time < 2; time++) {
        const { status, json } = await client().post(cancel);
        expect([status, json]).toEqual([200, {}]);
      }
      await stream.all();
      const record = `${path}/${stream.runId}?session_id=s-1`;
      expect((await client().get(record)).json.status).toBe("CANCELLED");
      expect((await client().post(cancel)).json).toEqual({});

      const { json: done } = await client().post(path, { message: "hello", stream: false, session_id: "s-1" });
      expect((await client().post(`${path}/${done.run_id}/cancel?session_id=s-1`)).json).toEqual({});
      expect((await client().get(`${path}/${done.run_id}?session_id=s-1`)).json).toEqual(asRead(done));
    });

    test("returns 404 for an unknown run and for a run of another component or session", async () => {
      const { json: run } = await client().post(path, { message: "hello", stream: false, session_id: "s-2" });
      for (const address of [
        `${path}/nope/cancel`,
        `${foreign}/${run.run_id}/cancel`,
        `${path}/${run.run_id}/cancel?session_id=other`,
      ]) {
        const { status, json } = await client().post(address);
        expect([status, json]).toEqual([404, { detail: "Run not found", error_code: "NOT_FOUND" }]);
      }
    });

    test("a start without a stream returns the record with CANCELLED when its run is cancelled", async () => {
      const waiting = client().post(path, { message: "endless", stream: false, session_id: `s-wait-${kind}` });
      const list = `${path}?session_id=s-wait-${kind}`;
      await eventually(async () => expect((await client().get(list)).json[0].status).toBe("RUNNING"));
      const [run] = (await client().get(list)).json;
      await client().post(`${path}/${run.run_id}/cancel`);
      const { status, json } = await waiting;
      expect([status, json.status]).toEqual([200, "CANCELLED"]);
    });
  });
});

eachServer("a team's record", (client) => {
  test("has the error of a member's run although the team's run completed", async () => {
    const fields = { message: "delegate explode", session_id: "s-why" };
    const stream = await client().stream("/teams/duo-team/runs", fields);
    await stream.all();
    const { error_type, error_id } = stream.events.find(({ event }) => event === "RunError")?.data ?? {};
    expect([error_type, error_id]).toEqual(["model_provider_error", expect.any(String)]);
    const record = (await client().get(`/teams/duo-team/runs/${stream.runId}?session_id=s-why`)).json;
    for (const team of [stream.events.at(-1)?.data, record]) {
      expect(team).not.toHaveProperty("error_type");
      expect(team.member_responses).toMatchObject([{ status: "ERROR", error_type, error_id }]);
    }
  });

  test("has member_responses while it is PENDING", async () => {
    const path = "/teams/quiet-team/runs";
    const background = { message: "endless", stream: false, background: true, session_id: "s-begun" };
    const [first, second] = [await client().post(path, background), await client().post(path, background)];
    const { json } = await client().get(`${path}/${second.json.run_id}?session_id=s-begun`);
    expect([json.status, json.member_responses]).toEqual(["PENDING", []]);
    for (const { json: run } of [second, first]) await client().post(`${path}/${run.run_id}/cancel`);
  });

  test("contains its members' records and the delegation as a tool", async () => {
    const fields = { message: "delegate hello", stream: false, session_id: "s-1", user_id: "u1" };
    const { json } = await client().post("/teams/duo-team/runs", fields);
    expect(json.content).toBe("Tool said: Hello there, you said: delegate hello");
    const [member] = json.member_responses;
    expect(member).toMatchObject({
      agent_id: "agent-a",
      agent_name: "Agent A",
      parent_run_id: json.run_id,
      session_id: "s-1",
      user_id: "u1",
      status: "COMPLETED",
      content: "Hello there, you said: delegate hello",
    });
    expect(json.tools).toMatchObject([
      {
        tool_name: "delegate_task_to_member",
        tool_args: { member_id: "agent-a", task: "delegate hello" },
        tool_call_error: false,
        child_run_id: member.run_id,
        approval_id: null,
      },
    ]);
    const roles = json.messages.map((message: { role: string }) => message.role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(json.messages[1].tool_calls).toEqual([
      {
        id: expect.any(String),
        type: "function",
        function: {
          name: "delegate_task_to_member",
          arguments: JSON.stringify({ member_id: "agent-a", task: "delegate hello" }),
        },
      },
    ]);
    expect(json.messages[2]).toMatchObject({ tool_name: "delegate_task_to_member", tool_call_error: false });
  });
});

eachServer("files of a run", (client) => {
  const path = "/agents/plain-agent/runs";

  async function upload(server: Client, files: { name: string; type: string; content: string }[], more = "") {
    const parts = files.map(
      ({ name, type, content }) =>
        `--XBOUND\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
    );
    const text = ["message", "stream"].map(
      (name) =>
        `--XBOUND\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === "stream" ? "false" : "hi with file"}\r\n`,
    );
    return server.send(path, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=XBOUND" },
      body: `${text.join("")}${parts.join("")}${more}--XBOUND--\r\n`,
    });
  }

  test("are uploaded as multipart parts and appear in the record's input", async () => {
    const { status, json } = await upload(client(), [
      { name: "a.txt", type: "text/plain", content: "file text" },
      { name: "b.png", type: "image/png", content: "not really" },
      { name: "c.md", type: "application/octet-stream", content: "# title" },
    ]);
    expect(status).toBe(200);
    const base64 = Buffer.from("not really").toString("base64");
    expect(json.input).toEqual({
      input_content: "hi with file",
      images: [{ content: base64, mime_type: "image/png", filename: "b.png", format: "png", id: expect.any(String) }],
      files: [
        { content: "file text", mime_type: "text/plain", filename: "a.txt", format: "txt", id: expect.any(String) },
        { content: "# title", mime_type: "text/markdown", filename: "c.md", format: "md", id: expect.any(String) },
      ],
    });
    expect(json.input.files[0].id).not.toBe(json.input.files[1].id);
  });

  test("of an unsupported type return 400 Unsupported file type, and empty ones 400 Empty file", async () => {
    const weird = await upload(client(), [{ name: "a.bin", type: "application/x-weird", content: "zz" }]);
    expect([weird.status, weird.json]).toEqual([400, { detail: "Unsupported file type", error_code: "BAD_REQUEST" }]);
    const empty = await upload(client(), [{ name: "a.txt", type: "text/plain", content: "" }]);
    expect([empty.status, empty.json]).toEqual([400, { detail: "Empty file", error_code: "BAD_REQUEST" }]);
  });

  test("of an unsupported type return 404 if the component is unknown", async () => {
    const body = '--B\r\nContent-Disposition: form-data; name="message"\r\n\r\nhi\r\n';
    const file =
      '--B\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\nContent-Type: a/b\r\n\r\nzz\r\n--B--\r\n';
    const headers = { "content-type": "multipart/form-data; boundary=B" };
    const { status, json } = await client().send("/agents/nope/runs", { method: "POST", headers, body: body + file });
    expect([status, json.detail]).toEqual([404, "Agent not found"]);
  });

  test("are absent if the upload control was left empty", async () => {
    const { status, json } = await upload(client(), [{ name: "", type: "application/octet-stream", content: "" }]);
    expect([status, json.input]).toEqual([200, { input_content: "hi with file" }]);
  });

  test("are also sent as JSON lists of addresses and base64 content, and an invalid item returns 422", async () => {
    const images = JSON.stringify([
      { url: "https://example.com/x.png" },
      { content: "aGk=", mime_type: "image/png" },
      { url: "data:image/gif;base64,aGk=" },
    ]);
    const { status, json } = await client().post(path, { message: "look", stream: "false", images });
    expect(status).toBe(200);
    expect(json.input.images).toEqual([
      { url: "https://example.com/x.png" },
      { content: "aGk=", mime_type: "image/png" },
      { content: "aGk=", mime_type: "image/gif" },
    ]);
    for (const bad of [
      '[{"filepath":"/etc/passwd"}]',
      '[{"url":"file:///etc/passwd"}]',
      '[{"content":"%%%"}]',
      "[5]",
      "{}",
    ]) {
      const refused = await client().post(path, { message: "look", stream: "false", images: bad });
      expect([bad, refused.status]).toEqual([bad, 422]);
    }
  });
});

test("the schemas of components have exactly the members of the recorded ones", () => {
  for (const [kind, name] of [
    ["agent", "AgentResponse"],
    ["team", "TeamResponse"],
  ] as const) {
    const shape = (componentResponses[kind] as unknown as { shape: object }).shape;
    expect(Object.keys(shape).sort()).toEqual(Object.keys(components.schemas[name].properties).sort());
  }
});
