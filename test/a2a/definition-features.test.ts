/** A2A features of definitions: rejections, artifacts, answers as messages, the message in the run's context, and questions with several fields. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineTeam,
  defineTool,
  defineWorkflow,
  type RunContext,
  RunRejected,
  step,
} from "../../src/index.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { Raw, said03, said10 } from "./support/raw.ts";
import { stock03, stock10 } from "./support/stock.ts";

const reason = "We take no orders above 10,000 euros.";

const order = defineTool({
  name: "order",
  description: "Orders.",
  input: z.object({ euros: z.number() }),
  execute: ({ euros }) => {
    if (euros > 10_000) throw new RunRejected(reason);
    return "ordered";
  },
});

const book = defineTool({
  name: "book",
  description: "Books.",
  input: z.object({ city: z.string(), nights: z.number(), name: z.string() }),
  userInput: ["city", "nights"],
  execute: ({ city, nights, name }) => `${name} stays ${nights} nights in ${city}`,
});

function answer({ message, results: [result] }: ScriptedCall) {
  if (result) return result.text;
  if (message.includes("book")) return { toolCalls: [{ name: "book", input: { name: "Ada" } }] };
  return { toolCalls: [{ name: "order", input: { euros: message.includes("much") ? 20_000 : 1 } }] };
}

const report = defineTool({
  name: "report",
  description: "Reports.",
  input: z.object({}),
  execute: (_, { addArtifact }) => {
    addArtifact({ name: "draft", text: "one" });
    addArtifact({
      name: "table",
      description: "As a file",
      filename: "t.csv",
      mediaType: "text/csv",
      bytes: Buffer.from("a,b"),
    });
    addArtifact({ name: "figures", data: { sum: 3 }, mediaType: "application/json", metadata: { of: "tool" } });
    addArtifact({ name: "draft", text: "two" });
    expectFault(() => addArtifact({ name: "none" }));
    expectFault(() => addArtifact({ name: "", text: "x" }));
    return "reported";
  },
});

function expectFault(work: () => void): void {
  try {
    work();
  } catch {
    return;
  }
  throw new Error("no error was thrown");
}

const shop = defineAgent({ id: "shop", model: scriptedModel(answer), tools: [order, book] });
const clerk = defineAgent({
  id: "clerk",
  model: scriptedModel(({ message, results: [result] }) => {
    if (result && message.includes("fail")) return { error: { message: "secret", status: 400 } };
    return result ? "Done" : { toolCalls: [{ name: "report", input: {} }] };
  }),
  tools: [report],
});
const office = defineTeam({
  id: "office",
  model: scriptedModel(({ results: [result] }) =>
    result ? "Done" : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "clerk", task: "go" } }] },
  ),
  members: [clerk],
});
const made = defineWorkflow({
  id: "made",
  steps: [
    step({
      name: "make",
      run({ addArtifact }) {
        addArtifact({ name: "figures", data: { sum: 3 } });
        return "Done";
      },
    }),
  ],
});
const alone = defineAgent({
  id: "alone",
  model: scriptedModel(({ message }) =>
    message.includes("fail") ? { error: { message: "secret", status: 400 } } : `You said: ${message}`,
  ),
  a2aAnswer: "message",
});
const strict = defineAgent({
  id: "strict",
  model: scriptedModel(["never"]),
  instructions() {
    throw new RunRejected(reason);
  },
});
const told = ({ a2a }: RunContext): string => JSON.stringify(a2a ?? null);
const echo = defineAgent({ id: "echo", model: scriptedModel(({ system }) => system), instructions: told });
const desk = defineWorkflow({
  id: "desk",
  steps: [step({ name: "order", agent: shop, retries: { times: 5 }, onError: "skip" })],
});
const door = defineWorkflow({
  id: "door",
  steps: [
    step({
      name: "check",
      run() {
        throw new RunRejected(reason);
      },
    }),
  ],
});
const form = defineWorkflow({
  id: "form",
  steps: [
    step({
      name: "ask",
      userInput: { fields: [{ name: "city" }, { name: "nights", type: "int" }] },
      run: ({ userInput }) => `${userInput.nights} nights in ${userInput.city}`,
    }),
  ],
});

eachDatabase("A2A features of definitions", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), {
      agents: [shop, strict, echo, clerk, alone],
      teams: [office],
      workflows: [desk, door, form, made],
    });
  });
  afterAll(() => server.end(0));
  const raw = new Raw(() => server.client.address.origin);
  // biome-ignore lint/suspicious/noExplicitAny: tests read the answers without types
  const send = async (text: string, path: string, more: object = {}): Promise<any> => {
    const { json } = await raw.call("SendMessage", said10(text, more), `/a2a/${path}`);
    return json.result?.task ?? json;
  };

  describe("a run rejected", () => {
    test.concurrent.for([
      ["a tool", "agents/shop"],
      ["instructions", "agents/strict"],
      ["an agent in a step", "workflows/desk"],
      ["a step's function", "workflows/door"],
    ] as const)("by %s is a rejected task with the reason", async ([, path], { expect }) => {
      const task = await send("much", path);
      expect(task.status).toMatchObject({
        state: "TASK_STATE_REJECTED",
        message: { parts: [{ text: reason }], metadata: { error_type: "rejected" } },
      });
      expect((await raw.call("GetTask", { id: task.id }, `/a2a/${path}`)).json.result).toEqual(task);
      const frames = await raw.callFrames("message/stream", said03("much"), `/a2a/${path}`);
      expect(frames.at(-1)!.data.result).toMatchObject({
        final: true,
        status: { state: "rejected", message: { parts: [{ kind: "text", text: reason }] } },
      });
    });

    test.concurrent("by a tool is listed as rejected, not as failed", async ({ expect }) => {
      const contextId = "rejected";
      const { id } = await send("much", "agents/shop", { contextId });
      const list = async (status: string) =>
        (await raw.call("ListTasks", { contextId, status }, "/a2a/agents/shop")).json.result;
      expect(await list("TASK_STATE_REJECTED")).toMatchObject({ tasks: [{ id }], totalSize: 1 });
      expect(await list("TASK_STATE_FAILED")).toMatchObject({ tasks: [], totalSize: 0 });
    });
  });

  describe("artifacts added by addArtifact", () => {
    const figures = { artifactId: "made/figures", name: "figures" };
    const all = [
      { artifactId: "made/draft", name: "draft", parts: [{ text: "two" }] },
      {
        ...{ artifactId: "made/table", name: "table", description: "As a file" },
        parts: [{ raw: Buffer.from("a,b").toString("base64"), filename: "t.csv", mediaType: "text/csv" }],
      },
      { ...figures, parts: [{ data: { sum: 3 }, mediaType: "application/json" }], metadata: { of: "tool" } },
    ];

    test.concurrent("are in the task beside its answer, for agents, team members, workflows and failed tasks", async ({
      expect,
    }) => {
      const answered = { artifactId: "answer", name: "answer", parts: [{ text: "Done" }] };
      for (const path of ["agents/clerk", "teams/office"]) {
        const task = await send("go", path);
        expect(task.artifacts).toEqual([answered, ...all]);
        const { json } = await raw.call("GetTask", { id: task.id }, `/a2a/${path}`);
        expect(json.result.artifacts).toEqual(task.artifacts);
      }
      const failed = await send("fail", "agents/clerk");
      expect([failed.status.state, failed.artifacts]).toEqual(["TASK_STATE_FAILED", all]);
      expect((await send("go", "workflows/made")).artifacts).toContainEqual({
        ...figures,
        parts: [{ data: { sum: 3 } }],
      });
    });

    test.concurrent("are streamed when they are added, in both versions and as the run's CustomEvents", async ({
      expect,
    }) => {
      const frames = await raw.callFrames("SendStreamingMessage", said10("go"), "/a2a/agents/clerk");
      const told = frames.flatMap(({ data }) => data.result.artifactUpdate ?? []);
      expect(told.slice(0, 4).map(({ artifact }) => artifact.name)).toEqual(["draft", "table", "figures", "draft"]);
      expect(told[2]).toMatchObject({ artifact: all[2], append: false, lastChunk: true });
      const old = await raw.callFrames("message/stream", said03("go"), "/a2a/agents/clerk");
      expect(old.map(({ data }) => data.result.artifact)).toContainEqual({
        ...figures,
        ...{ parts: [{ kind: "data", data: { sum: 3 } }], metadata: { of: "tool" } },
      });
      const run = await server.client.stream("/agents/clerk/runs", { message: "go" });
      await run.closed;
      const events = run.events.filter(({ event }) => event === "CustomEvent");
      expect(events.map(({ data }) => data.artifact.name)).toEqual(["draft", "table", "figures", "draft"]);
    });
  });

  describe("a component with a2aAnswer: message", () => {
    const path = "/a2a/agents/alone";
    const parts = [{ text: "You said: hello" }];

    test.concurrent("answers with a message instead of a task, also in streams, in both versions", async ({
      expect,
    }) => {
      const { json } = await raw.call("SendMessage", said10("hello", { contextId: "of-alone" }), path);
      const message = { messageId: expect.any(String), role: "ROLE_AGENT", parts, contextId: "of-alone" };
      expect(json.result).toEqual({ message });
      const frames = await raw.callFrames("SendStreamingMessage", said10("hello"), path);
      expect(frames.map(({ data }) => Object.keys(data.result))).toEqual([["message"]]);
      const old = await raw.call("message/send", said03("hello"), path);
      expect(old.json.result).toMatchObject({ kind: "message", role: "agent", parts: [{ kind: "text" }] });
      const card = `${server.client.address.origin}${path}/.well-known/agent-card.json`;
      for (const client of [
        await stock10(card, "JSONRPC"),
        await stock10(card, "HTTP+JSON"),
        await stock03(card, "JSONRPC"),
        await stock03(card, "HTTP+JSON"),
      ]) {
        expect(await client.send("hello")).toMatchObject({ kind: "message", text: "You said: hello" });
      }
    });

    test.concurrent("answers with a task if the run fails or the sender does not wait", async ({ expect }) => {
      expect((await send("fail", "agents/alone")).status.state).toBe("TASK_STATE_FAILED");
      const frames = await raw.callFrames("SendStreamingMessage", said10("fail"), path);
      expect(frames.map(({ data }) => data.result.task.status.state)).toEqual(["TASK_STATE_FAILED"]);
      const { json } = await raw.call("SendMessage", said10("hello", {}, { returnImmediately: true }), path);
      expect(json.result.task.id).toEqual(expect.any(String));
    });
  });

  describe("the A2A message of a run", () => {
    test.concurrent("is in the run's context with its id, metadata and extensions, and null for a run started otherwise", async ({
      expect,
    }) => {
      const more = { messageId: "m-1", metadata: { from: "Ada" }, extensions: ["https://x.example"] };
      const task = await send("hello", "agents/echo", more);
      expect(JSON.parse(task.artifacts[0].parts[0].text)).toEqual({ ...more, referenceTaskIds: [] });
      const started = await server.client.stream("/agents/echo/runs", { message: "hello" });
      await started.closed;
      expect(started.events.at(-1)?.data.content).toBe("null");
    });
  });

  describe("a question with several fields", () => {
    test.concurrent.for([
      ["a JSON text", { text: '{"city": "Rome", "nights": 3}' }],
      ["data", { data: { city: "Rome", nights: 3 } }],
    ] as const)("is answered by %s, and other text is rejected", async ([, part], { expect }) => {
      for (const [path, answered] of [
        ["agents/shop", "Ada stays 3 nights in Rome"],
        ["workflows/form", "3 nights in Rome"],
      ] as const) {
        const asked = await send("book", path);
        expect(asked.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
        const refused = await send("Rome", path, { taskId: asked.id });
        expect(refused.error.code).toBe(-32602);
        const done = await send("", path, { taskId: asked.id, parts: [part] });
        expect(done.artifacts[0].parts).toEqual([{ text: answered }]);
      }
    });
  });
});
