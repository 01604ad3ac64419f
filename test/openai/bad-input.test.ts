/** Requests that do not fit: the protocol's error, a 4xx status, and the parameter. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataDir } from "../support/databases.ts";
import { openShop, type ShopServer } from "./support/shop.ts";

let server: ShopServer;
let folder: Awaited<ReturnType<typeof createDataDir>>;
beforeAll(async () => {
  folder = await createDataDir();
  server = await openShop({ kind: "sqlite", dataDir: folder.path });
});
afterAll(async () => {
  await server.end(0);
  await folder.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read answers without types
type Answered = { status: number; body: any };

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const answer = await fetch(`${server.client.address.origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

const user = { role: "user", content: "hello" };
const model = "agent:clerk";
const part = (one: object): object => ({ model, messages: [{ role: "user", content: [one] }] });

const chats: [body: unknown, status: number, param: string | null, code: string | null][] = [
  ["{", 400, null, null],
  ["[]", 400, null, null],
  [{}, 400, "model", null],
  [{ model }, 400, "messages", null],
  [{ model: 7, messages: [user] }, 400, "model", null],
  [{ model: "gpt-5", messages: [user] }, 404, "model", "model_not_found"],
  [{ model: "agent:", messages: [user] }, 404, "model", "model_not_found"],
  [{ model: "agent:\u0000", messages: [user] }, 404, "model", "model_not_found"],
  [{ model, messages: [] }, 400, "messages", null],
  [{ model, messages: [{ role: "assistant", content: "x" }] }, 400, "messages", null],
  [{ model, messages: [user, { role: "tool", content: "x" }] }, 200, null, null],
  [{ model, messages: [{ role: "tool", tool_call_id: "call_nope.1", content: "x" }] }, 404, null, "not_found"],
  [{ model, messages: [{ role: "tool", tool_call_id: "call_nope.1", content: "" }] }, 400, "messages[0]", null],
  [{ model, messages: [{ role: "robot", content: "x" }] }, 400, "messages[0].role", null],
  [{ model, messages: [{ role: "user", content: 7 }] }, 400, "messages[0].content", null],
  [part({ type: "video" }), 400, "messages[0].content[0].type", null],
  [part({ type: "text" }), 400, "messages[0].content[0].text", null],
  [part({ type: "image_url" }), 400, "messages[0].content[0].image_url", null],
  [
    part({ type: "image_url", image_url: { url: "file:///etc/passwd" } }),
    400,
    "messages[0].content[0].image_url",
    null,
  ],
  [part({ type: "file", file: { file_id: "file-1" } }), 400, "messages[0].content[0].file.file_id", null],
  [
    part({ type: "input_audio", input_audio: { data: "not base64!", format: "wav" } }),
    400,
    "messages[0].content[0].input_audio",
    null,
  ],
  [{ model, messages: [user], tools: [{ type: "function" }] }, 400, "tools", "unsupported_parameter"],
  [{ model, messages: [user], n: 2 }, 400, "n", "unsupported_parameter"],
  [{ model, messages: [user], logprobs: true }, 400, "logprobs", "unsupported_parameter"],
  [{ model, messages: [user], modalities: ["text", "audio"] }, 400, "modalities", "unsupported_parameter"],
  [{ model, messages: [user], modalities: { toString: 1 } }, 400, "modalities", "unsupported_parameter"],
  [{ model, messages: [user], modalities: ["text"] }, 200, null, null],
  [{ model, messages: [user], response_format: { type: "json_object" } }, 400, "response_format", null],
  [
    { model, messages: [user], response_format: { type: "json_schema", json_schema: { schema: 7 } } },
    400,
    "response_format.schema",
    null,
  ],
  [
    {
      model: "workflow:round",
      messages: [user],
      response_format: { type: "json_schema", json_schema: { schema: {} } },
    },
    400,
    "model",
    null,
  ],
  [{ model, messages: [user], metadata: { session_id: 7 } }, 400, "metadata.session_id", null],
  [{ model, messages: [user], metadata: { session_id: "a\u0000" } }, 400, "metadata.session_id", null],
  [{ model, messages: [user], user: "a\u0000" }, 400, "user", null],
  [{ model, messages: Array.from({ length: 2_000 }, () => user) }, 400, "messages", null],
  [
    {
      model,
      messages: [user],
      tools: [],
      n: 1,
      logprobs: false,
      modalities: ["text"],
      temperature: 3,
      stop: "x",
      unknown: {},
    },
    200,
    null,
    null,
  ],
];

test.each(chats)("a chat completion of %j returns %i", async (body, status, param, code) => {
  const answer = await post("/v1/chat/completions", body);
  expect(answer.status).toBe(status);
  if (status === 200) return;
  expect(answer.body).toEqual({ error: { message: expect.any(String), type: "invalid_request_error", param, code } });
});

const responses: [body: unknown, status: number, param: string | null][] = [
  [{ model }, 400, "input"],
  [{ input: "x" }, 400, "model"],
  [{ model, input: [] }, 400, "input"],
  [
    { model, input: [{ type: "message", role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
    400,
    "input[0].content[0].file_id",
  ],
  [{ model, input: [{ type: "mcp_approval_response", approval_request_id: "mcpr_a.b" }] }, 400, "input[0].approve"],
  [
    {
      model,
      input: [
        { type: "function_call_output", call_id: "call_a.b", output: "1" },
        { type: "function_call_output", call_id: "call_c.d", output: "1" },
      ],
    },
    400,
    "input",
  ],
  [{ model, input: [{ type: "function_call_output", call_id: "call_a.b", output: "1" }] }, 404, null],
  [{ model, input: "x", store: false }, 400, "store"],
  [{ model, input: "x", prompt: { id: "p" } }, 400, "prompt"],
  [{ model, input: "x", previous_response_id: "nope" }, 404, null],
  [{ model, input: "x", conversation: { id: "" } }, 400, null],
  [{ model, input: "x", text: { format: { type: "json_object" } } }, 400, "text.format"],
];

test.each(responses)("a response of %j returns %i", async (body, status, param) => {
  const answer = await post("/v1/responses", body);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatchObject({ type: "invalid_request_error", ...(param !== null && { param }) });
});

describe("ids of responses", () => {
  test.each(["resp_", "resp_x", "resp_x.0", "resp_x.-1", "resp_a%00b", "%F0%9F%98%80", "resp_x.99999999999999999999"])(
    "%s is the id of no response",
    async (id) => {
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "?stream=true"],
        ["DELETE", ""],
        ["POST", "/cancel"],
        ["GET", "/input_items"],
      ] as const) {
        const answer = await fetch(`${server.client.address.origin}/v1/responses/${id}${path}`, { method });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
        expect(((await answer.json()) as Answered["body"]).error.code).toBe("not_found");
      }
    },
  );

  test("a part that has not begun does not exist, and a query that does not fit is rejected", async () => {
    const { id } = await server.openai.responses.create({ model, input: "hello" });
    const read = (path: string) => fetch(`${server.client.address.origin}/v1/responses/${path}`);
    expect((await read(`${id}.9999`)).status).toBe(404);
    expect((await read(`${id}?starting_after=x`)).status).toBe(400);
    expect((await read(`${id}/input_items?limit=1000`)).status).toBe(400);
  });

  test("an answer that does not fit the question is rejected, and the run still waits", async () => {
    const asked = await server.openai.responses.create({ model, input: "address" });
    const call = asked.output.find((item) => item.type === "function_call");
    const answer = (output: string) =>
      post("/v1/responses", { model, input: [{ type: "function_call_output", call_id: call?.call_id, output }] });
    expect((await answer("no")).status).toBe(400);
    expect((await answer('{"street": 7}')).status).toBe(400);
    const other = await post("/v1/responses", {
      model: "agent:counter",
      input: [{ type: "function_call_output", call_id: call?.call_id, output: "x" }],
    });
    expect(other.body.error.param).toBe("model");
    expect((await answer('{"street": "Via", "number": 3}')).status).toBe(200);
  });
});

test("without the interface, its routes do not exist", async () => {
  const place = await createDataDir();
  const without = await openShop({ kind: "sqlite", dataDir: place.path }, { openai: false });
  try {
    expect((await fetch(`${without.client.address.origin}/v1/models`)).status).toBe(404);
  } finally {
    await without.end(0);
    await place.remove();
  }
});
