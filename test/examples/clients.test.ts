/** Stock clients run the demo's team, lose their connections and resume: each has the whole answer, of one run. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HttpAgent } from "@ag-ui/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openChat, textOf } from "../ai-ui/support/chat.ts";
import { type Serving, type Workplace, workplace } from "../cli/support/troupe.ts";
import { blocks, page, project } from "../docs/support/pages.ts";
import { type TcpRelay, tcpRelay } from "../support/tcp-relay.ts";

const question = "Plan a day in Rome";

/** A run as a listing shows it. */
interface Listed {
  readonly status: string;
  readonly content: string;
}

describe("the demo's team", () => {
  let place: Workplace;
  let server: Serving;

  beforeAll(async () => {
    place = await workplace();
    server = await place.serve(`start ${join(project, "examples/demo/app.ts")} --port 0`);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  async function relayed(): Promise<TcpRelay> {
    const relay = await tcpRelay(new URL(server.address));
    onTestFinished(() => relay[Symbol.asyncDispose]());
    return relay;
  }

  /** The answer of the only run of a session. */
  async function answerIn(session: string): Promise<string> {
    const listed = await fetch(`${server.address}/teams/travel-desk/runs?session_id=${session}`);
    const runs = (await listed.json()) as Listed[];
    expect(runs.map(({ status }) => status)).toEqual(["COMPLETED"]);
    return runs[0]?.content ?? "";
  }

  test("is run by the official MCP client, which resumes by itself", async () => {
    const relay = await relayed();
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL("/mcp", relay.url), {
      reconnectionOptions: {
        ...{ initialReconnectionDelay: 50, maxReconnectionDelay: 50 },
        ...{ reconnectionDelayGrowFactor: 1, maxRetries: 1_000 },
      },
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const messages: string[] = [];
    const { structuredContent, content } = await client.callTool(
      { name: "run_team", arguments: { team_id: "travel-desk", message: question, session_id: "mcp" } },
      {
        timeout: 60_000,
        onprogress: ({ message = "" }) => {
          messages.push(message);
          if (messages.length <= 3) relay.cut();
        },
      },
    );
    expect(structuredContent).toMatchObject({ status: "COMPLETED" });
    expect(content).toEqual([{ type: "text", text: await answerIn("mcp") }]);
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.filter((message) => message === messages[0])).toHaveLength(1);
  });

  test("is run by DefaultChatTransport of useChat, which resumes the stream", async () => {
    const relay = await relayed();
    const chat = openChat(relay.url, "teams/travel-desk", { id: "chat" });
    let isCut = false;
    const watch = setInterval(() => {
      if (isCut || textOf(chat.lastMessage).length < 20) return;
      isCut = true;
      relay.cut();
    }, 5);
    onTestFinished(() => clearInterval(watch));
    await chat.sendMessage({ text: question });
    expect([isCut, chat.status]).toEqual([true, "error"]);
    await chat.resumeStream();
    expect([chat.status, chat.lastMessage?.metadata?.status]).toEqual(["ready", "COMPLETED"]);
    expect(textOf(chat.lastMessage).replaceAll("|", "\n\n")).toBe(await answerIn("chat"));
    expect(chat.messages).toHaveLength(2);
  });

  test("is run by the openai package, which resumes after its last sequence number", async () => {
    const relay = await relayed();
    const openai = new OpenAI({ baseURL: `${relay.url}/v1`, apiKey: "none", maxRetries: 0 });
    const begun = await openai.responses.create({
      ...{ model: "team:travel-desk", input: question, background: true, stream: true },
      metadata: { session_id: "openai" },
    });
    let [id, after, text, events, cuts, isOver] = ["", -1, "", 0, 0, false];
    for (let stream: typeof begun | undefined = begun; !isOver; stream = undefined) {
      try {
        stream ??= await openai.responses.retrieve(id, { stream: true, starting_after: after });
        for await (const event of stream) {
          expect(event.sequence_number).toBeGreaterThan(after);
          after = event.sequence_number;
          if (event.type === "response.created") id = event.response.id;
          if (event.type === "response.output_text.delta") text += event.delta;
          isOver = event.type === "response.completed";
          if (++events % 15 === 0) {
            cuts++;
            relay.cut();
          }
        }
      } catch (error) {
        // A cut may also hit a stream that has ended, and the request that resumes.
        if (cuts === 0) throw error;
      }
    }
    expect(cuts).toBeGreaterThan(1);
    expect(text).toBe(await answerIn("openai"));
  });

  test("is run by @ag-ui/client with the fetch of the guide, which resumes", async () => {
    const relay = await relayed();
    // The folder is in the checkout, so that packages resolve. Git ignores it.
    const folder = await mkdtemp(join(project, ".docs-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const block = blocks(page("docs/ag-ui.md")).find(({ code }) => code.includes("function resuming"));
    const [resuming = ""] = (block?.code ?? "").split("\nconst agent");
    await writeFile(join(folder, "resuming.ts"), `${resuming}\nexport { resuming };\n`);
    const guide = (await import(pathToFileURL(join(folder, "resuming.ts")).href)) as { resuming: typeof fetch };
    const agent = new HttpAgent({
      ...{ url: `${relay.url}/teams/travel-desk/agui`, threadId: "agui" },
      fetch: guide.resuming as never,
    });
    agent.addMessage({ id: "m1", role: "user", content: question });
    let [pieces, cuts] = [0, 0];
    const { newMessages } = await agent.runAgent(undefined, {
      onTextMessageContentEvent: () => {
        if (++pieces % 20 !== 5) return;
        cuts++;
        relay.cut();
      },
    });
    expect(cuts).toBeGreaterThan(1);
    // Each turn of the leader is a message; messages of members have the run of the member.
    const texts = newMessages.flatMap((message) =>
      message.role === "assistant" && message.content && !message.subagentRunId ? [message.content] : [],
    );
    expect(texts.join("\n\n")).toBe(await answerIn("agui"));
  });
});
