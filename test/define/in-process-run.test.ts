/** `run()` of a definition: runs in this process, without a server. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTeam, defineTool, defineWorkflow } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { conformancePlatform } from "../conformance/support/platform.ts";
import { sqliteServer } from "../conformance/support/server.ts";

const echo = scriptedModel(({ message, prompt }) => `${prompt.length} messages, the last: ${message}`);
const agent = defineAgent({ id: "echo", model: echo, history: { runs: 3 }, sessionState: { seen: 1 } });
const doubled = defineWorkflow({
  id: "doubled",
  input: z.object({ count: z.number() }),
  steps: (chain) => chain.step({ name: "double", run: ({ input }) => input.count * 2, confirm: true }),
});

describe("an in-process run", () => {
  const server = sqliteServer();

  test("emits the same events and stores the same record as a run on a server", async () => {
    const platform = conformancePlatform();
    for (const component of [platform.agents, platform.teams, platform.workflows].map(([first]) => first)) {
      if (!component) throw new Error("The platform lacks a kind of component.");
      const run = await component.run("hello", { sessionId: "here", metadata: { a: 1 } });
      const events: object[] = [];
      for await (const event of run) events.push(event);
      const stream = await server().stream(`/${component.kind}s/${component.id}/runs`, {
        message: "hello",
        session_id: "here",
        metadata: '{"a":1}',
      });
      await stream.all();
      const keys = (list: readonly object[]) => list.map((event) => Object.keys(event).join(" "));
      expect(keys(events)).toEqual(keys(stream.events.map(({ data }) => data)));
      const kept = await server().get(`/${component.kind}s/${component.id}/runs/${stream.runId}?session_id=here`);
      expect(Object.keys(await run.record())).toEqual(Object.keys(kept.json as object));
      expect(await run.result()).toMatchObject({ status: "COMPLETED" });
    }
  });

  test("continues its session, and a definition spread from it has its own runs", async () => {
    const first = await (await agent.run("Hello", { sessionId: "s" })).result();
    expect(first.content).toBe("1 messages, the last: Hello");
    const second = await (await agent.run("Again", { sessionId: "s" })).result();
    expect(second.content).toBe("3 messages, the last: Again");
    const other = defineAgent({ ...agent, id: "other" });
    expect((await (await other.run("Hi", { sessionId: "s" })).result()).content).toBe("1 messages, the last: Hi");
    const team = defineTeam({ id: "team", model: echo, members: [agent] });
    expect((await (await team.run("Hi", { background: true })).result()).status).toBe("COMPLETED");
  });

  test("can pause and continue, and rejects an invalid input and an unknown model", async () => {
    const run = await doubled.run({ count: 21 });
    expect((await run.result()).status).toBe("PAUSED");
    await run.continue([{ step_name: "double", confirmed: true }]);
    expect(await run.result()).toMatchObject({ status: "COMPLETED", content: 42 });
    await expect(doubled.run("none")).rejects.toMatchObject({ name: "RequestError", status: 422 });
    const broken = defineAgent({ id: "broken", model: "nobody:model" });
    await expect(broken.run("Hi")).rejects.toMatchObject({ name: "ConfigurationError" });
  });

  test("has the system principal and the userId that the program specifies", async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks at the caller.",
      input: z.object({}),
      execute: (_input, { principal, userId }) => void seen.push(principal.kind, userId),
    });
    const model = scriptedModel(({ prompt }) => (prompt.length > 1 ? "done" : { toolCalls: [{ name: "look" }] }));
    const curious = defineAgent({ id: "curious", model, tools: [look] });
    await (await curious.run("Hi", { userId: "alice" })).result();
    expect(seen).toEqual(["system", "alice"]);
  });

  test("keeps its process alive until the result, and lets it exit afterwards", async () => {
    const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
    const script = `
      import { defineAgent } from ${source("index.ts")};
      import { scriptedModel } from ${source("testing/index.ts")};
      const slow = defineAgent({ id: "slow", model: scriptedModel(() => ({ text: "Here I am", wait: 300 })) });
      console.log((await (await slow.run("Hi", { background: true })).result()).content);`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--conditions=troupe-source", "--input-type=module", "--eval", script],
      { cwd: fileURLToPath(new URL("../..", import.meta.url)), timeout: 50_000 },
    );
    expect({ stdout, stderr }).toEqual({ stdout: "Here I am\n", stderr: "" });
  });
});
