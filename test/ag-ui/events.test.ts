/** Events of AG-UI, held to the schemas of the protocol and to its stock client. */
import type { BaseEvent } from "@ag-ui/client";
import { expect, test } from "vitest";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { framesOf, inputOf, type Json, post, run, stock, typesOf } from "./support/client.ts";
import { desk } from "./support/desk.ts";

async function withDesk(work: (origin: string, server: OpenServer) => Promise<void>): Promise<void> {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  await work(server.client.address.origin, server);
}

const clerk = "/agents/clerk/agui";

test("a run with a tool call has the recorded events", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, clerk, inputOf("weather", { threadId: "th1", runId: "r2" }));
    const types = typesOf(frames).filter((type) => type !== "TEXT_MESSAGE_CONTENT");
    expect(types).toEqual([
      ...["RUN_STARTED", "STATE_SNAPSHOT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END"],
      ...["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"],
      ...["STATE_DELTA", "TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "STATE_SNAPSHOT", "RUN_FINISHED"],
    ]);
    expect(frames[0]!.event).toMatchObject({ type: "RUN_STARTED", threadId: "th1", runId: "r2" });
    const last = frames.at(-1)!.event;
    expect(last).toMatchObject({ threadId: "th1", runId: "r2", outcome: { type: "success" } });
    expect(last.usage).toEqual([expect.objectContaining({ model: "scripted-model", totalTokens: expect.any(Number) })]);
    const [message] = frames.filter(({ event }) => event.type === "TEXT_MESSAGE_START");
    const call = frames.find(({ event }) => event.type === "TOOL_CALL_START")!.event;
    expect(call).toMatchObject({ toolCallName: "get_weather", parentMessageId: message!.event.messageId });
    const raw = frames.find(({ event }) => event.type === "RAW")!.event;
    expect(raw).toMatchObject({ source: "agno", event: { event: "RunStarted", session_id: "th1", event_index: 0 } });
    expect(frames.map(({ id }) => id)).toEqual([...new Set(frames.map(({ id }) => id))]);
  }));

test("a tool call before any text belongs to an empty message", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, clerk, inputOf("letter"));
    expect(typesOf(frames).slice(2, 7)).toEqual([
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_END", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"],
    ]);
  }));

test("reasoning is a span with one message, closed before the text", () =>
  withDesk(async (origin) => {
    const types = typesOf(await run(origin, clerk, inputOf("think")));
    expect([...new Set(types)]).toEqual([
      ...["RUN_STARTED", "STATE_SNAPSHOT", "REASONING_START", "REASONING_MESSAGE_START"],
      ...["REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END"],
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"],
    ]);
  }));

test("the client's state becomes the session's; a tool's changes are deltas, and the last snapshot has all of it", () =>
  withDesk(async (origin) => {
    const snapshotsIn = (frames: Awaited<ReturnType<typeof run>>): unknown[] =>
      frames.flatMap(({ event }) => (event.type === "STATE_SNAPSHOT" ? [event.snapshot] : []));
    const first = await run(origin, clerk, inputOf("weather", { state: { theme: "dark" } }));
    expect(snapshotsIn(first)).toEqual([{ theme: "dark" }, { theme: "dark", asked: ["Paris"] }]);
    const second = await run(origin, clerk, inputOf("weather"));
    const all = { theme: "dark", asked: ["Paris", "Paris"] };
    expect(snapshotsIn(second)).toEqual([{}, { ...all, asked: ["Paris"] }, all]);
    const deltas = [first, second].map(
      (frames) => frames.find(({ event }) => event.type === "STATE_DELTA")!.event.delta,
    );
    expect(deltas).toEqual([
      [{ op: "add", path: "/asked", value: ["Paris"] }],
      [{ op: "replace", path: "/asked", value: ["Paris", "Paris"] }],
    ]);
  }));

test("a failed run ends with RUN_ERROR, after its open message is closed", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, clerk, inputOf("half"));
    expect(typesOf(frames).slice(-2)).toEqual(["TEXT_MESSAGE_END", "RUN_ERROR"]);
    expect(frames.at(-1)!.event).toMatchObject({ message: "secret", code: "model_provider_error" });
  }));

test("a cancelled run ends with the outcome cancelled; for clients before 1.0 with RUN_ERROR", () =>
  withDesk(async (origin) => {
    const cases = [
      { more: {}, last: { type: "RUN_FINISHED", outcome: { type: "cancelled" } } },
      { more: { protocolVersion: undefined }, last: { type: "RUN_ERROR", code: "cancelled" } },
    ];
    for (const { more, last } of cases) {
      const response = await post(origin, clerk, inputOf("endless", more));
      const runId = response.headers.get("x-run-id");
      const reading = framesOf(response);
      const cancelled = await fetch(new URL(`/agents/clerk/runs/${runId}/cancel`, origin), { method: "POST" });
      expect(cancelled.status).toBe(200);
      expect((await reading).at(-1)!.event).toMatchObject(last);
    }
  }));

