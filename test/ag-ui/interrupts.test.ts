/** Pauses as interrupts, and tools that the client's application executes. */
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { framesOf, inputOf, type Json, post, run, stock, typesOf } from "./support/client.ts";
import { desk } from "./support/desk.ts";

const clerk = "/agents/clerk/agui";

async function withOrigin(work: (origin: string) => Promise<void>): Promise<void> {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  await work(server.client.address.origin);
}

/** Runs until the first interrupt. */
async function interrupted(origin: string, path: string, text: string): Promise<Json> {
  const { outcome } = (await run(origin, path, inputOf(text))).at(-1)!.event;
  expect(outcome.type).toBe("interrupt");
  return outcome.interrupts[0];
}

function resumed(interrupt: Json, answer: Json): Json {
  return inputOf("", { messages: [], resume: [{ interruptId: interrupt.id, ...answer }] });
}

eachDatabase("the stock client", (openDatabase) => {
  test("confirms a call: the run continues with its result, and the call is not shown twice", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const agent = stock(server.client.address.origin, clerk);
    agent.addMessage({ id: "u1", role: "user", content: "letter" });
    await agent.runAgent();
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: "confirmation", toolCallId: expect.any(String) });
    const calls = (): unknown[] =>
      agent.messages.flatMap((message) => (message.role === "assistant" && message.toolCalls) || []);
    const [call] = calls() as Json[];
    expect(call!.function).toEqual({ name: "send_letter", arguments: '{"to":"Ada"}' });
    const resume = [{ interruptId: interrupt!.id, status: "resolved" as const, payload: { approved: true } }];
    await agent.runAgent({ resume });
    expect(calls()).toHaveLength(1);
    expect(agent.messages.at(-1)).toMatchObject({ content: expect.stringContaining("The tool said sent to Ada") });
    expect(agent.pendingInterrupts).toEqual([]);
  });

  test("executes an external tool: a tool message continues the run", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const agent = stock(server.client.address.origin, clerk);
    agent.addMessage({ id: "u1", role: "user", content: "map" });
    let pending: string[] = [];
    await agent.runAgent(
      {},
      {
        onRunFinishedEvent(end) {
          if ("pendingToolCallIds" in end) pending = end.pendingToolCallIds;
        },
      },
    );
    expect(pending).toHaveLength(1);
    agent.addMessage({ id: "t1", role: "tool", toolCallId: pending[0]!, content: "shown" });
    await agent.runAgent();
    expect(agent.messages.at(-1)).toMatchObject({ content: expect.stringContaining("The tool said shown") });
  });
});

test("a tool of the page is offered to the model, and its result continues the run", () =>
  withOrigin(async (origin) => {
    const parameters = { type: "object", properties: { text: { type: "string" } } };
    const tools = [
      { name: "show_alert", description: "Shows an alert.", parameters },
      { name: "get_weather", description: "Not the server's." },
    ];
    const offered = await run(origin, clerk, inputOf("tools?", { tools }));
    expect(
      offered
        .at(-1)!
        .event.result.split(" ")
        .filter((name: string) => name === "get_weather"),
    ).toHaveLength(1);
    expect(offered.at(-1)!.event.result).toContain("show_alert");
    const paused = await run(origin, clerk, inputOf("alert", { tools }));
    const { outcome } = paused.at(-1)!.event;
    expect(outcome).toEqual({ type: "success", pendingToolCallIds: [expect.any(String)] });
    expect(paused.find(({ event }) => event.type === "TOOL_CALL_ARGS")!.event.delta).toBe('{"text":"Hi"}');
    const messages = [{ id: "t", role: "tool", toolCallId: outcome.pendingToolCallIds[0], content: "seen" }];
    const body = inputOf("", { messages, tools });
    const continued = await run(origin, clerk, body);
    expect(continued.at(-1)!.event.result).toContain("The tool said seen");
    const rest = await run(origin, clerk, body, { "Last-Event-ID": continued[2]!.id! });
    expect(rest.map(({ text }) => text)).toEqual(continued.slice(3).map(({ text }) => text));
  }));

test("a declined call reaches the model as declined", () =>
  withOrigin(async (origin) => {
    const interrupt = await interrupted(origin, clerk, "letter");
    const frames = await run(origin, clerk, resumed(interrupt, { status: "cancelled" }));
    expect(frames.at(-1)!.event.result).toContain("The tool said");
    expect(frames.at(-1)!.event.result).not.toContain("sent to");
  }));

