/** The stock client: the chat behind `useChat` with `DefaultChatTransport` of `ai`. */
import { lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { openChat, type PlainChat, shapeOf, textOf } from "./support/chat.ts";
import { shop, slowWords } from "./support/shop.ts";

eachDatabase("useChat", (openDatabase) => {
  let server: OpenServer;
  let origin = "";
  beforeAll(async () => {
    server = await openServer(await openDatabase(), shop());
    origin = server.client.address.origin;
  });
  afterAll(() => server.end(0));

  const messagesOf = async (path: string, id: string): Promise<unknown> =>
    await (await fetch(`${origin}/ui/${path}/${id}/messages`)).json();

  test("streams reasoning and text, and the message has the run's id, its cursor and its usage", async () => {
    const chat = openChat(origin, "agents/seller");
    await chat.sendMessage({ text: "hello" });
    expect(chat.error).toBeUndefined();
    const [question, answer] = chat.messages;
    expect(textOf(answer)).toBe("You said: hello");
    expect(shapeOf(answer)).toEqual(["step-start", "reasoning", "text"]);
    expect(answer?.metadata).toMatchObject({
      runId: answer?.id,
      sessionId: chat.id,
      status: "COMPLETED",
      cursor: expect.any(Number),
      usage: { totalTokens: expect.any(Number) },
    });
    expect(chat.status).toBe("ready");
    expect(await messagesOf("agents/seller", chat.id)).toEqual([question, answer].map(stored));
  });

  test("continues the session with the next message", async () => {
    const chat = openChat(origin, "agents/seller");
    await chat.sendMessage({ text: "one" });
    await chat.sendMessage({ text: "two" });
    expect(chat.messages.map(textOf)).toEqual(["one", "You said: one", "two", "You said: two"]);
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("shows the calls of server tools with results and errors", async () => {
    const chat = openChat(origin, "agents/seller", {
      // A stock setting for client tools: it must not send anything after the server's own calls.
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: () => {
        throw new Error("the server makes these calls");
      },
    });
    await chat.sendMessage({ text: "price" });
    await chat.sendMessage({ text: "missing" });
    await chat.sendMessage({ text: "close" });
    expect(chat.error).toBeUndefined();
    const [, price, , missing, , close] = chat.messages;
    expect(price?.parts.find(({ type }) => type === "tool-look_up")).toMatchObject({
      state: "output-available",
      input: { item: "tea" },
      output: { item: "tea", price: 3 },
    });
    expect(missing?.parts.find(({ type }) => type === "tool-look_up")).toMatchObject({
      state: "output-error",
      errorText: "no such item",
    });
    expect(textOf(close)).toBe("One moment.|closed");
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("an approved call is made, and the answer continues in the same message", async () => {
    const chat = openChat(origin, "agents/seller", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "both" });
    expect(shapeOf(chat.lastMessage)).toEqual([
      "step-start",
      "reasoning",
      "text",
      "tool-look_up output-available",
      "tool-order approval-requested",
    ]);
    await answer(chat, true);
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    await expect.poll(() => chat.status).toBe("ready");
    expect(chat.messages.length).toBe(2);
    expect(textOf(chat.lastMessage)).toBe('One moment.|It said: {"item":"tea","price":3}, ordered tea');
    expect(chat.lastMessage?.parts.find(({ type }) => type === "tool-order")).toMatchObject({
      state: "output-available",
      output: "ordered tea",
      approval: { approved: true },
    });
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("a rejected call is denied, with the reason for the model, on every surface of the chat", async () => {
    const chat = openChat(origin, "agents/seller", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "order" });
    await answer(chat, false, "too expensive");
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    await expect.poll(() => chat.status).toBe("ready");
    expect(shapeOf(chat.lastMessage)).toContain("tool-order output-denied");
    expect(textOf(chat.lastMessage)).toContain("too expensive");
  });

  test("a tool of the client gets its call, and its output continues the run", async () => {
    const chat = openChat(origin, "agents/seller", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        expect(toolCall).toMatchObject({ toolName: "locate", input: { precise: true } });
        void chat.addToolOutput({
          tool: toolCall.toolName,
          toolCallId: toolCall.toolCallId,
          output: { city: "Paris" },
        });
      },
    });
    await chat.sendMessage({ text: "where" });
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    await expect.poll(() => chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).toBe('One moment.|It said: {"city":"Paris"}');
    expect(chat.error).toBeUndefined();
  });

  test("values that a person enters are the output of the call", async () => {
    const chat = openChat(origin, "agents/seller", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
    await chat.sendMessage({ text: "deliver" });
    const call = chat.lastMessage?.parts.find(({ type }) => type === "tool-deliver") as { toolCallId: string };
    expect(call).toMatchObject({ state: "input-available", input: { item: "tea" } });
    await chat.addToolOutput({ tool: "deliver", toolCallId: call.toolCallId, output: { address: "Rome" } });
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    expect(textOf(chat.lastMessage)).toContain("delivered tea to Rome");
  });

  test("a team's answer is the text, members are data, and a member's call is approved", async () => {
    const chat = openChat(origin, "teams/store", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "order" });
    expect(shapeOf(chat.lastMessage)).toEqual([
      "step-start",
      "tool-delegate_task_to_member input-available",
      "data-member",
      "step-start",
      "tool-order approval-requested",
    ]);
    await answer(chat, true);
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    await expect.poll(() => chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).toContain("The seller answered: One moment.");
    expect(chat.lastMessage?.parts.find(({ type }) => type === "data-member")).toMatchObject({
      data: { id: "seller", name: "Seller", status: "completed", content: expect.stringContaining("ordered tea") },
    });
    expect(await messagesOf("teams/store", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("a workflow shows its steps, asks its question, and its result is the text", async () => {
    const chat = openChat(origin, "workflows/sale", {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    await chat.sendMessage({ text: "hello" });
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({
      type: "dynamic-tool",
      toolName: "sign",
      state: "approval-requested",
      input: { message: "Sign the sale?" },
    });
    await answer(chat, true);
    await expect.poll(() => chat.lastMessage?.metadata?.status).toBe("COMPLETED");
    await expect.poll(() => chat.status).toBe("ready");
    expect(textOf(chat.lastMessage)).toBe("Signed: You said: hello");
    const steps = chat.lastMessage?.parts.filter(({ type }) => type === "data-step");
    expect(steps).toMatchObject([
      { data: { name: "offer", status: "completed" } },
      { data: { name: "sign", status: "completed", content: "Signed: You said: hello" } },
    ]);
    expect(await messagesOf("workflows/sale", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("a structured answer is data", async () => {
    const chat = openChat(origin, "agents/counter");
    await chat.sendMessage({ text: "count" });
    expect(chat.lastMessage?.parts.at(-1)).toMatchObject({ type: "data-output", data: { letters: 3 } });
  });

  test("a run that fails is an error of the chat, after the text so far", async () => {
    const chat = openChat(origin, "agents/seller");
    await chat.sendMessage({ text: "explode" });
    expect(chat.status).toBe("error");
    expect(textOf(chat.lastMessage)).toBe("So far");
    expect(chat.lastMessage?.metadata).toMatchObject({ status: "ERROR" });
  });

  test("regenerate replaces the last answer, and an edited message replaces the last question", async () => {
    const chat = openChat(origin, "agents/seller");
    await chat.sendMessage({ text: "hello" });
    const first = chat.lastMessage?.id;
    await chat.regenerate();
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage?.id).not.toBe(first);
    expect(chat.messages.map(textOf)).toEqual(["hello", "You said: hello"]);
    await chat.sendMessage({ text: "goodbye", messageId: chat.messages[0]?.id as string });
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(textOf)).toEqual(["goodbye", "You said: goodbye"]);
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("stop of the client leaves the run alone, and the stop route cancels it", async () => {
    const chat = openChat(origin, "agents/seller");
    const sent = chat.sendMessage({ text: "endless" });
    await expect.poll(() => textOf(chat.lastMessage).length).toBeGreaterThan(10);
    await chat.stop();
    await sent;
    const resumed = chat.resumeStream();
    await expect.poll(() => chat.status).toBe("streaming");
    const stopped = await fetch(`${origin}/ui/agents/seller/${chat.id}/stop`, { method: "POST" });
    expect(await stopped.json()).toEqual({ stopped: [chat.lastMessage?.id] });
    await resumed;
    expect(chat.lastMessage?.metadata).toMatchObject({ status: "CANCELLED" });
    expect((await fetch(`${origin}/ui/agents/seller/${chat.id}/stream`)).status).toBe(204);
    const again = await fetch(`${origin}/ui/agents/seller/${chat.id}/stop`, { method: "POST" });
    expect(await again.json()).toEqual({ stopped: [] });
  });

  test("a message that is put into the live run is a part of the answer", async () => {
    const chat = openChat(origin, "agents/seller");
    const sent = chat.sendMessage({ text: "slow" });
    await expect.poll(() => textOf(chat.lastMessage)).toContain("word1");
    const body = new URLSearchParams({ message: "make it rhyme", session_id: chat.id });
    const steered = await fetch(`${origin}/agents/seller/runs/${chat.lastMessage?.id}/messages`, {
      method: "POST",
      body,
    });
    expect(steered.status).toBe(202);
    await sent;
    expect(chat.lastMessage?.parts).toContainEqual({
      type: "steering-message",
      id: expect.any(String),
      parts: [{ type: "text", text: "make it rhyme" }],
    });
    expect(textOf(chat.lastMessage)).toBe(`${slowWords.join("")}|You said: make it rhyme`);
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });

  test("another client resumes the live answer from its beginning", async () => {
    const chat = openChat(origin, "agents/seller");
    const sent = chat.sendMessage({ text: "slow" });
    await expect.poll(() => textOf(chat.lastMessage)).toContain("word1");
    const other = openChat(origin, "agents/seller", { id: chat.id, messages: structuredClone(chat.messages) });
    await other.resumeStream();
    expect(textOf(other.lastMessage)).toBe(slowWords.join(""));
    await sent;
    expect(other.messages).toEqual(chat.messages);
  });

  test("a file of the message reaches the run and the messages of the chat", async () => {
    const chat = openChat(origin, "agents/seller");
    const url = `data:text/plain;base64,${Buffer.from("a note").toString("base64")}`;
    await chat.sendMessage({
      text: "hello",
      files: [{ type: "file", mediaType: "text/plain", filename: "note.txt", url }],
    });
    expect(chat.error).toBeUndefined();
    expect(await messagesOf("agents/seller", chat.id)).toEqual(chat.messages.map(stored));
  });
});

/** Answers the approval that the last message asks for. */
async function answer(chat: PlainChat, approved: boolean, reason?: string): Promise<void> {
  const asked = chat.lastMessage?.parts.find((part) => "approval" in part && part.state === "approval-requested");
  const { approval } = asked as unknown as { approval: { id: string } };
  await chat.addToolApprovalResponse({ id: approval.id, approved, ...(reason !== undefined && { reason }) });
}

/** A message as the server shows it: without members that are undefined. */
function stored(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message));
}
