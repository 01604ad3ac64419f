/** Runs of one session: their order, shared state and history. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { system } from "../../src/model/principal.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { desk } from "../support/orders.ts";

const session = { session_id: "one" };

/** An agent that waits at a gate, then answers with its message; `asked` receives the messages in order. */
function clerk(id: string, gate: Gate, asked: string[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(async ({ message }) => {
    asked.push(message);
    await gate.pass();
    return `Re: ${message}`;
  });
  return defineAgent({ id, model, ...options });
}

eachDatabase("runs of one session", (openDatabase) => {
  test("ten starts at once under `queue` are all stored and execute one after the other, in their stored order", async () => {
    const gate = new Gate();
    const asked: string[] = [];
    await using server = await openServer(await openDatabase(), { agents: [clerk("clerk", gate, asked)] });
    const { client, store } = server;
    const streams = await Promise.all(
      Array.from({ length: 10 }, (_, place) => client.start("agents/clerk", place, session)),
    );
    const recorded = await store.listRuns(system, { kind: "agent", componentId: "clerk", sessionId: "one" });
    expect(recorded.map(({ status }) => status)).toEqual(["RUNNING", ...Array.from({ length: 9 }, () => "PENDING")]);
    for (let run = 1; run <= 10; run++) {
      await gate.crowd(run);
      expect([gate.arrived, gate.passed]).toEqual([run, run - 1]);
      gate.open(1);
    }
    await Promise.all(streams.map(({ closed }) => closed));
    const inputs = new Map(
      (
        await store.listedRuns(
          recorded.map(({ key }) => key),
          "roots",
        )
      ).map(({ key, input }) => [key, input]),
    );
    const order = recorded.map(({ key }) => JSON.parse(inputs.get(key) ?? "").message);
    expect([...order].sort()).toEqual(Array.from({ length: 10 }, (_, place) => String(place)));
    expect(asked).toEqual(order);
    const after = await store.listRuns(system, { kind: "agent", componentId: "clerk", sessionId: "one" });
    expect(after.map(({ runId, status }) => [runId, status])).toEqual(
      recorded.map(({ runId }) => [runId, "COMPLETED"]),
    );
    for (const stream of streams) {
      expect(stream.ending?.event).toBe("RunCompleted");
      expect(stream.events.map(({ id }) => id)).toEqual(stream.events.map((_, place) => place));
    }
  });

  test("ten starts at once under `parallel` all execute at the same time", async () => {
    const gate = new Gate();
    const agent = clerk("clerk", gate, [], { sessionPolicy: "parallel" });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const streams = await Promise.all(
      Array.from({ length: 10 }, (_, place) => server.client.start("agents/clerk", place, session)),
    );
    await gate.crowd(10);
    gate.open();
    await Promise.all(streams.map(({ closed }) => closed));
    expect(streams.map(({ ending }) => ending?.data.content)).toEqual(streams.map((_, place) => `Re: ${place}`));
    expect(new Set(streams.map(({ runId }) => runId)).size).toBe(10);
  });

  test("a waiting run has an open stream with heartbeats, and another session does not wait", async () => {
    const gate = new Gate();
    const agents = [clerk("clerk", gate, []), defineAgent({ id: "quick", model: scriptedModel(() => "Here.") })];
    await using server = await openServer(await openDatabase(), { agents, settings: { heartbeatInterval: 50 } });
    const { client } = server;
    const first = await client.start("agents/clerk", "first", session);
    await gate.crowd(1);
    const waiting = await client.start("agents/clerk", "second", session);
    let beats = 0;
    await waiting.next(({ comment }) => comment !== undefined && ++beats === 3);
    expect([beats, waiting.events.length]).toEqual([3, 0]);
    const other = await client.start("agents/quick", "go", { session_id: "two" });
    await other.closed;
    expect(other.ending?.event).toBe("RunCompleted");
    const late = await client.resume("agents/clerk", waiting.runId);
    await late.next(({ event }) => event === "subscribed");
    expect(late.metas.map(({ data }) => data.current_event_count)).toEqual([0]);
    gate.open();
    await Promise.all([first.closed, waiting.closed, late.closed]);
    expect(waiting.ending?.data.content).toBe('Re: "second"');
    expect(late.events).toEqual(waiting.events);
  });

  test("a foreground run that waits in its session needs no free background slot", async () => {
    const gate = new Gate();
    const agents = [clerk("clerk", gate, [])];
    await using server = await openServer(await openDatabase(), { agents, settings: { maxBackgroundRuns: 1 } });
    const { client } = server;
    await client.post("/agents/clerk/runs", { message: "slot", background: true, stream: false });
    await gate.crowd(1);
    const first = await client.start("agents/clerk", "first", session);
    await gate.crowd(2);
    const second = await client.start("agents/clerk", "second", session);
    gate.open(2);
    await first.closed;
    await gate.crowd(3);
    gate.open();
    await second.closed;
    expect(second.ending?.data.content).toBe('Re: "second"');
  });

  test("background runs go from PENDING to RUNNING to COMPLETED, at most maxBackgroundRuns at a time", async () => {
    const gate = new Gate();
    const agents = [clerk("clerk", gate, [])];
    await using server = await openServer(await openDatabase(), { agents, settings: { maxBackgroundRuns: 2 } });
    const { client } = server;
    const form = { message: "go", background: true, stream: false };
    const started = await Promise.all(Array.from({ length: 6 }, () => client.post("/agents/clerk/runs", form)));
    expect(started.map(({ status, body }) => [status, body.status])).toEqual(started.map(() => [202, "PENDING"]));
    const statuses = async () => {
      const of = ({ body }: (typeof started)[number]) =>
        client.record("agents/clerk", { runId: body.run_id, sessionId: body.session_id });
      return (await Promise.all(started.map(of))).map(({ status }) => status).sort();
    };
    for (let done = 0; done < 5; done++) {
      await gate.crowd(done + 2);
      const expected = [...Array(done).fill("COMPLETED"), ...Array(4 - done).fill("PENDING"), "RUNNING", "RUNNING"];
      await expect.poll(statuses).toEqual(expected);
      expect(gate.arrived).toBe(done + 2);
      gate.open(1);
    }
    gate.open();
    await expect.poll(statuses).toEqual(Array(6).fill("COMPLETED"));
  });
});

/** A tool that sets the given keys of the session state; null deletes a key. */
const note = defineTool({
  name: "note",
  description: "Changes the state",
  input: z.record(z.string(), z.unknown()),
  execute: (changes, { session: { state } }) => {
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) delete state[key];
      else state[key] = value;
    }
  },
});