test("members are subagents; for clients before 1.0 they are steps, without their text", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, "/teams/desk/agui", inputOf("hi"));
    const started = frames.find(({ event }) => event.type === "SUBAGENT_STARTED")!.event;
    expect(started.name).toBe("Clerk");
    const texts = (owner: string | undefined): string =>
      frames
        .filter(({ event }) => event.type === "TEXT_MESSAGE_CONTENT" && event.subagentRunId === owner)
        .map(({ event }) => event.delta)
        .join("");
    expect(texts(started.subagentRunId)).toContain("The tool said Sunny in Paris");
    expect(texts(undefined)).toContain("The desk says: Let me look.");
    expect(typesOf(frames)).toContain("SUBAGENT_FINISHED");
    const old = await run(origin, "/teams/desk/agui", inputOf("hi", { protocolVersion: undefined }));
    expect(typesOf(old)).not.toContain("SUBAGENT_STARTED");
    const steps = old.filter(({ event }) => event.type === "STEP_STARTED" || event.type === "STEP_FINISHED");
    expect(steps.map(({ event }) => event.stepName)).toEqual(["Clerk", "Clerk"]);
    const said = old.flatMap(({ event }) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [])).join("");
    expect(said).toMatch(/^The desk says/);
  }));

test("a workflow has steps, and its answer is a message", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, "/workflows/round/agui", inputOf("hi"));
    const steps = frames.flatMap(({ event }) => (event.type === "STEP_STARTED" ? [event.stepName] : []));
    expect(steps).toEqual(["answer", "both", "left", "right", "end"]);
    expect(typesOf(frames).slice(-5)).toEqual([
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "STATE_SNAPSHOT", "RUN_FINISHED"],
    ]);
    expect(frames.at(-1)!.event.result).toMatch(/^ended after/);
  }));

test("a structured answer is the result", () =>
  withDesk(async (origin) => {
    const frames = await run(origin, "/agents/counter/agui", inputOf("count"));
    expect(frames.at(-1)!.event.result).toEqual({ letters: 3 });
    expect(frames.find(({ event }) => event.type === "TEXT_MESSAGE_CONTENT")!.event.delta).toBe('{"letters":3}');
  }));

test("only the last user message is used, with its files; context reaches the model", () =>
  withDesk(async (origin) => {
    const messages = [
      { id: "1", role: "user", content: "explode" },
      { id: "2", role: "assistant", content: "no" },
      {
        id: "3",
        role: "user",
        content: [
          { type: "text", text: "look at this" },
          { type: "image", source: { type: "data", value: "aGk=", mimeType: "image/png" } },
        ],
      },
    ];
    const context = [{ description: "Page", value: "invoices" }];
    const response = await post(origin, clerk, inputOf("", { messages, context, forwardedProps: { tab: 2 } }));
    const runId = response.headers.get("x-run-id");
    expect((await framesOf(response)).at(-1)!.event.result).toBe("You said: look at this");
    const record = (await (
      await fetch(new URL(`/agents/clerk/runs/${runId}?session_id=thread-1`, origin))
    ).json()) as Json;
    expect(record.input.input_content).toBe("look at this");
    expect(record.input.images).toHaveLength(1);
    expect(record.metadata).toEqual({ forwarded_props: { tab: 2 } });
  }));

eachDatabase("the stock client", (openDatabase) => {
  test("runs the team and holds its messages, its state and its history", async () => {
    await using server = await openServer(await openDatabase(), desk());
    const { origin } = server.client.address;
    const events: BaseEvent[] = [];
    const agent = stock(origin, "/teams/desk/agui");
    agent.addMessage({ id: "u1", role: "user", content: "weather?" });
    const { newMessages } = await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) });
    expect(newMessages.at(-1)).toMatchObject({ role: "assistant", content: expect.stringContaining("The desk says") });
    expect(agent.state).toEqual({ asked: ["Paris"] });
    agent.addMessage({ id: "u2", role: "user", content: "again" });
    await agent.runAgent();
    expect(agent.state).toEqual({ asked: ["Paris", "Paris"] });
    const runs = (await (await fetch(new URL("/sessions/thread-1/runs?type=team", origin))).json()) as Json[];
    expect(runs.filter((one) => one.team_id === "desk" && !one.parent_run_id)).toHaveLength(2);
    expect(events.map(({ type }) => type)).toContain("SUBAGENT_STARTED");
  });
});