test("a user enters the values that the response schema names", () =>
  withOrigin(async (origin) => {
    const interrupt = await interrupted(origin, clerk, "name");
    expect(interrupt).toMatchObject({
      reason: "user_input",
      responseSchema: { properties: { name: { type: "string" } } },
    });
    const missing = await post(origin, clerk, resumed(interrupt, { status: "resolved", payload: {} }));
    expect(missing.status).toBe(400);
    const frames = await run(origin, clerk, resumed(interrupt, { status: "resolved", payload: { name: "Bo" } }));
    expect(frames.at(-1)!.event.result).toContain("the name is Bo");
  }));

test("a question that cannot be declined and is abandoned cancels the run", () =>
  withOrigin(async (origin) => {
    const interrupt = await interrupted(origin, clerk, "name");
    const frames = await run(origin, clerk, resumed(interrupt, { status: "cancelled" }));
    expect(typesOf(frames)).toEqual(["RUN_STARTED", "STATE_SNAPSHOT", "RUN_FINISHED"]);
    expect(frames.at(-1)!.event.outcome).toEqual({ type: "cancelled" });
  }));

test("the stream that abandons a question is repeated as a whole, and resumes after each frame", () =>
  withOrigin(async (origin) => {
    const interrupt = await interrupted(origin, clerk, "name");
    const body = resumed(interrupt, { status: "cancelled" });
    const early = await post(origin, clerk, body, { "Last-Event-ID": "0.0" });
    expect(early.status).toBe(404);
    const frames = await run(origin, clerk, body);
    expect(frames.at(-1)!.event.outcome).toEqual({ type: "cancelled" });
    const again = await post(origin, clerk, body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await framesOf(again)).map(({ text }) => text)).toEqual(frames.map(({ text }) => text));
    for (const [place, { id }] of frames.entries()) {
      const rest = await run(origin, clerk, body, { "Last-Event-ID": id! });
      expect(rest.map(({ text }) => text)).toEqual(frames.slice(place + 1).map(({ text }) => text));
    }
    const answer = resumed(interrupt, { status: "resolved", payload: { name: "Bo" } });
    expect((await post(origin, clerk, answer)).status).toBe(409);
  }));

test("a step of a workflow is confirmed", () =>
  withOrigin(async (origin) => {
    const path = "/workflows/asking/agui";
    const interrupt = await interrupted(origin, path, "go");
    expect(interrupt).toMatchObject({
      reason: "confirmation",
      message: "Publish?",
      metadata: { step_name: "publish" },
    });
    const frames = await run(origin, path, resumed(interrupt, { status: "resolved", payload: true }));
    expect(frames.at(-1)!.event.result).toBe("published");
    expect(typesOf(frames)).toContain("STEP_FINISHED");
  }));

test("answers to no interrupt, to several runs and to a run that goes on are rejected", () =>
  withOrigin(async (origin) => {
    const interrupt = await interrupted(origin, clerk, "letter");
    const status = async (resume: Json[], threadId = "thread-1"): Promise<number> =>
      (await post(origin, clerk, inputOf("", { messages: [], resume, threadId }))).status;
    const yes = { status: "resolved", payload: true };
    const [runId] = interrupt.id.split(":");
    expect(await status([{ interruptId: "x", ...yes }])).toBe(400);
    expect(await status([{ interruptId: `${runId}:x`, ...yes }])).toBe(400);
    expect(
      await status([
        { interruptId: interrupt.id, ...yes },
        { interruptId: "a:b", ...yes },
      ]),
    ).toBe(400);
    expect(await status([{ interruptId: "nobody:x", ...yes }])).toBe(404);
    expect(await status([{ interruptId: interrupt.id, ...yes }], "thread-2")).toBe(404);
    const messages = [{ id: "t", role: "tool", toolCallId: "call_99", content: "x" }];
    expect((await post(origin, clerk, inputOf("", { messages }))).status).toBe(409);
    expect((await run(origin, clerk, resumed(interrupt, yes))).at(-1)!.event.type).toBe("RUN_FINISHED");
    expect(await status([{ interruptId: interrupt.id, ...yes }])).toBe(409);
  }));
