/** Evals and experiments whose caller lost its permission, or whose user is erased, end and start no more runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";
import { send } from "../trials/send.ts";

vi.setConfig({ testTimeout: 120_000 });

const scopes = ["evals:read", "evals:write", "agents:run", "agents:read", "sessions:read"];
const measured = {
  eval_type: "reliability",
  agent_id: "clerk",
  input: "one",
  expected_tool_calls: [],
  background: true,
};
const rows = Array.from({ length: 30 }, (_, number) => ({ input: `row ${number}` }));

eachDatabase("evals and experiments in progress", (openDatabase) => {
  /** A server whose runs wait at a gate, with an eval of 20 and an experiment of 60 runs of a caller. */
  async function begin() {
    const pair = makePair();
    const gate = new Gate();
    const clerk = defineAgent({
      id: "clerk",
      model: scriptedModel(async () => {
        await gate.pass();
        return "done";
      }),
    });
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const server = await openServer(await openDatabase(), { agents: [clerk], authorization });
    const root = token({ sub: "root", scopes: ["agent_os:admin"] }, pair);
    const start = async (caller: string) => {
      const dataset = await send(server, "POST", "/datasets", { name: "d", rows }, caller);
      const compared = { dataset_id: dataset.body.id, component_type: "agent", component_id: "clerk", parallel: 2 };
      const experiment = await send(server, "POST", "/experiments", compared, caller);
      const evaluated = await send(server, "POST", "/eval-runs", { ...measured, num_iterations: 20 }, caller);
      expect([experiment.status, evaluated.status]).toEqual([202, 202]);
      await gate.crowd(6);
      return { experiment: `/experiments/${experiment.body.id}`, evaluated: `/eval-runs/${evaluated.body.id}` };
    };
    const read = async (path: string) => (await send(server, "GET", path, undefined, root)).body;
    return { pair, gate, server, root, start, read };
  }

  test("a revoked service account's eval and experiment end as cancelled with the reason, and their runs are cancelled", async () => {
    const { gate, root, start, read, ...opened } = await begin();
    await using server = opened.server;
    const rights = { scopes: scopes.map((scope) => ({ scope })), allow_privileged_scopes: true };
    const account = await send(server, "POST", "/service-accounts", { name: "bot", ...rights }, root);
    const { experiment, evaluated } = await start(account.body.token);
    expect((await send(server, "DELETE", `/service-accounts/${account.body.id}`, undefined, root)).status).toBe(204);
    // The six waiting runs end, and no other run starts.
    gate.open(6);
    const error = expect.stringMatching(/^The caller may not start runs any more\. .* is revoked or has expired\.$/);
    await eventually(async () => {
      expect(await read(evaluated)).toMatchObject({ status: "CANCELLED", passed: false, error });
      expect(await read(experiment)).toMatchObject({ status: "cancelled", error });
    });
    await eventually(async () => {
      const runs: { status: string }[] = await read("/runs");
      expect(runs.filter(({ status }) => status === "RUNNING" || status === "PENDING")).toEqual([]);
      expect(runs.length).toBeLessThan(20);
    });
  });

  test("an eval that a service account's schedule starts has the permission of the account", async () => {
    const { gate, root, read, ...opened } = await begin();
    await using server = opened.server;
    gate.open();
    const rights = {
      scopes: [...scopes, "schedules:write"].map((scope) => ({ scope })),
      allow_privileged_scopes: true,
    };
    const account = await send(server, "POST", "/service-accounts", { name: "bot", ...rights }, root);
    const daily = { name: "daily", cron_expr: "0 3 * * *", endpoint: "/eval-runs", payload: measured };
    const schedule = await send(server, "POST", "/schedules", daily, account.body.token);
    const fired = await send(server, "POST", `/schedules/${schedule.body.id}/trigger`, undefined, root);
    expect(fired.body).toMatchObject({ status: "success" });
    await eventually(async () =>
      expect((await read("/eval-runs")).data).toMatchObject([{ status: "COMPLETED", passed: true }]),
    );
  });

  test("the erasure of a user ends its eval and experiment, and no run of them starts afterwards", async () => {
    const { pair, gate, root, start, read, ...opened } = await begin();
    await using server = opened.server;
    await start(token({ sub: "ada", scopes }, pair));
    const removed: Record<string, number> = {};
    for (let isComplete = false; !isComplete; ) {
      const { body } = await send(server, "DELETE", "/users/ada/data", undefined, root);
      for (const [kind, count] of Object.entries<number>(body.removed)) removed[kind] = (removed[kind] ?? 0) + count;
      isComplete = body.complete;
    }
    expect(removed).toMatchObject({ evals: 1, experiments: 1, datasets: 1 });
    expect(removed.runs).toBeLessThan(20);
    gate.open();
    // Longer than the interval in which a process notices that its job is gone.
    await sleep(2_500);
    expect(gate.arrived).toBe(6);
    expect(await read("/runs")).toEqual([]);
  });
});
