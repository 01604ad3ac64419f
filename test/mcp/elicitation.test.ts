/** Questions of paused runs for clients that can ask their users: elicitation of revision 2026-07-28. */
import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, defineWorkflow, step } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Any, addressOf, connect } from "./support/client.ts";

const book = defineTool({
  name: "book",
  description: "Books a room.",
  input: z.object({ city: z.string(), street: z.string(), number: z.number() }),
  userInput: ["street", "number"],
  execute: ({ city, street, number }) => `booked ${street} ${number} in ${city}`,
});

function office() {
  const { agents = [], workflows = [], ...more } = desk();
  const model = scriptedModel(({ results: [result] }) =>
    result ? `The tool said ${result.text}` : { toolCalls: [{ name: "book", input: { city: "Rome" } }] },
  );
  const clerk = defineAgent({ id: "host", model, tools: [book] });
  const trip = defineWorkflow({
    id: "trip",
    steps: [step({ name: "book", confirm: "Travel?", run: () => "travelled" })],
  });
  return { ...more, agents: [...agents, clerk], workflows: [...workflows, trip] };
}

eachDatabase("the questions of a paused run", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), office());
  });
  afterAll(() => server.end(0));

  /** A client whose user gives these answers, one after the other. */
  async function asking(answers: readonly Any[], asked: Any[] = []): Promise<Client> {
    const client = await connect(server, { isModern: true, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      return answers[asked.length - 1];
    });
    return client;
  }

  test.each([
    ["run_agent", { agent_id: "clerk" }],
    ["run_team", { team_id: "office" }],
    ["run_workflow", { workflow_id: "round" }],
  ] as const)("are asked in the client, and the call has the result of the run: %s", async (name, id) => {
    const asked: Any[] = [];
    const client = await asking([{ action: "accept", content: { approved: true } }], asked);
    const done = await client.callTool({ name, arguments: { ...id, message: "approve" } });
    expect(done.content).toEqual([{ type: "text", text: "The tool said sent to Ada" }]);
    expect(done.structuredContent).toMatchObject({ status: "COMPLETED" });
    expect(asked).toMatchObject([{ message: 'Approve the call send_letter {"to":"Ada"}?' }]);
  });

  test.each([{ action: "decline" }, { action: "accept", content: { approved: false } }])(
    "are declined with %j, and the run continues without the call",
    async (answer) => {
      const client = await asking([answer]);
      const done = await client.callTool({ name: "run_agent", arguments: { agent_id: "clerk", message: "approve" } });
      expect(done.structuredContent).toMatchObject({ status: "COMPLETED" });
      expect((done.content[0] as Any).text).not.toContain("sent to");
    },
  );

  test("that the user dismisses leave the run paused, with its requirements in the result", async () => {
    const client = await asking([{ action: "cancel" }]);
    const paused = await client.callTool({ name: "run_agent", arguments: { agent_id: "clerk", message: "approve" } });
    expect(paused.structuredContent).toMatchObject({ status: "PAUSED", requirements: [expect.anything()] });
  });

  test("of a workflow's step are asked, too", async () => {
    const asked: Any[] = [];
    const client = await asking([{ action: "accept", content: { approved: true } }], asked);
    const done = await client.callTool({ name: "run_workflow", arguments: { workflow_id: "trip", message: "go" } });
    expect(done.content).toEqual([{ type: "text", text: "travelled" }]);
    expect(asked).toMatchObject([{ message: "Travel?" }]);
  });

  test("ask for the missing values of a call only", async () => {
    const asked: Any[] = [];
    const content = { street: "Via Appia", number: 5 };
    const client = await asking([{ action: "accept", content }], asked);
    const done = await client.callTool({ name: "run_agent", arguments: { agent_id: "host", message: "go" } });
    expect(done.content).toEqual([{ type: "text", text: "The tool said booked Via Appia 5 in Rome" }]);
    expect(asked[0].requestedSchema).toMatchObject({
      properties: { street: { type: "string" }, number: { type: "number" } },
      required: ["street", "number"],
    });
  });

  test("that an admin must approve are not asked, and neither is a client without the capability", async () => {
    const asked: Any[] = [];
    const bank = await asking([], asked);
    const waiting = await bank.callTool({ name: "run_agent", arguments: { agent_id: "bank", message: "pay" } });
    const silent = await connect(server, { isModern: true });
    const plain = await silent.callTool({ name: "run_agent", arguments: { agent_id: "clerk", message: "approve" } });
    for (const { structuredContent } of [waiting, plain]) expect(structuredContent).toMatchObject({ status: "PAUSED" });
    expect(asked).toEqual([]);
  });

  test("are answered once: a repeated request has the same result, another one is an error, and a foreign state is refused", async () => {
    const call = async (more: object): Promise<Any> => {
      const response = await fetch(addressOf(server), {
        method: "POST",
        headers: {
          ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
          ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "run_agent" },
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: {
            ...{ name: "run_agent", arguments: { agent_id: "clerk", message: "approve" }, ...more },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
              "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
            },
          },
        }),
      });
      const text = await response.text();
      const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
      const { result, error } = JSON.parse(data);
      return result ?? error;
    };
    const first = await call({});
    expect(first).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const { requestState, inputRequests } = first;
    const [id] = Object.keys(inputRequests);
    const answer = (approved: boolean) => ({
      requestState,
      inputResponses: { [id!]: { action: "accept", content: { approved } } },
    });
    const done = await call(answer(true));
    expect(done).toMatchObject({ resultType: "complete", structuredContent: { status: "COMPLETED" } });
    expect(await call(answer(true))).toEqual(done);
    expect(await call(answer(false))).toMatchObject({
      isError: true,
      content: [{ text: "The run is not paused: its status is COMPLETED." }],
    });
    expect(await call({ requestState: "bad", inputResponses: {} })).toMatchObject({ code: -32602 });
  });
});
