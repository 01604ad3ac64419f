/** Experiments: each row is a run on both sides, scored and measured; for the callers who may see them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";
import { type Answer, nextOf, send } from "./send.ts";

let gate = new Gate();
/** Requests in progress, and the most at one time. */
const load = { now: 0, most: 0 };

const clerk = defineAgent({
  id: "clerk",
  model: scriptedModel(async ({ message }) => {
    if (message.includes("fail")) throw new Error("The model is broken.");
    load.now += 1;
    load.most = Math.max(load.most, load.now);
    await new Promise((resolve) => setTimeout(resolve, 20));
    load.now -= 1;
    return `re: ${message}`;
  }),
});

const waiter = defineAgent({
  id: "waiter",
  model: scriptedModel(async () => {
    await gate.pass();
    return "done";
  }),
});

const pay = defineTool({
  ...{ name: "pay", description: "Pays.", input: z.object({}), approval: "required" },
  execute: () => "paid",
});
const payer = defineAgent({
  id: "payer",
  tools: [pay],
  model: scriptedModel(() => ({ toolCalls: [{ name: "pay", input: {} }] })),
});

const agents = [clerk, waiter, payer];

async function datasetOf(server: OpenServer, rows: readonly object[], bearer?: string): Promise<string> {
  const { status, body } = await send(server, "POST", "/datasets", { name: "d", rows }, bearer);
  expect(status).toBe(201);
  return body.id;
}

function create(server: OpenServer, fields: object, bearer?: string): Promise<Answer> {
  return send(server, "POST", "/experiments", { component_type: "agent", component_id: "clerk", ...fields }, bearer);
}

async function ended(server: OpenServer, id: string, bearer?: string): Promise<Answer["body"]> {
  return await eventually(async () => {
    const { body } = await send(server, "GET", `/experiments/${id}?limit=100`, undefined, bearer);
    expect(["completed", "failed", "cancelled"]).toContain(body.status);
    return body;
  });
}