const noting = ({ message, results }: ScriptedCall) =>
  results.length > 0 ? "Noted." : { toolCalls: [{ name: "note", input: JSON.parse(message) }] };

eachDatabase("session state", (openDatabase) => {
  test("changed keys are stored with the next durable step, and the next run reads them", async () => {
    const gate = new Gate();
    const model = scriptedModel(async (call) => {
      if (call.results.length > 0) await gate.pass();
      return noting(call);
    });
    const seen: unknown[] = [];
    const instructions = ({ session: { state } }: { session: { state: Record<string, unknown> } }) => {
      seen.push(structuredClone(state));
      return "Note it.";
    };
    const agent = defineAgent({
      id: "noter",
      model,
      tools: [note],
      instructions,
      sessionState: { mood: "calm", gone: 1 },
    });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const { client, store } = server;
    const first = await client.start("agents/noter", { list: ["milk"], mood: "glad", gone: null }, session);
    await gate.crowd(1);
    const changed = { mood: "glad", list: ["milk"] };
    expect(JSON.parse((await store.findSession(system, "one"))!.state)).toEqual(changed);
    const second = await client.start("agents/noter", { list: ["milk", "eggs"] }, session);
    gate.open();
    await Promise.all([first.closed, second.closed]);
    expect(seen).toEqual([{ mood: "calm", gone: 1 }, changed]);
    expect(second.ending?.data.session_state).toEqual({ mood: "glad", list: ["milk", "eggs"] });
    expect(JSON.parse((await store.findSession(system, "one"))!.state)).toEqual({
      mood: "glad",
      list: ["milk", "eggs"],
    });
  });

  test("parallel runs that change different keys keep all of them", async () => {
    const gate = new Gate();
    const model = scriptedModel(async (call) => {
      if (call.results.length === 0) await gate.pass();
      return noting(call);
    });
    const agent = defineAgent({
      id: "noter",
      model,
      tools: [note],
      sessionPolicy: "parallel",
      sessionState: { start: 0 },
    });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const { client, store } = server;
    const streams = await Promise.all(
      Array.from({ length: 8 }, (_, place) => client.start("agents/noter", { [`key${place}`]: { place } }, session)),
    );
    await gate.crowd(8);
    gate.open();
    await Promise.all(streams.map(({ closed }) => closed));
    const state = JSON.parse((await store.findSession(system, "one"))!.state);
    const expected = Object.fromEntries(streams.map((_, place) => [`key${place}`, { place }]));
    expect(state).toEqual({ start: 0, ...expected });
  });
});

