/** The stock `openai` client against a real server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { openShop, type ShopServer } from "./support/shop.ts";

const user = (content: string) => [{ role: "user" as const, content }];

eachDatabase("the stock OpenAI client", (openDatabase) => {
  let server: ShopServer;
  beforeAll(async () => {
    server = await openShop(await openDatabase());
  });
  afterAll(() => server.end(0));

  describe("models", () => {
    test("lists every component as a model, and reads one of them", async () => {
      const { data } = await server.openai.models.list();
      expect(data.map(({ id }) => id)).toEqual(["agent:clerk", "agent:counter", "team:office", "workflow:round"]);
      expect(await server.openai.models.retrieve("team:office")).toMatchObject({ id: "team:office", object: "model" });
    });
  });

  describe("chat completions", () => {
    test("answers whole, with the usage of the run", async () => {
      const completion = await server.openai.chat.completions.create({ model: "agent:clerk", messages: user("hello") });
      expect(completion).toMatchObject({ object: "chat.completion", model: "agent:clerk" });
      expect(completion.choices[0]).toMatchObject({
        finish_reason: "stop",
        message: { role: "assistant", content: "You said: hello" },
      });
      expect(completion.usage?.total_tokens).toBeGreaterThan(0);
    });

    test("streams chunks, the finish reason, and the usage if it is requested", async () => {
      const stream = await server.openai.chat.completions.create({
        model: "agent:clerk",
        messages: user("hello"),
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = [];
      for await (const chunk of stream) chunks.push(chunk);
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("You said: hello");
      expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
      expect(chunks.at(-1)?.choices).toEqual([]);
      expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    });

    test("answers of a team and of a workflow are the final answers, without their members' texts", async () => {
      const team = await server.openai.chat.completions.create({ model: "team:office", messages: user("hello") });
      expect(team.choices[0]?.message.content).toBe("You said: hello");
      const streamed = server.openai.chat.completions.stream({ model: "team:office", messages: user("hello") });
      expect(await streamed.finalContent()).toBe("You said: hello");
    });

    test("the conversation of a request without a session reaches the model, after the component's instructions", async () => {
      const { choices } = await server.openai.chat.completions.create({
        model: "agent:clerk",
        messages: [
          { role: "system", content: "Be short." },
          { role: "user", content: "one" },
          { role: "assistant", content: "1" },
          { role: "user", content: "prompt" },
        ],
      });
      const prompt = JSON.parse(choices[0]?.message.content ?? "");
      expect(prompt[0].content).toContain("Be kind.");
      expect(prompt[0].content).toContain("Be short.");
      expect(
        prompt.slice(1).map((one: { role: string; content: { text: string }[] }) => [one.role, one.content[0]?.text]),
      ).toEqual([
        ["user", "one"],
        ["assistant", "1"],
        ["user", "prompt"],
      ]);
    });

    test("a session in the metadata has the history, and the request's earlier messages are left out", async () => {
      const metadata = { session_id: `chat-${crypto.randomUUID()}` };
      await server.openai.chat.completions.create({ model: "agent:clerk", messages: user("first"), metadata });
      const { choices } = await server.openai.chat.completions.create({
        model: "agent:clerk",
        messages: [...user("something else"), { role: "assistant", content: "no" }, ...user("prompt")],
        metadata,
      });
      const texts = JSON.parse(choices[0]?.message.content ?? "").map((one: { content: unknown }) =>
        JSON.stringify(one.content),
      );
      expect(texts.join()).toContain("first");
      expect(texts.join()).not.toContain("something else");
    });

    test("an image reaches the model as a file", async () => {
      const { choices } = await server.openai.chat.completions.create({
        model: "agent:clerk",
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "prompt" },
              { type: "image_url", image_url: { url: "data:image/png;base64,aGVsbG8=", detail: "low" } },
            ],
          },
        ],
      });
      expect(choices[0]?.message.content).toContain('"mediaType":"image/png"');
      expect(choices[0]?.message.content).toContain("aGVsbG8=");
    });

    test("a structured answer is JSON, by the component's schema and by the request's", async () => {
      const own = await server.openai.chat.completions.create({ model: "agent:counter", messages: user("count") });
      expect(JSON.parse(own.choices[0]?.message.content ?? "")).toEqual({ letters: 3 });
      const format = {
        type: "json_schema" as const,
        json_schema: {
          name: "n",
          schema: { type: "object", properties: { letters: { type: "integer" } }, required: ["letters"] },
        },
      };
      const asked = server.openai.chat.completions.stream({
        model: "agent:counter",
        messages: user("count"),
        response_format: format,
      });
      expect(JSON.parse((await asked.finalContent()) ?? "")).toEqual({ letters: 3 });
    });

    test("a paused run ends with tool calls, and tool messages continue it", async () => {
      const messages = user("letter, please");
      const asked = await server.openai.chat.completions.create({ model: "agent:clerk", messages });
      const [choice] = asked.choices;
      expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: "One moment." } });
      const calls = choice?.message.tool_calls ?? [];
      expect(calls).toMatchObject([{ type: "function", function: { name: "send_letter", arguments: '{"to":"Ada"}' } }]);
      const answered = { role: "tool" as const, tool_call_id: calls[0]?.id ?? "", content: "yes" };
      const stream = server.openai.chat.completions.stream({
        model: "agent:clerk",
        messages: [...messages, { role: "assistant", content: "One moment.", tool_calls: calls }, answered],
      });
      const text = await stream.finalContent();
      expect(text?.trim()).toBe("The tool said sent to Ada");
    });

    test("a failed run is an error that the client does not repeat; a stream ends with it", async () => {
      const messages = user("half");
      await expect(
        server.openai.chat.completions.create({ model: "agent:clerk", messages }, { maxRetries: 2 }),
      ).rejects.toMatchObject({
        status: 500,
        code: "run_failed",
        type: "server_error",
      });
      const { data } = (await server.client.get("/agents/clerk/runs?limit=100")).body;
      const runs = (data ?? (await server.client.get("/agents/clerk/runs?limit=100")).body) as { status: string }[];
      expect(runs.filter(({ status }) => status === "ERROR")).toHaveLength(1);
      const stream = await server.openai.chat.completions.create({ model: "agent:clerk", messages, stream: true });
      let text = "";
      const read = async () => {
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      };
      await expect(read()).rejects.toThrow();
      expect(text).toBe("So far");
    });

    test("reasoning has its own member of a delta", async () => {
      const { choices } = await server.openai.chat.completions.create({
        model: "agent:clerk",
        messages: user("think"),
      });
      expect(choices[0]?.message).toMatchObject({ content: "I thought.", reasoning_content: "Hmm." });
    });
  });

  describe("responses", () => {
    test("creates, streams and retrieves the same response; its calls are calls of the server", async () => {
      const stream = server.openai.responses.stream({ model: "agent:clerk", input: "look up" });
      const types = [];
      for await (const { type } of stream) types.push(type);
      const final = await stream.finalResponse();
      expect(types[0]).toBe("response.created");
      expect(types.at(-1)).toBe("response.completed");
      expect(final.output.map(({ type }) => type)).toEqual(["message", "mcp_call", "message"]);
      expect(final.output[1]).toMatchObject({ name: "look_up", output: "a\u2028b is a word", status: "completed" });
      const read = await server.openai.responses.retrieve(final.id);
      expect(read.output_text).toBe(final.output_text);
      expect(read.output.map(({ id }) => id)).toEqual(final.output.map(({ id }) => id));
      expect(read.usage).toEqual(final.usage);
      const whole = await server.openai.responses.create({ model: "agent:clerk", input: "look up" });
      expect(whole.output_text).toBe(final.output_text);
    });

    test("previous_response_id continues the session, and conversation names it", async () => {
      const first = await server.openai.responses.create({ model: "agent:clerk", input: "remember me" });
      const second = await server.openai.responses.create({
        model: "agent:clerk",
        input: "prompt",
        previous_response_id: first.id,
      });
      expect(second.output_text).toContain("remember me");
      expect(second.conversation?.id).toBe(first.conversation?.id);
      expect((await server.openai.responses.retrieve(second.id)).previous_response_id).toBe(first.id);
      const third = await server.openai.responses.create({
        model: "agent:clerk",
        input: "prompt",
        conversation: first.conversation?.id ?? "",
      });
      expect(third.output_text).toContain("remember me");
    });

    test("a background response is followed from any sequence number on", async () => {
      const begun = await server.openai.responses.create({ model: "agent:clerk", input: "look up", background: true });
      expect(["queued", "in_progress"]).toContain(begun.status);
      let after = -1;
      let text = "";
      let isOver = false;
      while (!isOver) {
        const stream = await server.openai.responses.retrieve(begun.id, { stream: true, starting_after: after });
        let count = 0;
        for await (const event of stream) {
          expect(event.sequence_number).toBeGreaterThan(after);
          after = event.sequence_number;
          if (event.type === "response.output_text.delta") text += event.delta;
          isOver = event.type === "response.completed";
          if (++count === 3) break;
        }
      }
      expect(text).toBe((await server.openai.responses.retrieve(begun.id)).output_text);
    });

    test("cancels a response in progress; a finished response does not change", async () => {
      const begun = await server.openai.responses.create({ model: "agent:clerk", input: "endless", background: true });
      expect((await server.openai.responses.cancel(begun.id)).status).toBe("cancelled");
      expect((await server.openai.responses.retrieve(begun.id)).status).toBe("cancelled");
      const done = await server.openai.responses.create({ model: "agent:clerk", input: "hello" });
      expect((await server.openai.responses.cancel(done.id)).status).toBe("completed");
    });

    test("an approval is requested and given, also for the step of a workflow", async () => {
      const asked = await server.openai.responses.create({ model: "workflow:round", input: "letter" });
      const request = asked.output.find(({ type }) => type === "mcp_approval_request");
      expect(request).toMatchObject({ name: "send_letter", arguments: '{"to":"Ada"}' });
      const answer = (approval_request_id: string) => [
        { type: "mcp_approval_response" as const, approval_request_id, approve: true },
      ];
      const next = await server.openai.responses.create({
        model: "workflow:round",
        previous_response_id: asked.id,
        input: answer(request?.id ?? ""),
      });
      const step = next.output.find(({ type }) => type === "mcp_approval_request");
      expect(step).toMatchObject({ name: "book it" });
      const stream = server.openai.responses.stream({ model: "workflow:round", input: answer(step?.id ?? "") });
      const last = await stream.finalResponse();
      expect(last.output_text).toBe("Booked. One moment.\n\nThe tool said sent to Ada");
      for (const one of [asked, next, last]) {
        const read = await server.openai.responses.retrieve(one.id);
        expect([read.status, read.output]).toEqual([
          "completed",
          JSON.parse(JSON.stringify(one.output, (key, value) => (key === "parsed" ? undefined : value))),
        ]);
      }
      await expect(
        server.openai.responses.create({ model: "workflow:round", input: answer(step?.id ?? "") }),
      ).rejects.toMatchObject({ status: 409 });
    });

    test("a rejection reaches the model with its reason", async () => {
      const asked = await server.openai.responses.create({ model: "agent:clerk", input: "letter" });
      const id = asked.output.find(({ type }) => type === "mcp_approval_request")?.id ?? "";
      const input = [
        { type: "mcp_approval_response" as const, approval_request_id: id, approve: false, reason: "too late" },
      ];
      const { output_text } = await server.openai.responses.create({ model: "agent:clerk", input });
      expect(output_text).toContain("too late");
    });

    test("an external tool is a function call, and its output continues the run", async () => {
      const asked = await server.openai.responses.create({ model: "team:office", input: "measure" });
      const call = asked.output.find((item) => item.type === "function_call");
      expect(call).toMatchObject({ name: "measure", arguments: '{"room":"hall"}' });
      const done = await server.openai.responses.create({
        model: "team:office",
        previous_response_id: asked.id,
        input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "12 m" }],
      });
      expect(done.output_text).toBe("The tool said 12 m");
      const items = [];
      for await (const item of server.openai.responses.inputItems.list(done.id, { order: "asc" })) items.push(item);
      expect(items).toMatchObject([
        { type: "message", role: "user", content: [{ type: "input_text", text: "measure" }] },
        { type: "function_call_output", call_id: call?.call_id, output: "12 m" },
      ]);
    });

    test("values that a person enters are members of the call that are null", async () => {
      const asked = await server.openai.responses.create({ model: "agent:clerk", input: "address" });
      const call = asked.output.find((item) => item.type === "function_call");
      expect(JSON.parse(call?.arguments ?? "")).toEqual({ city: "Rome", street: null, number: null });
      const output = JSON.stringify({ street: "Via", number: 3 });
      const done = await server.openai.responses.create({
        model: "agent:clerk",
        input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output }],
      });
      expect(done.output_text).toContain("booked Via 3 in Rome");
    });

    test("a failed run is a response with the status failed", async () => {
      const failed = await server.openai.responses.create({ model: "agent:clerk", input: "half" });
      expect(failed).toMatchObject({ status: "failed", error: { code: "server_error" } });
      expect(JSON.stringify(failed)).not.toContain("secret");
    });

    test("a deleted response does not exist any more", async () => {
      const { id } = await server.openai.responses.create({ model: "agent:clerk", input: "hello" });
      await server.openai.responses.delete(id);
      await expect(server.openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    });

    test("a request with an Idempotency-Key starts one run, however often it is sent", async () => {
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const send = () => server.openai.responses.create({ model: "agent:clerk", input: "hello" }, { headers });
      expect((await send()).id).toBe((await send()).id);
    });
  });
});
