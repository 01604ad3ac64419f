/** What definitions can say by A2A beside a text: that they reject, what the message said, values for several fields. */
import { afterAll, beforeAll, describe, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, defineWorkflow, type RunContext, RunRejected, step } from "../../src/index.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { Raw, said03, said10 } from "./support/raw.ts";

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

const shop = defineAgent({ id: "shop", model: scriptedModel(answer), tools: [order, book] });
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

eachDatabase("by A2A", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), { agents: [shop, strict, echo], workflows: [desk, door, form] });
  });
  afterAll(() => server.end(0));
  const raw = new Raw(() => server.client.address.origin);
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at as they are
  const send = async (text: string, path: string, more: object = {}): Promise<any> => {
    const { json } = await raw.call("SendMessage", said10(text, more), `/a2a/${path}`);
    return json.result?.task ?? json;
  };

  describe("a run that rejects", () => {
    test.concurrent.for([
      ["a tool", "agents/shop"],
      ["instructions", "agents/strict"],
      ["an agent in a step", "workflows/desk"],
      ["a step's function", "workflows/door"],
    ] as const)("by %s is a rejected task, with the reason", async ([, path], { expect }) => {
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

    test.concurrent("is listed as rejected, and not as failed", async ({ expect }) => {
      const contextId = "rejected";
      const { id } = await send("much", "agents/shop", { contextId });
      const list = async (status: string) =>
        (await raw.call("ListTasks", { contextId, status }, "/a2a/agents/shop")).json.result;
      expect(await list("TASK_STATE_REJECTED")).toMatchObject({ tasks: [{ id }], totalSize: 1 });
      expect(await list("TASK_STATE_FAILED")).toMatchObject({ tasks: [], totalSize: 0 });
    });
  });

  describe("the message of a run", () => {
    test.concurrent("is in its context, with its id and metadata", async ({ expect }) => {
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
    ] as const)("is answered by %s", async ([, part], { expect }) => {
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