eachDatabase("history and messages of a session", (openDatabase) => {
  test("a prompt contains the last completed runs of the same component and session only", async () => {
    const script = ({ message }: ScriptedCall) => {
      if (message === '"fail"') return { error: { message: "No", status: 400 } };
      if (message === '"hang"') return { text: "on", wait: 600_000 };
      return `Re: ${message}`;
    };
    const model = scriptedModel(script);
    const agents = [
      defineAgent({ id: "clerk", model, history: { runs: 2 } }),
      defineAgent({ id: "other", model: scriptedModel(script) }),
    ];
    await using server = await openServer(await openDatabase(), { agents });
    const { client } = server;
    const say = async (message: string, agent = "clerk", where = "one") => {
      const stream = await client.start(`agents/${agent}`, message, { session_id: where });
      if (message === "hang") {
        await stream.next(({ event }) => event === "ModelRequestStarted");
        await client.cancel(`agents/${agent}`, stream.runId);
      }
      await stream.closed;
    };
    for (const message of ["a", "b"]) await say(message);
    await say("elsewhere", "clerk", "two");
    await say("c");
    for (const message of ["fail", "hang"]) await say(message);
    await say("not mine", "other");
    await say("d");
    const texts = model.calls
      .at(-1)!
      .prompt.map(({ role, content }) => [
        role,
        typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join(""),
      ]);
    expect(texts).toEqual([
      ["user", '"b"'],
      ["assistant", 'Re: "b"'],
      ["user", '"c"'],
      ["assistant", 'Re: "c"'],
      ["user", '"d"'],
    ]);
  });

  test("each team member has a run row and messages of its own", async () => {
    await using server = await openServer(await openDatabase(), { teams: [desk] });
    const { client, store } = server;
    const stream = await client.start("teams/desk", { deltas: 2, members: [{ deltas: 3 }, { deltas: 4 }] });
    await stream.closed;
    const run = await store.findRun(system, stream.runId);
    const members = await store.memberRuns([run!.key]);
    expect(members.map(({ componentId, parentRunId, status }) => [componentId, parentRunId, status])).toEqual([
      ["left", stream.runId, "COMPLETED"],
      ["right", stream.runId, "COMPLETED"],
    ]);
    const keys = [run!.key, ...members.map(({ key }) => key)];
    const messages = (await store.messages(keys)).map(({ runKey, position, body }) => {
      const { role, content } = JSON.parse(body);
      return [keys.indexOf(runKey), position, role, content];
    });
    expect(messages).toEqual([
      [0, 0, "user", '{"deltas":2,"members":[{"deltas":3},{"deltas":4}]}'],
      [0, 1, "assistant", ""],
      [0, 2, "tool", expect.any(String)],
      [0, 3, "tool", expect.any(String)],
      [0, 4, "assistant", "0 1 "],
      [1, 0, "user", '{"deltas":3}'],
      [1, 1, "assistant", "0 1 2 "],
      [2, 0, "user", '{"deltas":4}'],
      [2, 1, "assistant", "0 1 2 3 "],
    ]);
  });
});
