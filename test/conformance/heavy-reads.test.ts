/** Expensive reads: each caller has its own turn, whichever interface it uses. */
import { expect, onTestFinished, test, vi } from "vitest";
import { defineAgent, defineWorkflow, step, workflowFactory } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { Raw, said03, said10 } from "../a2a/support/raw.ts";
import { eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { Client } from "./support/client.ts";

const plain = defineAgent({ id: "plain", model: scriptedModel(() => "said") });

eachDatabase("heavy reads", (openDatabase) => {
  test("a factory that builds slowly for one caller does not delay the reads of other callers", async () => {
    const gate = new Gate();
    const slow = workflowFactory({
      id: "slow",
      async build() {
        await gate.pass();
        return defineWorkflow({ id: "slow", steps: [step({ name: "one", run: () => "built" })] });
      },
    });
    await using server = await openServer(await openDatabase(), { agents: [plain], workflows: [slow] });
    onTestFinished(() => gate.open());
    const client = new Client(server.client.address.origin);
    const id = crypto.randomUUID();
    const paths = ["/workflows/slow/runs?", `/workflows/slow/runs/${id}?session_id=s&`];
    const building = [...paths, ...paths, ...paths].map((path) => client.get(`${path}factory_input=%7B%7D`));
    await gate.crowd(building.length);
    const read = client.get("/agents/plain/runs").then(({ status, json }) => [status, json]);
    // A slow build fails after its time-out, so a read that waited for the builds would finish after them.
    expect(await Promise.race([read, ...building.map((one) => one.then(() => "built"))])).toEqual([200, []]);
    gate.open();
    expect((await Promise.all(building)).map(({ status }) => status)).toEqual([200, 404, 200, 404, 200, 404]);
  });

  test("every A2A request that lists, reads or returns a task takes one turn of its caller", async () => {
    await using server = await openServer(await openDatabase(), { agents: [plain] });
    const { origin } = server.client.address;
    const raw = new Raw(() => origin);
    const path = "/a2a/agents/plain";
    const take = vi.spyOn(server.app.heavyReads, "take");
    const turns = async (work: Promise<{ status: number }>): Promise<readonly [number, number]> => {
      take.mockClear();
      const { status } = await work;
      return [status, take.mock.calls.length];
    };
    const sent = await raw.call("SendMessage", said10("x"), path);
    expect([sent.status, take.mock.calls.length]).toEqual([200, 1]);
    const { id, contextId } = sent.json.result.task;
    expect(await turns(raw.call("GetTask", { id }, path))).toEqual([200, 1]);
    expect(await turns(raw.call("ListTasks", {}, path))).toEqual([200, 1]);
    expect(await turns(raw.call("tasks/get", { id }, path))).toEqual([200, 1]);
    expect(await turns(raw.ask("GET", `${path}/rest/tasks/${id}`))).toEqual([200, 1]);
    expect(await turns(raw.ask("GET", `${path}/rest/v1/tasks`))).toEqual([200, 1]);
    const own = (params: object) => ({ jsonrpc: "2.0", id: 1, method: "message/send", params });
    expect(await turns(raw.ask("POST", `${path}/v1/tasks:get`, own({ id, contextId })))).toEqual([200, 1]);
    expect(await turns(raw.ask("POST", `${path}/v1/message:send`, own(said03("x"))))).toEqual([200, 1]);
  });
});
