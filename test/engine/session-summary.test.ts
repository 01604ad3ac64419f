/** Summaries of sessions: they take the place of old runs in the prompt. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { type AgentOptions, defineAgent } from "../../src/define/agent.ts";
import { open } from "../../src/model/principal.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";

const session = { session_id: "s" };

/** An agent whose summary lists the messages that it contains: "1 2 3". */
function keeper(options: Partial<AgentOptions>, hook: (call: ScriptedCall) => unknown = () => undefined) {
  const prompts: LanguageModelV4Prompt[] = [];
  const model = scriptedModel(async (call) => {
    const isSummary = call.system.startsWith("You keep the summary");
    const given = (await hook(call)) as undefined | { error: { message: string; status: number } };
    if (given) return given;
    if (!isSummary) {
      prompts.push(call.prompt);
      return { text: `Re: ${call.message}`, usage: { input: 10, output: 2 } };
    }
    const old = /<summary>\n(.*)\n<\/summary>/.exec(call.message)?.[1] ?? "";
    const added = [...call.message.matchAll(/<user>\n"?(.*?)"?\n<\/user>/g)].map(([, text]) => text);
    return { text: `${old} ${added.join(" ")}`, usage: { input: 100, output: 5 } };
  });
  return { agent: defineAgent({ id: "keeper", model, ...options }), prompts };
}

/** The summary and the user's messages in a prompt. */
function seen(prompt: LanguageModelV4Prompt | undefined): { summary: string | undefined; messages: string[] } {
  const [first] = prompt ?? [];
  const system = first?.role === "system" ? first.content : "";
  const summary = /<summary_of_earlier_conversation>\n(.*)\n</.exec(system)?.[1];
  const messages = (prompt ?? []).flatMap((message) =>
    message.role === "user"
      ? message.content.map((part) => (part.type === "text" ? part.text.replaceAll('"', "") : ""))
      : [],
  );
  return { summary, messages };
}