eachDatabase("experiments", (openDatabase) => {
  describe("without authorization", () => {
    let server: OpenServer;
    beforeAll(async () => {
      server = await openServer(await openDatabase(), { agents });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test("each row is a run on both sides, with scores, and the summary has their means", async () => {
      const dataset_id = await datasetOf(server, [
        { input: "one", expected: "re: one" },
        { input: "two", expected: "something else" },
        { input: "three" },
        { input: "fail", expected: "x" },
      ]);
      const scorers = ["exact", { name: "contains", label: "polite", text: "re:" }];
      const created = await create(server, { name: "first", dataset_id, scorers, parallel: 2 });
      expect(created).toMatchObject({
        status: 202,
        body: { name: "first", dataset_id, component_id: "clerk", total: 8, parallel: 2, scorers },
      });
      const done = await ended(server, created.body.id);
      expect(done).toMatchObject({ status: "completed", total: 8, finished: 8, error: null });
      for (const side of ["a", "b"]) {
        expect(done[side]).toMatchObject({
          ...{ version: null, finished: 4, failures: 1 },
          scores: [
            { scorer: "exact", mean: 0.5, count: 2 },
            { scorer: "polite", mean: 1, count: 3 },
          ],
        });
        expect(done[side].latency_p50).toBeGreaterThan(0);
        expect(done[side].latency_p95).toBeGreaterThanOrEqual(done[side].latency_p50);
        expect(done.rows.map((row: Answer["body"]) => [row.input, row[side].status, row[side].output])).toEqual([
          ["one", "COMPLETED", "re: one"],
          ["two", "COMPLETED", "re: two"],
          ["three", "COMPLETED", "re: three"],
          ["fail", "ERROR", null],
        ]);
        expect(done.rows[0][side].scores).toMatchObject([
          { scorer: "exact", score: 1 },
          { scorer: "polite", score: 1 },
        ]);
        expect(done.rows[2][side].scores[0]).toMatchObject({ score: null, reason: expect.any(String) });
        expect(done.rows[3][side].error).toBeTypeOf("string");
      }
      const { run_id } = done.rows[0].a;
      expect(run_id).not.toBe(done.rows[0].b.run_id);
      const run = await send(server, "GET", `/runs?component_id=clerk&limit=100`);
      expect(run.body.map((one: { run_id: string }) => one.run_id)).toContain(run_id);
      const [listed] = (await send(server, "GET", `/experiments?dataset_id=${dataset_id}&type=agent`)).body;
      expect(listed).toMatchObject({ id: created.body.id, status: "completed", a: { finished: 4 } });
    });

    test("at most `parallel` runs are in progress, pages have all rows once, and `max_rows` limits them", async () => {
      const dataset_id = await datasetOf(
        server,
        Array.from({ length: 9 }, (_, n) => ({ input: `p${n}` })),
      );
      load.most = 0;
      const created = await create(server, { dataset_id, parallel: 3, max_rows: 7 });
      expect((await ended(server, created.body.id)).finished).toBe(14);
      expect(load.most).toBeLessThanOrEqual(3);
      const seen: string[] = [];
      for (let path: string | undefined = `/experiments/${created.body.id}?limit=3`; path; ) {
        const page = await send(server, "GET", path);
        for (const row of page.body.rows) seen.push(`${row.input} ${row.a.output} ${row.b.output}`);
        path = nextOf(page);
      }
      expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `p${n} re: p${n} re: p${n}`));
    });

    test("a run that pauses counts as a failure and is cancelled", async () => {
      const dataset_id = await datasetOf(server, [{ input: "pay" }]);
      const created = await create(server, { dataset_id, component_id: "payer", scorers: ["exact"] });
      const done = await ended(server, created.body.id);
      expect(done).toMatchObject({ status: "completed", a: { failures: 1, scores: [] } });
      await eventually(async () => {
        const { body } = await send(server, "GET", "/runs?component_id=payer");
        expect(body.map((one: { status: string }) => one.status)).toEqual(["CANCELLED", "CANCELLED"]);
      });
    });

    test("a cancelled experiment keeps its results, and its runs in progress are cancelled", async () => {
      gate = new Gate();
      const dataset_id = await datasetOf(
        server,
        Array.from({ length: 4 }, (_, n) => ({ input: `w${n}` })),
      );
      const created = await create(server, { dataset_id, component_id: "waiter", parallel: 2 });
      const path = `/experiments/${created.body.id}`;
      gate.open(1);
      await eventually(async () =>
        expect((await send(server, "GET", path)).body).toMatchObject({ status: "running", finished: 1 }),
      );
      const cancelled = await send(server, "POST", `${path}/cancel`);
      expect(cancelled).toMatchObject({ status: 200, body: { status: "cancelled", finished: 1 } });
      expect((await send(server, "POST", `${path}/cancel`)).status).toBe(409);
      await eventually(async () => {
        const { body } = await send(server, "GET", "/runs?component_id=waiter");
        const states = body.map((one: { status: string }) => one.status).sort();
        expect([states.includes("RUNNING"), states.includes("CANCELLED")]).toEqual([false, true]);
      });
      gate.open();
      expect((await send(server, "GET", path)).body).toMatchObject({ status: "cancelled", finished: 1 });
      expect((await send(server, "DELETE", path)).status).toBe(204);
      expect((await send(server, "GET", path)).status).toBe(404);
    });

    test("a cancelled experiment whose next run cannot start cancels its other runs", async () => {
      gate = new Gate();
      const rows = Array.from({ length: 8 }, (_, n) => ({ input: `next ${n}` }));
      const dataset_id = await datasetOf(server, rows);
      const created = await create(server, { dataset_id, component_id: "waiter", parallel: 4 });
      await gate.crowd(4);
      expect((await send(server, "POST", `/experiments/${created.body.id}/cancel`)).status).toBe(200);
      // One run ends, so its lane asks for the next run.
      gate.open(1);
      await eventually(async () => {
        const { body } = await send(server, "GET", "/runs?component_id=waiter&limit=100");
        const states = body.map((one: { status: string }) => one.status);
        expect(states).toContain("CANCELLED");
        expect(states).not.toContain("RUNNING");
        expect(states).not.toContain("PENDING");
      });
      gate.open();
    });

    test.each([
      [{}, 422],
      [{ component_id: "none" }, 404],
      [{ dataset_id: "none" }, 404],
      [{ scorers: ["none"] }, 422],
      [{ scorers: [{ name: "regex", pattern: "(" }] }, 422],
      [{ scorers: ["exact", "exact"] }, 422],
      [{ parallel: 17 }, 422],
      [{ max_rows: 0 }, 422],
      [{ version_a: "draft" }, 422],
      [{ version_b: 7 }, 404],
    ])("a request with %j is rejected", async (fields, status) => {
      const dataset_id = Object.keys(fields).length === 0 ? undefined : await datasetOf(server, [{ input: "x" }]);
      expect((await create(server, { dataset_id, ...fields })).status).toBe(status);
    });

    test("a dataset without rows is rejected; the deletion of a dataset deletes its experiments", async () => {
      const dataset_id = await datasetOf(server, []);
      expect((await create(server, { dataset_id })).status).toBe(422);
      await send(server, "POST", `/datasets/${dataset_id}/rows`, { rows: [{ input: "x" }] });
      const created = await create(server, { dataset_id });
      await ended(server, created.body.id);
      expect((await send(server, "DELETE", `/datasets/${dataset_id}`)).status).toBe(204);
      expect((await send(server, "GET", `/experiments/${created.body.id}`)).status).toBe(404);
    });
  });

  test("isolated users have experiments of their own, whose runs are theirs; an erasure removes them", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using server = await openServer(await openDatabase(), { agents, authorization });
    const evals = ["evals:read", "evals:write", "evals:delete"];
    const scopes = [...evals, "agents:run", "agents:read", "sessions:read"];
    const [ada, bob, root, blind] = [
      token({ sub: "ada", scopes }, pair),
      token({ sub: "bob", scopes }, pair),
      token({ sub: "root", scopes: ["agent_os:admin"] }, pair),
      token({ sub: "ada", scopes: evals }, pair),
    ];
    const dataset_id = await datasetOf(server, [{ input: "mine" }], ada);
    expect((await create(server, { dataset_id }, blind)).status).toBe(403);
    expect((await create(server, { dataset_id }, bob)).status).toBe(404);
    const created = await create(server, { dataset_id }, ada);
    const path = `/experiments/${created.body.id}`;
    expect(await ended(server, created.body.id, ada)).toMatchObject({ user_id: "ada", finished: 2 });
    expect((await send(server, "GET", "/runs", undefined, ada)).body).toHaveLength(2);
    expect((await send(server, "GET", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "POST", `${path}/cancel`, undefined, bob)).status).toBe(404);
    expect((await send(server, "DELETE", path, undefined, bob)).status).toBe(404);
    expect((await send(server, "GET", "/experiments", undefined, bob)).body).toEqual([]);
    expect((await send(server, "GET", "/experiments", undefined, root)).body).toHaveLength(1);

    // The runs of others that read a row of the user's run are removed with the row.
    const { run_id } = (await send(server, "GET", path, undefined, ada)).body.rows[0].a;
    const copied = await send(server, "POST", "/datasets", { name: "r", run_ids: [run_id] }, root);
    const other = await create(server, { dataset_id: copied.body.id }, root);
    await ended(server, other.body.id, root);
    const erased = await send(server, "DELETE", "/users/ada/data", undefined, root);
    expect(erased.body).toMatchObject({
      complete: true,
      removed: { experiments: 1, datasets: 1, dataset_rows: 1, runs: 4 },
    });
    expect((await send(server, "GET", "/runs", undefined, root)).body).toEqual([]);
    expect((await send(server, "GET", `/experiments/${other.body.id}`, undefined, root)).body).toMatchObject({
      ...{ status: "completed", rows: [] },
    });
  });
});
