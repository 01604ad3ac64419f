/** Sources that a model names: in the log, in records, and on every interface. */
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool } from "../../src/index.ts";
import { type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { inputOf, run as runAgUi } from "../ag-ui/support/client.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { openChat, shapeOf, textOf } from "./support/chat.ts";

const paper = { title: "Tea", mediaType: "application/pdf", filename: "tea.pdf" };
const page = { url: "https://example.org/tea", title: "All about tea" };
const bare = { url: "https://example.org/bare" };

/** The first turn names a page and calls a tool that waits; the second names the page again, and a document. */
function research({ results }: { readonly results: readonly unknown[] }): ScriptedTurn {
  if (results.length === 0)
    return { text: "Let me see.", sources: [page], toolCalls: [{ name: "note", input: { text: "tea" } }] };
  return { text: ["Tea is ", "green."], sources: [page, bare, paper, { url: "javascript:alert(1)", title: "Bad" }] };
}

const citations = {
  urls: [page, bare],
  documents: [{ document_title: "Tea", file_name: "tea.pdf", media_type: "application/pdf" }],
};

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
const jsonOf = async (response: Response): Promise<any> => await response.json();

eachDatabase("sources", (openDatabase) => {
  let server: OpenServer;
  let origin = "";
  beforeAll(async () => {
    const note = (confirm: boolean) =>
      defineTool({
        ...{ name: "note", description: "Takes a note.", input: z.object({ text: z.string() }), confirm },
        execute: () => "noted",
      });
    const agents = [
      defineAgent({ id: "scholar", model: scriptedModel(research), tools: [note(false)] }),
      defineAgent({ id: "careful", model: scriptedModel(research), tools: [note(true)] }),
    ];
    server = await openServer(await openDatabase(), { agents });
    origin = server.client.address.origin;
  });
  afterAll(() => server.end(0));

  const start = (id: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${origin}/agents/${id}/runs`, { method: "POST", body: new URLSearchParams({ message: "tea", ...more }) });

  test("are events of the log, and the final event and the records have each once", async () => {
    const events = (await (await start("scholar")).text())
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice("data: ".length)));
    const named = events.filter(({ event, citations: some }) => event === "RunContent" && some);
    expect(named.map(({ citations: some }) => some)).toEqual([
      { urls: [page] },
      { urls: [page] },
      { urls: [bare] },
      { documents: citations.documents },
    ]);
    expect(named.map(({ content }) => content)).toEqual([undefined, undefined, undefined, undefined]);
    const { run_id: runId, session_id: sessionId, citations: last } = events.at(-1);
    expect(last).toEqual(citations);
    const record = await jsonOf(await fetch(`${origin}/agents/scholar/runs/${runId}?session_id=${sessionId}`));
    expect(record).toMatchObject({ citations, content: "Let me see.\n\nTea is green." });
    const answers = record.messages.filter(({ role }: { role: string }) => role === "assistant");
    expect(answers.map((message: { citations?: unknown }) => message.citations)).toEqual([{ urls: [page] }, citations]);
    const [listed] = await jsonOf(await fetch(`${origin}/sessions/${sessionId}/runs`));
    expect(listed.citations).toEqual(citations);
  });

  test("of the turns before a pause are in the record after it", async () => {
    const paused = await jsonOf(await start("careful", { stream: "false" }));
    expect(paused).toMatchObject({ status: "PAUSED", citations: { urls: [page] } });
    const [call] = paused.tools;
    const tools = JSON.stringify([{ ...call, confirmed: true }]);
    const body = new URLSearchParams({ tools, session_id: paused.session_id, stream: "false" });
    const response = await fetch(`${origin}/agents/careful/runs/${paused.run_id}/continue`, { method: "POST", body });
    expect(await response.json()).toMatchObject({ status: "COMPLETED", citations });
  });

  test("are parts of the message of useChat, also when it is loaded", async () => {
    const chat = openChat(origin, "agents/scholar");
    await chat.sendMessage({ text: "tea" });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe("Let me see.|Tea is green.");
    expect(shapeOf(chat.lastMessage)).toEqual([
      ...["step-start", "text", "source-url", "tool-note output-available"],
      ...["step-start", "text", "source-url", "source-url", "source-document"],
    ]);
    const parts = chat.lastMessage!.parts.filter(({ type }) => type.startsWith("source-"));
    expect(parts).toMatchObject([page, page, bare, paper]);
    expect(new Set(parts.map((part) => (part as { sourceId: string }).sourceId)).size).toBe(4);
    const [, loaded] = await jsonOf(await fetch(`${origin}/ui/agents/scholar/${chat.id}/messages`));
    expect(loaded.parts.filter(({ type }: { type: string }) => type.startsWith("source-"))).toEqual(parts);
  });

  test("are annotations of a chat completion and of a response", async () => {
    const openai = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "none", maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "tea" }];
    const whole = await openai.chat.completions.create({ model: "agent:scholar", messages });
    const at = { start_index: 0, end_index: 0 };
    const cited = [page, page, { ...bare, title: "" }].map((one) => ({ ...one, ...at }));
    expect(whole.choices[0]?.message.annotations).toEqual(
      cited.map((one) => ({ type: "url_citation", url_citation: one })),
    );
    const streamed = await openai.chat.completions.stream({ model: "agent:scholar", messages }).finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe("Let me see.\n\nTea is green.");

    const stream = await openai.responses.create({ model: "agent:scholar", input: "tea", stream: true });
    const added: unknown[] = [];
    let response: OpenAI.Responses.Response | undefined;
    for await (const event of stream) {
      if (event.type === "response.output_text.annotation.added") added.push(event.annotation);
      if (event.type === "response.completed") response = event.response;
    }
    const annotations = cited.map((one) => ({ type: "url_citation", ...one }));
    expect(added).toEqual(annotations);
    const texts = response!.output.flatMap((item) => (item.type === "message" ? item.content : []));
    expect(texts.map((text) => (text.type === "output_text" ? text.annotations : []))).toEqual([
      annotations.slice(0, 1),
      annotations.slice(1),
    ]);
    expect(await openai.responses.retrieve(response!.id)).toEqual(
      expect.objectContaining({ output: response!.output }),
    );
  });

  test("are raw events of AG-UI", async () => {
    const frames = await runAgUi(origin, "/agents/scholar/agui", inputOf("tea"));
    const raw = frames.flatMap(({ event }) => (event.type === "RAW" && event.event.citations ? [event.event] : []));
    expect(raw.filter(({ event }) => event === "RunContent").map(({ citations: some }) => some)).toEqual([
      ...[{ urls: [page] }, { urls: [page] }, { urls: [bare] }],
      { documents: citations.documents },
    ]);
  });

  test("are metadata of A2A's status updates", async () => {
    const message = { messageId: "m1", role: "user", parts: [{ kind: "text", text: "tea" }] };
    const response = await fetch(`${origin}/a2a/agents/scholar`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } }),
    });
    const frames = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    const metadata = frames.map((line) => JSON.parse(line.slice("data: ".length)).result?.metadata);
    expect(metadata.filter((one) => one?.agno_event_type === "citations").map((one) => one.citations)).toEqual([
      ...[{ urls: [page] }, { urls: [page] }, { urls: [bare] }],
      { documents: citations.documents },
    ]);
  });
});
