/** Experiments with versions: each side uses the version that it names, whatever runs use meanwhile. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";
import { runOf, send } from "./send.ts";

const clerk = defineAgent({
  ...{ id: "clerk", instructions: "Say hello." },
  model: scriptedModel(({ system }) => /Say (\w+)\./.exec(system)?.[1] ?? "nothing"),
});

eachDatabase("an experiment with versions", (openDatabase) => {
  test("compares the definition in code, a published version and a draft, on stored runs", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const { run_id } = await runOf(server, "clerk", { message: "greet" });
    const dataset = await send(server, "POST", "/datasets", { name: "d", run_ids: [run_id] });
    const configs = "/components/clerk/configs";
    const add = async (instructions: string, stage: string): Promise<number> => {
      const saved = await send(server, "POST", configs, { config: { instructions }, stage });
      expect(saved.status).toBe(201);
      return saved.body.version;
    };
    const published = await add("Say bye.", "published");
    const draft = await add("Say moin.", "draft");
    const compare = async (version_a: unknown, version_b: unknown) => {
      const created = await send(server, "POST", "/experiments", {
        ...{ dataset_id: dataset.body.id, component_type: "agent", component_id: "clerk" },
        ...{ version_a, version_b, scorers: ["exact"] },
      });
      expect(created.status).toBe(202);
      return await eventually(async () => {
        const { body } = await send(server, "GET", `/experiments/${created.body.id}`);
        expect([body.status, body.error]).toEqual(["completed", null]);
        const [row] = body.rows;
        return [
          body.a.version,
          row.a.output,
          body.a.scores[0].mean,
          body.b.version,
          row.b.output,
          body.b.scores[0].mean,
        ];
      });
    };
    expect(await compare("code", published)).toEqual(["code", "hello", 1, published, "bye", 0]);
    expect(await compare(undefined, draft)).toEqual([null, "bye", 0, draft, "moin", 0]);
  });

  test("names only versions that exist", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const dataset = await send(server, "POST", "/datasets", { name: "d", rows: [{ input: "x" }] });
    const fields = { dataset_id: dataset.body.id, component_type: "agent" };
    const status = async (given: object): Promise<number> =>
      (await send(server, "POST", "/experiments", { ...fields, ...given })).status;
    expect(await status({ component_id: "clerk", version_a: 1 })).toBe(404);
    const config = { model: { provider: "scripted", id: "scripted" }, instructions: "Say x." };
    await send(server, "POST", "/components", { component_id: "stored", name: "S", component_type: "agent", config });
    expect(await status({ component_id: "stored", version_a: "code" })).toBe(404);
    expect(await status({ component_id: "stored", version_a: 2 })).toBe(404);
  });
});