eachDatabase("the summary of a session", (openDatabase) => {
  test("is extended by a run after its answer, and later runs have it in place of the old runs", async () => {
    const { agent, prompts } = keeper({ history: { runs: 2, summary: { runs: 2 } } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const made: unknown[] = [];
    for (let run = 1; run <= 8; run++) {
      const stream = await server.client.start("agents/keeper", run, session);
      await stream.closed;
      const names = stream.events.map(({ event }) => event);
      const completed = stream.events.find(({ event }) => event === "SessionSummaryCompleted");
      made.push(completed?.data.session_summary.summary);
      if (completed) {
        const answered = names.indexOf("ModelRequestCompleted");
        expect(names.slice(answered)).toEqual([
          ...["ModelRequestCompleted", "SessionSummaryStarted", "ModelRequestStarted", "ModelRequestCompleted"],
          ...["SessionSummaryCompleted", "RunContentCompleted", "RunCompleted"],
        ]);
        // The tokens of the summary are part of the run's metrics.
        expect(stream.ending?.data.metrics).toMatchObject({ input_tokens: 110, output_tokens: 7 });
      }
    }
    expect(made).toEqual([undefined, undefined, undefined, "1 2", undefined, "1 2 3 4", undefined, "1 2 3 4 5 6"]);
    expect(prompts.map(seen)).toEqual([
      { summary: undefined, messages: ["1"] },
      { summary: undefined, messages: ["1", "2"] },
      { summary: undefined, messages: ["1", "2", "3"] },
      { summary: undefined, messages: ["1", "2", "3", "4"] },
      { summary: "1 2", messages: ["3", "4", "5"] },
      { summary: "1 2", messages: ["3", "4", "5", "6"] },
      { summary: "1 2 3 4", messages: ["5", "6", "7"] },
      { summary: "1 2 3 4", messages: ["5", "6", "7", "8"] },
    ]);
    const { store } = server;
    const row = await store.findSession(open, "s");
    expect(JSON.parse(row?.summary ?? "{}")).toEqual({
      summary: "1 2 3 4 5 6",
      updated_at: expect.stringMatching(/^20/),
    });
    expect(await store.sessionSummary(row?.key ?? 0)).toMatchObject({ seq: 5, by: "agent/keeper", version: 3 });
  });

  test("is extended early when the runs since it are long", async () => {
    const { agent, prompts } = keeper({ history: { runs: 3, summary: { runs: 50, tokens: 300 } } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    for (let run = 1; run <= 3; run++)
      await (await server.client.start("agents/keeper", `${run}${"x".repeat(400)}`, session)).closed;
    expect(prompts).toHaveLength(3);
    const row = await server.store.findSession(open, "s");
    expect(JSON.parse(row?.summary ?? "{}").summary).toMatch(/^1x+/);
  });

  test("that fails leaves the run completed, and the next run makes it up", async () => {
    let fails = true;
    const { agent } = keeper({ history: { runs: 1, summary: { runs: 2 } }, maxModelAttempts: 1 }, ({ system }) =>
      fails && system.startsWith("You keep") ? { error: { message: "down", status: 400 } } : undefined,
    );
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const endings: unknown[] = [];
    for (let run = 1; run <= 6; run++) {
      fails = run < 6;
      const stream = await server.client.start("agents/keeper", run, session);
      await stream.closed;
      const completed = stream.events.find(({ event }) => event === "SessionSummaryCompleted");
      endings.push([stream.ending?.event, completed && (completed.data.session_summary?.summary ?? "failed")]);
    }
    expect(endings).toEqual([
      ...[1, 2].map(() => ["RunCompleted", undefined]),
      ...[3, 4, 5].map(() => ["RunCompleted", "failed"]),
      ["RunCompleted", "1 2 3 4 5"],
    ]);
  });

  test("that a caller changes is the start of the next one", async () => {
    const { agent, prompts } = keeper({ history: { runs: 1, summary: { runs: 2 } } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    for (let run = 1; run <= 3; run++) await (await server.client.start("agents/keeper", run, session)).closed;
    const row = await server.store.findSession(open, "s");
    await server.store.updateSession(row?.key ?? 0, { summary: JSON.stringify({ summary: "edited" }) }, Date.now());
    for (let run = 4; run <= 5; run++) await (await server.client.start("agents/keeper", run, session)).closed;
    expect(seen(prompts[3])).toEqual({ summary: "edited", messages: ["3", "4"] });
    expect(JSON.parse((await server.store.findSession(open, "s"))?.summary ?? "{}").summary).toBe("edited 3 4");
  });

  test("of two parallel runs is not overwritten: the summary that is stored first stays, and no run is missing later", async () => {
    const gate = new Gate();
    let waits = false;
    const options: Partial<AgentOptions> = { history: { runs: 1, summary: { runs: 2 } }, sessionPolicy: "parallel" };
    const { agent, prompts } = keeper(options, async ({ system }) => {
      if (waits && system.startsWith("You keep")) await gate.pass();
    });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    for (let run = 1; run <= 2; run++) await (await server.client.start("agents/keeper", run, session)).closed;
    waits = true;
    const both = [3, 4].map((run) => server.client.start("agents/keeper", run, session));
    await gate.crowd(2);
    gate.open();
    const streams = await Promise.all(both);
    await Promise.all(streams.map(({ closed }) => closed));
    const row = await server.store.findSession(open, "s");
    expect((await server.store.sessionSummary(row?.key ?? 0))?.version).toBe(1);
    expect(JSON.parse(row?.summary ?? "{}").summary).toBe("1 2");
    waits = false;
    await (await server.client.start("agents/keeper", 5, session)).closed;
    const { summary, messages } = seen(prompts.at(-1));
    expect([...(summary ?? "").split(" "), ...messages].sort()).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("is not used by a run that continues from before it, and not by another component", async () => {
    const { agent, prompts } = keeper({ history: { runs: 1, summary: { runs: 2 } } });
    const other = keeper({ id: "other", history: { runs: 1, summary: { runs: 2 } } });
    await using server = await openServer(await openDatabase(), { agents: [agent, other.agent] });
    const first = await server.client.start("agents/keeper", 1, session);
    await first.closed;
    for (let run = 2; run <= 4; run++) await (await server.client.start("agents/keeper", run, session)).closed;
    await (await server.client.start("agents/other", 9, session)).closed;
    expect(seen(other.prompts[0])).toEqual({ summary: undefined, messages: ["9"] });
    const again = await server.client.post(`/agents/keeper/runs/${first.runId}/continue`, {
      ...session,
      regenerate: "true",
    });
    expect(again.status).toBeLessThan(300);
    expect(seen(prompts.at(-1))).toEqual({ summary: undefined, messages: ["1"] });
  });

  test("is cleared when one of its runs is deleted, and the runs that are left make a new one", async () => {
    const { agent } = keeper({ history: { runs: 1, summary: { runs: 2 } } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const first = await server.client.start("agents/keeper", 1, session);
    await first.closed;
    for (let run = 2; run <= 4; run++) await (await server.client.start("agents/keeper", run, session)).closed;
    const { key = 0 } = (await server.store.findSession(open, "s")) ?? {};
    expect(await server.store.sessionSummary(key)).toMatchObject({ seq: 1, version: 1 });
    const [run] = await server.store.listRuns(open, { kind: "agent", componentId: "keeper", limit: 1 });
    expect(await server.store.deleteRun(run?.key ?? 0)).toBe(true);
    expect(await server.store.sessionSummary(key)).toMatchObject({ summary: null, seq: null, version: 2 });
    await (await server.client.start("agents/keeper", 5, session)).closed;
    expect(JSON.parse((await server.store.findSession(open, "s"))?.summary ?? "{}").summary).toBe("2 3 4");
  });
});
