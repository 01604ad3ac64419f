/** Runs that continue, regenerate or fork a finished run, whose messages they copy. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Run = any;

eachDatabase("a run that starts from a finished run", (openDatabase) => {
  async function open(hosted: Omit<PlatformOptions, "id">) {
    const { client, end, store } = await openServer(await openDatabase(), hosted);
    onTestFinished(() => end(0));
    const start = async (path: string, message: string): Promise<Run> =>
      (await client.post(`${path}/runs`, { message, stream: "false", session_id: "s" })).body;
    const go = async (path: string, { run_id }: Run, fields: Record<string, string>): Promise<Run> =>
      (await client.post(`${path}/runs/${run_id}/continue`, { session_id: "s", stream: "false", ...fields })).body;
    return { client, start, go, store };
  }

  test("a broadcast team asks every member again when it regenerates or gets new input, and no member after its stored answers", async () => {
    const told: string[] = [];
    const members = ["one", "two"].map((id) =>
      defineAgent({
        id,
        model: scriptedModel(({ message }) => {
          told.push(`${id}: ${message}`);
          return `${id} says ${message}`;
        }),
      }),
    );
    const leader = scriptedModel(({ results }) => `All in all: ${results.length}`);
    const team = defineTeam({ id: "all", mode: "broadcast", model: leader, members });
    const { start, go } = await open({ teams: [team] });
    const first = await start("/teams/all", "first");
    expect(told.splice(0).sort()).toEqual(["one: first", "two: first"]);
    const again = await go("/teams/all", first, { regenerate: "true" });
    expect([again.status, told.splice(0).sort()]).toEqual(["COMPLETED", ["one: first", "two: first"]]);
    const more = await go("/teams/all", again, { input: "second" });
    expect([more.status, told.splice(0).sort()]).toEqual(["COMPLETED", ["one: second", "two: second"]]);
    expect(more.messages.map(({ role }: Run) => role)).toEqual([
      ...["user", "assistant", "tool", "assistant"],
      ...["user", "assistant", "tool", "assistant"],
    ]);
    // The team continues after its members' answers, so no member is asked again.
    const last = await go("/teams/all", more, { continue_from: "7" });
    expect([last.status, last.content, told]).toEqual(["COMPLETED", more.content, []]);
  });

  test("it has its own retry for a mismatch and its own maxSteps, and regenerate repeats the last user message", async () => {
    let bad = 2;
    const model = scriptedModel(({ message }: ScriptedCall) => {
      bad--;
      return bad > 0 ? "no json" : JSON.stringify({ said: message.slice(0, 6) });
    });
    const strict = defineAgent({ id: "strict", model, output: z.object({ said: z.string() }), maxSteps: 2 });
    const { start, go } = await open({ agents: [strict] });
    const first = await start("/agents/strict", "first");
    expect([first.status, first.messages.length]).toEqual(["COMPLETED", 4]);
    bad = 2;
    const more = await go("/agents/strict", first, { input: "second" });
    expect([more.status, more.messages.length, more.forked_from_message_index]).toEqual(["COMPLETED", 8, 4]);
    bad = 2;
    // The engine's correction message does not count as a user message.
    const again = await go("/agents/strict", more, { regenerate: "true" });
    expect([again.status, again.forked_from_message_index, again.messages.length]).toEqual(["COMPLETED", 5, 8]);
    expect(again.messages[4].content).toBe("second");
  });

  test("it can run in the background, and can regenerate a run that failed before its first message", async () => {
    let fails = true;
    const echo = defineTool({
      ...{ name: "echo", description: "Echoes.", input: z.object({}) },
      execute: () => "echo",
    });
    const agent = defineAgent({
      id: "agent",
      tools: [echo],
      instructions: () => {
        if (fails) throw new Error("not yet");
        return "Answer.";
      },
      model: scriptedModel(({ results }) =>
        results.length > 0 ? "Done." : { toolCalls: [{ name: "echo", input: {} }] },
      ),
    });
    const { client, start, go } = await open({ agents: [agent] });
    const first = await start("/agents/agent", "first");
    expect(first.status).toBe("ERROR");
    fails = false;
    const accepted = await go("/agents/agent", first, { regenerate: "true", background: "true" });
    expect(accepted).toEqual({ run_id: expect.any(String), session_id: "s", status: "PENDING" });
    const log = await client.log("agents/agent", accepted.run_id);
    expect([log[0]?.event, log.at(-1)?.event]).toEqual(["RunStarted", "RunCompleted"]);
    const record = await client.record("agents/agent", { runId: accepted.run_id, sessionId: "s" });
    expect(record).toMatchObject({ status: "COMPLETED", content: "Done.", regenerated_from: first.run_id });
    expect(record.messages.map(({ role }: Run) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test("a fork of a run returns 404 and a fork of a session 400 when the session is deleted just before the copy", async () => {
    const agent = defineAgent({ id: "agent", model: scriptedModel(() => "Hello.") });
    const { client, start, store } = await open({ agents: [agent] });
    const copy = store.copySession.bind(store);
    store.copySession = async (asked) => {
      expect(await store.deleteSession(asked.from)).toBe(true);
      return copy(asked);
    };
    const { run_id } = await start("/agents/agent", "first");
    const fields = { session_id: "s", stream: "false", fork: "true", input: "more" };
    const run = await client.post(`/agents/agent/runs/${run_id}/continue`, fields);
    expect([run.status, run.body.detail]).toEqual([404, "Run not found"]);
    await start("/agents/agent", "second");
    const session = await client.post("/agents/agent/sessions/s/fork");
    expect([session.status, session.body.detail]).toEqual([400, "Source session has no runs to fork."]);
  });

  test("a session fork returns 500 after three new ids are taken", async () => {
    const agent = defineAgent({ id: "agent", model: scriptedModel(() => "Hello.") });
    const { client, start, store } = await open({ agents: [agent] });
    let tries = 0;
    store.copySession = async () => {
      tries++;
      return "taken";
    };
    await start("/agents/agent", "first");
    expect([(await client.post("/agents/agent/sessions/s/fork")).status, tries]).toEqual([500, 3]);
  });
});
