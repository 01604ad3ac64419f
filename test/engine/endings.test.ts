/** How runs end by themselves, other than with an answer. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { anonymous } from "../../src/model/principal.ts";
import { type Script, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

/** A tool that leaves something in the session's state. */
const leave = (name: string, value: unknown) =>
  defineTool({
    name,
    description: "Leaves it",
    input: z.object({}),
    execute: (_, { session }) => {
      session.state.fine = "kept";
      session.state[name] = value;
    },
  });

const circle: { self?: unknown } = {};
circle.self = circle;

const calling =
  (name: string): Script =>
  ({ results }) =>
    results.length > 0 ? "Done." : { toolCalls: [{ name }] };
const slow = scriptedModel(() => ({ text: Array.from({ length: 1_000 }, () => "on and "), delay: 20 }));

const agents = [
  defineAgent({ id: "late", model: slow, timeout: 300 }),
  defineAgent({ id: "refused", model: scriptedModel(() => ({ error: { message: "No credit left", status: 402 } })) }),
  defineAgent({
    id: "broken",
    model: scriptedModel(() => ({ text: "Half an", error: { message: "boom", afterDeltas: 1 } })),
  }),
  defineAgent({ id: "circle", model: scriptedModel(calling("circle")), tools: [leave("circle", circle)] }),
  defineAgent({ id: "bigint", model: scriptedModel(calling("bigint")), tools: [leave("bigint", 12n)] }),
  defineAgent({
    id: "odd-answer",
    model: scriptedModel(() => '{"size":1}'),
    output: z.object({ size: z.number().transform(BigInt) }),
  }),
];

const types: Record<string, string> = {
  late: "run_timeout",
  refused: "model_provider_error",
  broken: "model_provider_error",
  circle: "invalid_session_state",
  bigint: "invalid_session_state",
  "odd-answer": "internal_error",
};

eachDatabase("runs that fail", (openDatabase) => {
  test.each(agents.map(({ id }) => id))(
    "%s: one RunError, the row says ERROR, and the session goes on [L5]",
    async (id) => {
      await using server = await openServer(await openDatabase(), { agents });
      const { client, store } = server;
      const stream = await client.start(`agents/${id}`, "go", { session_id: "one" });
      const next = await client.start("agents/late", "go", { session_id: "one" });
      expect(await stream.closed).toBe("ended");
      const log = await client.log(`agents/${id}`, stream.runId);
      const endings = log.filter(({ event }) => /^Run(Completed|Error|Cancelled)$/.test(event!));
      expect(endings.map(({ event, id, data }) => [event, id, data.error_type])).toEqual([
        ["RunError", log.length - 1, types[id]],
      ]);
      const run = await store.findRun(anonymous, stream.runId);
      expect([run?.status, JSON.parse(run!.output!).error.type]).toEqual(["ERROR", types[id]]);
      await next.closed;
      expect(next.ending?.data.error_type).toBe("run_timeout");
      const failed = await client.post(`/agents/${id}/runs`, { message: "go", stream: false });
      expect([failed.status, failed.body.status, failed.body.error_code]).toEqual([500, "ERROR", "RUN_FAILED"]);
    },
  );

  test("what was changed beside the state that cannot be written is stored", async () => {
    await using server = await openServer(await openDatabase(), { agents });
    const stream = await server.client.start("agents/circle", "go", { session_id: "one" });
    await stream.closed;
    const session = await server.store.findSession(anonymous, "one");
    expect(JSON.parse(session!.state)).toEqual({ fine: "kept" });
  });
});
