/** Creations of evals, datasets and experiments: repeated requests with an Idempotency-Key, and their bounds. */
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { send } from "../trials/send.ts";

// The bounds are reached by many requests, which take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const clerk = defineAgent({ id: "clerk", model: scriptedModel(({ message }) => `re: ${message}`) });

interface Created {
  readonly status: number;
  readonly id: string;
  readonly isReplayed: boolean;
}

async function create(server: OpenServer, path: string, key: string, body: object): Promise<Created> {
  const response = await fetch(new URL(path, server.client.address), {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });
  const { id } = (await response.json()) as { id: string };
  return { status: response.status, id, isReplayed: response.headers.get("idempotency-replayed") === "true" };
}

async function countOf(server: OpenServer, path: string): Promise<number> {
  const { body } = await send(server, "GET", path);
  return (body.data ?? body).length;
}

eachDatabase("creations", (openDatabase) => {
  test("the same request with a key creates once, another request with the key gets 422, and a deletion frees the key", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const rows = [{ input: "one" }, { input: "two" }];
    const dataset = await create(server, "/datasets", "for-experiments", { name: "d", rows });
    const measured = {
      eval_type: "accuracy",
      agent_id: "clerk",
      input: "one",
      scorers: ["contains"],
      background: true,
    };
    const compared = { dataset_id: dataset.id, component_type: "agent", component_id: "clerk" };
    const cases = [
      ["/datasets", { name: "x", rows }, { name: "y", rows }, { status: 201 }, 2],
      ["/experiments", compared, { ...compared, parallel: 1 }, { status: 202 }, 1],
      ["/eval-runs", { ...measured, expected_output: "a" }, { ...measured, expected_output: "b" }, {}, 1],
    ] as const;
    for (const [path, body, other, created, count] of cases) {
      const key = "one-key".concat(path);
      const atOnce = await Promise.all([1, 2, 3].map(() => create(server, path, key, body)));
      const [first] = atOnce;
      for (const one of atOnce) expect(one).toMatchObject({ id: first!.id, ...created });
      expect(await create(server, path, key, body)).toMatchObject({ id: first!.id, isReplayed: true, ...created });
      expect((await create(server, path, key, other)).status).toBe(422);
      expect(await countOf(server, path)).toBe(count);
      if (path === "/eval-runs")
        expect((await send(server, "DELETE", path, { eval_run_ids: [first!.id] })).status).toBe(204);
      else expect((await send(server, "DELETE", `${path}/${first!.id}`)).status).toBe(204);
      const again = await create(server, path, key, body);
      expect(again.isReplayed).toBe(false);
      expect(again.id).not.toBe(first!.id);
    }
    expect((await send(server, "GET", `/datasets/${dataset.id}`)).body.rows).toHaveLength(2);
  });

  test("an empty key is no key", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const [one, other] = [
      await create(server, "/datasets", "", { name: "one" }),
      await create(server, "/datasets", "", { name: "other" }),
    ];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.id).not.toBe(other.id);
  });

  test("a rejected creation leaves its key free for a corrected request", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const dataset = await create(server, "/datasets", "d", { name: "d", rows: [{ input: "one" }] });
    const compared = { dataset_id: dataset.id, component_type: "agent", component_id: "clerk" };
    expect((await create(server, "/experiments", "k", { ...compared, scorers: ["none"] })).status).toBe(422);
    expect(await create(server, "/experiments", "k", compared)).toMatchObject({ status: 202, isReplayed: false });
  });

  test("a user can have 20 experiments and 100 evals that have not ended, and can start another after one is cancelled or deleted", async () => {
    const gate = new Gate();
    const model = scriptedModel(async () => {
      await gate.pass();
      return "done";
    });
    await using server = await openServer(await openDatabase(), { agents: [defineAgent({ id: "clerk", model })] });
    const dataset = await create(server, "/datasets", "d", { name: "d", rows: [{ input: "one" }] });
    const compared = { dataset_id: dataset.id, component_type: "agent", component_id: "clerk" };
    const measured = { eval_type: "performance", agent_id: "clerk", input: "one", background: true };
    const fill = async (path: string, body: object, count: number): Promise<string> => {
      let last = "";
      for (let number = 0; number < count; number++) {
        const { status, body: made } = await send(server, "POST", path, body);
        expect(status).toBe(202);
        last = made.id;
      }
      const refused = await send(server, "POST", path, body);
      expect([refused.status, refused.body.detail]).toEqual([429, expect.stringContaining(`You have ${count} `)]);
      return last;
    };
    const experiment = await fill("/experiments", compared, 20);
    expect((await send(server, "POST", `/experiments/${experiment}/cancel`)).status).toBe(200);
    expect((await send(server, "POST", "/experiments", compared)).status).toBe(202);
    const evaluated = await fill("/eval-runs", measured, 100);
    expect((await send(server, "DELETE", "/eval-runs", { eval_run_ids: [evaluated] })).status).toBe(204);
    expect((await send(server, "POST", "/eval-runs", measured)).status).toBe(202);
  });

  test("an experiment of too many runs is rejected with their number", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const dataset = await create(server, "/datasets", "d", {
      name: "d",
      rows: Array.from({ length: 1_000 }, (_, number) => ({ input: `row ${number}` })),
    });
    await send(server, "POST", `/datasets/${dataset.id}/rows`, { rows: [{ input: "one more" }] });
    const compared = { dataset_id: dataset.id, component_type: "agent", component_id: "clerk" };
    const refused = await send(server, "POST", "/experiments", compared);
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining("would start 2002 runs")]);
  });
});
