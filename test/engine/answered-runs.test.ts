/** Runs whose starts wait for their answers: they are kept until a request takes them, within a bound. */
import { expect, test } from "vitest";
import { AnsweredRuns, type CreatedRun } from "../../src/engine/run/answered-runs.ts";
import { creation } from "../contract/store-fixtures.ts";

function created(key: number): CreatedRun {
  return { ...creation({ runId: `run-${key}` }), key, sessionKey: key, sessionSeq: 0 };
}

test("an expected run is returned once, with the status of its last end", () => {
  const runs = new AnsweredRuns();
  runs.expect(created(1));
  runs.end(1, "COMPLETED", '{"content":"one"}', []);
  runs.end(1, "CANCELLED", '{"content":"two"}', []);
  expect(runs.take(1, "CANCELLED")).toMatchObject({
    run: { runId: "run-1", status: "CANCELLED", output: '{"content":"two"}', rootKey: 1, parentKey: null },
  });
  expect(runs.take(1, "CANCELLED")).toBeUndefined();
});

test("a run is not returned if its end was not committed, if its status differs, or if it is not expected", () => {
  const runs = new AnsweredRuns();
  for (const key of [1, 2, 3]) runs.expect(created(key));
  runs.over(3);
  for (const key of [1, 2, 3]) runs.end(key, "COMPLETED", "{}", []);
  runs.forget(1);
  expect([runs.take(1, "COMPLETED"), runs.take(2, "ERROR"), runs.take(3, "COMPLETED")]).toEqual(
    Array(3).fill(undefined),
  );
});

test("when the texts of runs that no request has read exceed the limit, the oldest runs are dropped", () => {
  const runs = new AnsweredRuns();
  const output = JSON.stringify({ content: "x".repeat(3 * 1024 * 1024) });
  for (const key of [1, 2]) {
    runs.expect(created(key));
    runs.end(key, "COMPLETED", output, []);
  }
  expect(runs.take(1, "COMPLETED")).toBeUndefined();
  expect(runs.take(2, "COMPLETED")?.run.output).toBe(output);
});
