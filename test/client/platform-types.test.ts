/** A client's types for a known platform. `npm run typecheck` checks the types; the test executes the same calls. */
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../client/index.ts";
import { agentFactory, defineAgent, definePlatform, defineWorkflow, remoteAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { sqliteServer } from "../conformance/support/server.ts";

const answer = z.object({ city: z.string(), celsius: z.number() });
const model = scriptedModel(() => '{"city":"Oslo","celsius":3}');
const guide = defineAgent({
  id: "guide",
  model,
  output: answer,
  sessionState: { visits: 0 },
  dependencies: { key: "" },
});
const trip = defineWorkflow({
  id: "trip",
  input: z.object({ city: z.string() }),
  steps: (chain) => chain.step({ name: "plan", run: ({ input }) => ({ stops: [input.city] }) }),
});
const platform = definePlatform({
  id: "travel",
  agents: [
    guide,
    agentFactory({ id: "made", build: () => guide }),
    remoteAgent({ id: "far", url: "http://127.0.0.1:9" }),
  ],
  workflows: [trip],
});

const server = sqliteServer(platform);

test("a client with the platform's type knows its ids and the input and output types of its components", async () => {
  const travel = createClient<typeof platform>({ url: server().base.origin });
  // @ts-expect-error: the platform has no such agent.
  const unknown = travel.agent("gide");
  await expect(unknown.start("Oslo")).rejects.toThrow("Agent not found");

  const run = await travel.agent("guide").start("Oslo", { sessionState: { visits: 1 }, dependencies: { key: "k" } });
  const result = await run.result();
  expectTypeOf(result.content).toEqualTypeOf<unknown>();
  if (result.status !== "COMPLETED") throw new Error(result.status);
  expectTypeOf(result.content).toEqualTypeOf<{ city: string; celsius: number }>();
  expect(result.content.celsius + 1).toBe(4);
  // @ts-expect-error: the state has no such key.
  const wrong = () => travel.agent("guide").start("Oslo", { sessionState: { visit: 1 } });
  expect(wrong).toBeTypeOf("function");

  const shaped = await travel.agent("guide").start("Oslo", { outputSchema: { type: "object" } });
  expectTypeOf(shaped.result).returns.resolves.toExtend<{ content: unknown }>();
  expect(await shaped.result()).toMatchObject({ content: { city: "Oslo" } });

  const planned = await (await travel.workflow("trip").start({ city: "Oslo" })).result();
  if (planned.status !== "COMPLETED") throw new Error(planned.status);
  expectTypeOf(planned.content).toEqualTypeOf<{ stops: string[] }>();
  expect(planned.content.stops).toEqual(["Oslo"]);

  expectTypeOf(travel.agent("made").start).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(travel.agent("far").runs).returns.resolves.toBeArray();
  expectTypeOf(createClient({ url: "" }).agent("any").start)
    .parameter(0)
    .toEqualTypeOf<string>();
});
