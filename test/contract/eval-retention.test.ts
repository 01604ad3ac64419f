/** Retention of ended evals and experiments, which is that of runs. */
import { expect, test } from "vitest";
import { RetentionJob } from "../../src/events/retention.ts";
import { system } from "../../src/model/principal.ts";
import { agesOf } from "../../src/model/retention.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { openOn } from "./store-fixtures.ts";

eachDatabase("retention of runs", (openDatabase) => {
  test("removes old ended evals and experiments with their results; open and new ones stay, and so do datasets", async () => {
    const database = await openDatabase();
    const { evals, trials, jobs, retention } = await openOn(database);
    const { datasets, experiments } = trials;
    for (const id of ["new", "old", "open", "slow", "last"]) {
      const measured = {
        ...{ id, userId: "u", component: { kind: "agent", id: "a" } as const, componentName: "A", version: null },
        ...{ type: "accuracy" as const, name: null, model: null, modelProvider: null, total: 150, request: "{}" },
      } as const;
      await evals.create(measured, { kind: "eval", id, share: "" }, 9);
    }
    const [job] = await jobs.claim({ kind: "eval", owner: "p1", limit: 1, orphans: true, full: [] });
    expect(await evals.addIteration(job!, 2, { number: 0, body: "{}", usage: [] })).toBe(true);
    for (const change of [
      "update eval_runs set created_at = 5, updated_at = 5 where id <> 'new'",
      "update eval_runs set status = 'COMPLETED' where id <> 'open'",
      // It began long ago and has just ended.
      "update eval_runs set updated_at = (select max(updated_at) from eval_runs) where id = 'slow'",
    ])
      await executeSql(database, change);
    // A name does not prolong the retention of an ended eval.
    for (const id of ["old", "open"]) expect(await evals.rename(system, id, "renamed")).toBe(true);
    expect(await evals.find(system, "old")).toMatchObject({ name: "renamed", updatedAt: 5 });
    expect((await evals.find(system, "open"))?.updatedAt).toBeGreaterThan(5);
    await datasets.create({ id: "d", owner: "", userId: "u", name: "d", description: null }, [
      { id: "row", input: "x", expected: null, metadata: null, runId: null, runUser: null },
    ]);
    for (const id of ["e-old", "e-open", "e-new"]) {
      const definition = { name: null, versions: {}, scorers: [], parallel: 1, caller: system } as never;
      const experiment = {
        ...({ id, owner: "", userId: "u", datasetId: "d", kind: "agent", componentId: "a" } as const),
        ...{ definition, maxRows: 1, share: "" },
      };
      expect(await experiments.create(experiment, 9)).toBe("created");
      await experiments.begin(id);
      for (const side of ["a", "b"] as const) {
        const result = { side, runId: "r", status: "COMPLETED", scores: [], output: "", error: null };
        expect(await experiments.put(id, "row", { ...result, nanos: null, milliseconds: null }, [])).toBe(true);
      }
      if (id !== "e-open") await experiments.cancel(id, { sides: {} as never });
    }
    await executeSql(database, "update experiments set created_at = 5 where id <> 'e-new'");
    await executeSql(database, "update experiments set ended_at = 5 where id = 'e-old'");

    const sweep = (runs: "1d" | false) =>
      new RetentionJob({ store: retention, runtime: testRuntime, ages: agesOf({ runs }) });
    expect(await sweep(false).sweep()).toEqual({});
    expect(await sweep("1d").sweep()).toEqual({ evals: 2, experiments: 1 });
    expect(await sweep("1d").sweep()).toEqual({});
    const idsOf = async (table: string) =>
      (await querySql<{ id: string }>(database, `select id from ${table} order by id`)).map(({ id }) => id);
    expect(await idsOf("eval_runs")).toEqual(["new", "open", "slow"]);
    expect(await idsOf("experiments")).toEqual(["e-new", "e-open"]);
    expect(await idsOf("dataset_rows")).toEqual(["row"]);
    expect(await querySql(database, "select eval_key from eval_iterations")).toEqual([]);
    expect(
      await querySql(database, "select distinct experiment_id from experiment_results where experiment_id = 'e-old'"),
    ).toEqual([]);
  });
});
