/** Starts with an Idempotency-Key that are rejected: the key stays usable, for the same request and for a corrected one. */
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { agentFactory } from "../../src/define/factory.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { remoteAgent } from "../../src/define/remote.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { scriptedServer } from "../support/http-script.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("a rejected start with an Idempotency-Key", (openDatabase) => {
  async function open(platform: Partial<PlatformOptions>) {
    const server = await openServer(await openDatabase(), platform);
    onTestFinished(() => server.end(0));
    return server.client;
  }
  const keyed = () => ({ "idempotency-key": randomUUID() });
  const waited = { message: "hello", stream: false };
  const model = scriptedModel(({ message }) => `Re: ${message}`);

  test.for(["same", "other"])("429 for a full session: the %s request starts a run later", async (which) => {
    const gate = new Gate();
    const slow = scriptedModel(async () => {
      await gate.pass();
      return "Done.";
    });
    const client = await open({
      agents: [defineAgent({ id: "a", model: slow })],
      settings: { maxQueuedRunsPerSession: 1 },
    });
    const start = (message: string, headers: Record<string, string> = {}, more: object = { stream: false }) =>
      client.post("/agents/a/runs", { message, session_id: "s", ...more }, headers);
    const background = { stream: false, background: true };
    const held = start("first");
    await gate.crowd(1);
    await start("second", {}, background);
    const headers = keyed();
    expect((await start("third", headers)).status).toBe(429);
    expect((await start("third", headers)).status).toBe(429);
    gate.open();
    expect((await held).status).toBe(200);
    const message = which === "same" ? "third" : "other";
    await expect.poll(async () => (await start(message, headers)).status).toBe(200);
  });

  test("500 for a factory that fails: the same and a corrected request start a run", async () => {
    let fails = true;
    const build = () => {
      if (fails) throw new Error("not now");
      return defineAgent({ id: "made", model });
    };
    const client = await open({ agents: [agentFactory({ id: "made", build })] });
    for (const message of ["hello", "other"]) {
      fails = true;
      const headers = keyed();
      expect((await client.post("/agents/made/runs", waited, headers)).status).toBe(500);
      fails = false;
      const answer = await client.post("/agents/made/runs", { ...waited, message }, headers);
      expect([answer.status, answer.body.content]).toEqual([200, `Re: ${message}`]);
      const again = await client.post("/agents/made/runs", { ...waited, message }, headers);
      expect([again.headers["idempotency-replayed"], again.body.run_id]).toEqual(["true", answer.body.run_id]);
    }
  });

  test("500 while the same request is in progress: that request returns 409, and a later one starts a run", async () => {
    const builds: PromiseWithResolvers<void>[] = [];
    const build = async () => {
      const next = Promise.withResolvers<void>();
      builds.push(next);
      await next.promise;
      return defineAgent({ id: "made", model });
    };
    const client = await open({ agents: [agentFactory({ id: "made", build })] });
    const headers = keyed();
    const start = () => client.post("/agents/made/runs", waited, headers);
    const first = start();
    await expect.poll(() => builds.length).toBe(1);
    const second = start();
    await expect.poll(() => builds.length).toBe(2);
    builds[0]?.reject(new Error("not now"));
    expect((await first).status).toBe(500);
    builds[1]?.resolve();
    const answer = await second;
    expect([answer.status, answer.body]).toEqual([
      409,
      {
        detail:
          "Another request with this Idempotency-Key was rejected, or its run was deleted: send the request again.",
        error_code: "CONFLICT",
      },
    ]);
    const third = start();
    await expect.poll(() => builds.length).toBe(3);
    builds[2]?.resolve();
    expect((await third).status).toBe(200);
  });

  test("422 for an input that does not fit its workflow: a corrected request starts a run", async () => {
    const input = z.object({ city: z.string() });
    const steps = [step({ name: "s", run: ({ input: given }) => JSON.stringify(given) })];
    const client = await open({ workflows: [defineWorkflow({ id: "w", input, steps })] });
    const headers = keyed();
    const start = (message: string) => client.post("/workflows/w/runs", { message, stream: false }, headers);
    expect((await start('{"town":"Rome"}')).status).toBe(422);
    const answer = await start('{"city":"Rome"}');
    expect([answer.status, answer.body.content]).toEqual([200, '{"city":"Rome"}']);
    expect((await start('{"city":"Bonn"}')).status).toBe(422);
  });

  test.for(["hello", "other"])(
    "429 of a remote server: a later request with the message %s starts a run",
    async (message) => {
      let status = 429;
      await using far = await scriptedServer((_request, response) => {
        if (status !== 200) return void response.writeHead(status, { "retry-after": "1" }).end("{}");
        response.writeHead(200, { "content-type": "text/event-stream" });
        const event = (index: number, fields: object) =>
          `event: x\ndata: ${JSON.stringify({ run_id: "far", session_id: "s", ...fields, event_index: index })}\n\n`;
        response.end(event(0, { event: "RunStarted" }) + event(1, { event: "RunCompleted", content: "done" }));
      });
      const client = await open({ agents: [remoteAgent({ id: "far", url: far.url })] });
      const headers = keyed();
      expect((await client.post("/agents/far/runs", waited, headers)).status).toBe(429);
      status = 200;
      expect((await client.post("/agents/far/runs", { ...waited, message }, headers)).status).toBe(200);
    },
  );

  test("400 for the answers to a pause: a corrected continue continues the run", async () => {
    const pay = defineTool({
      ...{ name: "pay", description: "Pays", input: z.object({ amount: z.number() }), userInput: ["amount"] },
      execute: ({ amount }) => `paid ${amount}`,
    });
    const asks = scriptedModel(({ results }) => (results.length > 0 ? "Done." : { toolCalls: [{ name: "pay" }] }));
    const client = await open({ agents: [defineAgent({ id: "a", model: asks, tools: [pay] })] });
    const { body } = await client.post("/agents/a/runs", { ...waited, session_id: "s" });
    const headers = keyed();
    const go = (value: unknown) => {
      const entered = { answered: true, user_input_schema: [{ name: "amount", value }] };
      const tools = JSON.stringify([{ ...body.tools[0], ...entered }]);
      return client.post(
        `/agents/a/runs/${body.run_id}/continue`,
        { tools, session_id: "s", stream: "false" },
        headers,
      );
    };
    expect((await go("much")).status).toBe(400);
    const answer = await go(3);
    expect([answer.status, answer.body.status]).toEqual([200, "COMPLETED"]);
    expect((await go(3)).headers["idempotency-replayed"]).toBe("true");
  });
});
