/** Experiments, datasets and evals in the console: measures of both sides, means over time, and rows that a person enters. */
import { describe, expect, test } from "vitest";
import { rowsIn } from "../../../console/src/screens/datasets/rows-in.ts";
import { toCsv, toJson } from "../../../console/src/screens/datasets/rows-out.ts";
import { resultOf } from "../../../console/src/screens/evals/result.ts";
import { readNewSearch } from "../../../console/src/screens/experiments/search.ts";
import {
  type Experiment,
  linesOf,
  measuresOf,
  percentOf,
  type Side,
  titleOf,
  trendMeasures,
  trendOf,
} from "../../../console/src/screens/experiments/summary.ts";
import { rowsOfCsv } from "../../../src/runs/trials/csv.ts";

const side = (change: Partial<Side>): Side => ({
  ...{ version: "code", finished: 2, failures: 0, scores: [], cost: null, latency_p50: 1, latency_p95: 2 },
  ...change,
});
const experiment = (change: Partial<Experiment>): Experiment => ({
  ...{ id: "1", name: null, dataset_id: "2", component_type: "agent", component_id: "clerk", scorers: [], parallel: 4 },
  ...{ status: "completed", total: 4, finished: 4, error: null, user_id: null, a: null, b: null },
  ...{ created_at: "2026-11-01T00:00:00Z", started_at: null, ended_at: "2026-11-01T00:01:00Z" },
  ...change,
});

describe("summaries of experiments", () => {
  test("a higher score, and a lower cost, time and number of failures are better", () => {
    const a = side({ scores: [{ scorer: "exact", mean: 0.5, count: 2 }], cost: 0.2, failures: 1 });
    const b = side({ scores: [{ scorer: "exact", mean: 1, count: 2 }], cost: 0.3, latency_p50: 0.5 });
    expect(measuresOf(a, b).map(({ name, better }) => [name, better])).toEqual([
      ["exact", "b"],
      ["Failures", "b"],
      ["Cost", "a"],
      ["Latency, median", "b"],
      ["Latency, 95 %", undefined],
    ]);
  });

  test("costs and times that are nearly equal have no better side", () => {
    const measures = measuresOf(side({ cost: 0.1, latency_p50: 1 }), side({ cost: 0.101, latency_p50: 1.04 }));
    expect(measures.map(({ better }) => better)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("a measure that one side lacks has no better side", () => {
    const b = side({ scores: [{ scorer: "judge", mean: 0.5, count: 1 }] });
    expect(measuresOf(side({}), b)[0]).toEqual({ name: "judge", unit: "score", a: null, b: 0.5, better: undefined });
  });

  test("means over time have both sides of ended experiments, without scorers that have no mean", () => {
    const scores = [
      { scorer: "exact", mean: 0.5, count: 2 },
      { scorer: "judge", mean: null, count: 0 },
    ];
    const ended = experiment({ a: side({ scores }), b: side({ version: 2, scores }) });
    const running = experiment({ id: "3", ended_at: null, a: side({ scores }) });
    expect(trendOf([running, ended]).map(({ version, scores: means }) => [version, [...means]])).toEqual([
      ["code", [["exact", 0.5]]],
      ["version 2", [["exact", 0.5]]],
    ]);
  });

  test("a chart has a line for each version, with its component if there are several; unknown values have no point", () => {
    const b = side({ version: 2, cost: 0.4, latency_p50: null });
    const points = trendOf([experiment({ a: side({}), b }), experiment({ id: "3", a: side({}), b })]);
    const measures = trendMeasures(points);
    expect(measures.map(({ id }) => id)).toEqual(["cost", "latency"]);
    const [cost, latency] = measures.map((measure) => linesOf(points, measure));
    const time = Date.parse("2026-11-01T00:01:00Z");
    const both = (value: number) => [
      { time, value },
      { time, value },
    ];
    expect(cost).toEqual([{ name: "version 2", points: both(0.2) }]);
    expect(latency).toEqual([{ name: "code", points: both(1) }]);
    const others = trendOf([experiment({ a: side({}) }), experiment({ component_id: "writer", a: side({}) })]);
    expect(trendMeasures(others).flatMap((measure) => linesOf(others, measure).map(({ name }) => name))).toEqual([
      "clerk: code",
      "writer: code",
    ]);
  });

  test("an experiment without a name is named by what it compares", () => {
    expect(titleOf(experiment({ a: side({}), b: side({ version: null }) }))).toBe("clerk: code and version in use");
    expect(titleOf(experiment({}))).toBe("Versions of clerk");
    expect(percentOf({ finished: 1, total: 3 })).toBe(33);
  });

  test("the URL of the form names versions and the code; other values mean the version in use", () => {
    expect(readNewSearch({ kind: "agent", component: "clerk", a: "code", b: 3 })).toMatchObject({ a: "code", b: 3 });
    expect(readNewSearch({ a: "none", b: -1 })).toMatchObject({ a: undefined, b: undefined });
  });
});

describe("exported rows", () => {
  const rows = [
    { input: 'Say "yes", or\nno', expected: null, metadata: { topic: "hours; days", tags: ["a", "b"] } },
    { input: " space ", expected: "At nine.", metadata: null },
  ];

  test("the server reads the rows of a CSV table again, with their metadata as texts", () => {
    expect(rowsOfCsv(toCsv(rows))).toEqual([
      { ...rows[0], metadata: { topic: "hours; days", tags: '["a","b"]' } },
      rows[1],
    ]);
  });

  test("the form of a dataset reads the rows of a JSON list again", () => {
    expect(rowsIn(JSON.stringify(toJson(rows)))).toEqual({
      rows: [
        { input: rows[0]?.input, metadata: rows[0]?.metadata },
        { input: " space ", expected: "At nine." },
      ],
    });
  });
});

describe("rows that a person enters", () => {
  test("a list of texts or of objects is JSON, and other texts are a CSV table", () => {
    expect(rowsIn('["Hello", {"input": "Bye", "expected": "See you"}]')).toEqual({
      rows: [{ input: "Hello" }, { input: "Bye", expected: "See you" }],
    });
    expect(rowsIn('{"input": {"city": "Rome"}}')).toEqual({ rows: [{ input: { city: "Rome" } }] });
    expect(rowsIn("input,expected\nHello,Hi")).toEqual({ csv: "input,expected\nHello,Hi\n" });
  });

  test("no text, broken JSON and rows without an input are no rows", () => {
    for (const text of [" ", "[1]", "[", "[]", '[{"expected": "Hi"}]', '[{"input": ""}]', "[null]"])
      expect(rowsIn(text)).toBeUndefined();
  });
});

describe("results of evals", () => {
  test("the result is the mean score or the mean time; without one there is none", () => {
    expect(resultOf({ eval_type: "accuracy", eval_data: { avg_score: 7.25 } })).toBe("7.3 of 10");
    expect(resultOf({ eval_type: "performance", eval_data: { avg_run_time: 1.5 } })).toBe("1.5 s");
    expect(resultOf({ eval_type: "reliability", eval_data: {} })).toBeUndefined();
  });
});
