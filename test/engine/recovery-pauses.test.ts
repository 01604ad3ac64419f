/** Recovered runs that pause for a decision: after an interrupted tool call, and after a changed definition. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

/** An agent whose tool never returns in its first process (`holds`). */
function clerk(calls: string[], { holds, instructions = "Be kind" }: { holds?: () => void; instructions?: string }) {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ sum: z.number() }),
    onInterrupted: "ask",
    async execute({ sum }, { signal }) {
      calls.push(`pay ${sum}`);
      holds?.();
      if (holds) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return `paid ${sum}`;
    },
  });
  const model = scriptedModel(({ results: [result] }) =>
    result ? `It says: ${result.text}` : { toolCalls: [{ name: "pay", input: { sum: 5 } }] },
  );
  return defineAgent({ id: "clerk", model, tools: [pay], instructions, onDefinitionChange: "ask" });
}

/** Starts a run in a process that ends while the tool executes; returns the run's id. */
async function interrupt(database: TestDatabase, calls: string[]): Promise<string> {
  let begun = (): void => undefined;
  const isAtWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  await using server = await openServer(database, { agents: [clerk(calls, { holds: begun })] });
  const stream = await server.client.stream("/agents/clerk/runs", { message: "pay", session_id: "s" });
  await isAtWork;
  return stream.runId;
}

async function pausedRun(server: OpenServer, runId: string) {
  const reader = await server.client.stream(`/agents/clerk/runs/${runId}/resume`, {});
  await reader.closed;
  const record = await server.client.record("agents/clerk", { runId, sessionId: "s" });
  return { record, names: reader.events.map(({ event }) => event) };
}

const answered = (tools: object[], confirmed: boolean) => ({
  ...{ session_id: "s", stream: false },
  tools: JSON.stringify(tools.map((tool) => ({ ...tool, confirmed }))),
});

eachDatabase("a recovered run that pauses for a decision", (openDatabase) => {
  test.each([
    [true, "It says: paid 5", 2],
    [false, /whether it took effect is not known/i, 1],
  ] as const)(
    "an interrupted call of a tool with onInterrupted ask pauses the run, and repeats only if confirmed: %s",
    async (confirmed, content, times) => {
      const database = await openDatabase();
      const calls: string[] = [];
      const runId = await interrupt(database, calls);
      await using server = await openServer(database, { agents: [clerk(calls, {})] });
      const { record, names } = await pausedRun(server, runId);
      expect(names.slice(-3)).toEqual(["RunRecovered", "RunContentCompleted", "RunPaused"]);
      expect(record).toMatchObject({
        status: "PAUSED",
        tools: [
          { tool_name: "pay", requires_confirmation: true, confirmation_note: expect.stringMatching(/not known/) },
        ],
      });
      expect(calls).toHaveLength(1);
      const { status, body } = await server.client.post(
        `/agents/clerk/runs/${runId}/continue`,
        answered(record.tools, confirmed),
      );
      expect([status, body.status]).toEqual([200, "COMPLETED"]);
      expect(body.content).toEqual(typeof content === "string" ? content : expect.stringMatching(content));
      expect(calls).toHaveLength(times);
    },
  );

  test("a changed definition with onDefinitionChange ask pauses the run once, and a continue resumes it", async () => {
    const database = await openDatabase();
    const calls: string[] = [];
    const runId = await interrupt(database, calls);
    const changed = { instructions: "Be very kind" };
    await using server = await openServer(database, { agents: [clerk(calls, changed)] });
    const { record, names } = await pausedRun(server, runId);
    expect(names.slice(-2)).toEqual(["RunRecovered", "RunPaused"]);
    expect([record.status, record.requirements]).toEqual(["PAUSED", []]);
    expect(record.content).toMatch(/^The definition of clerk changed while the run was unfinished\. Continue/);
    const go = (fields: Record<string, string | boolean>) =>
      server.client.post(`/agents/clerk/runs/${runId}/continue`, { session_id: "s", stream: false, ...fields });
    const { status, body } = await go({});
    expect([status, body.status, body.tools[0].tool_name]).toEqual([200, "PAUSED", "pay"]);
    expect((await go(answered(body.tools, true))).body).toMatchObject({
      status: "COMPLETED",
      content: "It says: paid 5",
    });
  });
});
