/** What an experiment has found, as the screens show it. */
import type { components } from "../../api/schema.ts";
import { nameOfVersion } from "./versions.ts";

export type Side = components["schemas"]["ExperimentSide"];
export type Experiment = components["schemas"]["Experiment"];

/** A measure of both sides. */
export interface Measure {
  readonly name: string;
  /** How its values are shown. */
  readonly unit: "score" | "usd" | "seconds" | "count";
  readonly a: number | null;
  readonly b: number | null;
  /** The better side; undefined if both are equal, or one of them is unknown. */
  readonly better: "a" | "b" | undefined;
}

/** Costs and times that differ by a smaller part than this count as equal. */
const noise = 0.05;

/** The measures of two sides: the mean of each scorer, then failures, cost and durations. */
export function measuresOf(a: Side, b: Side): readonly Measure[] {
  const scorers = [...new Set([...a.scores, ...b.scores].map(({ scorer }) => scorer))];
  const scores = scorers.map((name) => measure(name, "score", meanOf(a, name), meanOf(b, name)));
  return [
    ...scores,
    measure("Failures", "count", a.failures, b.failures),
    measure("Cost", "usd", a.cost, b.cost),
    measure("Latency, median", "seconds", a.latency_p50, b.latency_p50),
    measure("Latency, 95 %", "seconds", a.latency_p95, b.latency_p95),
  ];
}

function measure(name: string, unit: Measure["unit"], a: number | null, b: number | null): Measure {
  if (a === null || b === null) return { name, unit, a, b, better: undefined };
  const limit = unit === "usd" || unit === "seconds" ? noise * Math.max(a, b) : 0;
  const better = Math.abs(a - b) <= limit ? undefined : a > b === (unit === "score") ? "a" : "b";
  return { name, unit, a, b, better };
}

function meanOf({ scores }: Side, name: string): number | null {
  return scores.find(({ scorer }) => scorer === name)?.mean ?? null;
}

/** What one side of an ended experiment has measured. */
export interface TrendPoint {
  readonly key: string;
  readonly experiment: string;
  readonly name: string;
  readonly component: string;
  readonly version: string;
  readonly endedAt: string;
  /** The mean of each scorer. */
  readonly scores: ReadonlyMap<string, number>;
  /** Mean of the runs, in US dollars. */
  readonly cost: number | null;
  /** Median of the runs, in seconds. */
  readonly latency: number | null;
}

/** What ended experiments have measured, the newest first. */
export function trendOf(experiments: readonly Experiment[]): readonly TrendPoint[] {
  return experiments.flatMap((one) =>
    (["a", "b"] as const).flatMap((name): readonly TrendPoint[] => {
      const side = one[name];
      if (!side || one.ended_at === null || side.finished === 0) return [];
      const means = side.scores.flatMap(({ scorer, mean }) => (mean === null ? [] : [[scorer, mean] as const]));
      return [
        {
          ...{ key: `${one.id} ${name}`, experiment: one.id, name: titleOf(one), component: one.component_id },
          ...{ version: nameOfVersion(side.version), endedAt: one.ended_at, scores: new Map(means) },
          ...{ cost: side.cost === null ? null : side.cost / side.finished, latency: side.latency_p50 },
        },
      ];
    }),
  );
}

/** A measure of a trend. */
export interface TrendMeasure {
  /** The value in the URL: `score:exact`, `cost` or `latency`. */
  readonly id: string;
  readonly label: string;
  readonly unit: Measure["unit"];
  readonly of: (point: TrendPoint) => number | null;
}

/** The measures that a trend has: its scorers, then cost and latency. */
export function trendMeasures(points: readonly TrendPoint[]): readonly TrendMeasure[] {
  const scorers = [...new Set(points.flatMap(({ scores }) => [...scores.keys()]))];
  return [
    ...scorers.map(
      (name): TrendMeasure => ({
        ...{ id: `score:${name}`, label: name, unit: "score" },
        of: ({ scores }) => scores.get(name) ?? null,
      }),
    ),
    { id: "cost", label: "Cost of a run", unit: "usd", of: ({ cost }) => cost },
    { id: "latency", label: "Latency, median", unit: "seconds", of: ({ latency }) => latency },
  ];
}

/** One line of a chart: a version, with its component if there are several. */
export interface TrendLine {
  readonly name: string;
  readonly points: readonly { readonly time: number; readonly value: number }[];
}

/** The lines of a measure, those with the newest points first. */
export function linesOf(points: readonly TrendPoint[], { of }: TrendMeasure): readonly TrendLine[] {
  const isOne = new Set(points.map(({ component }) => component)).size === 1;
  const lines = new Map<string, { readonly time: number; readonly value: number }[]>();
  for (const point of points) {
    const value = of(point);
    if (value === null) continue;
    const name = isOne ? point.version : `${point.component}: ${point.version}`;
    const line = lines.get(name) ?? [];
    lines.set(name, line);
    line.push({ time: Date.parse(point.endedAt), value });
  }
  return [...lines].map(([name, line]) => ({ name, points: line }));
}

/** The name of an experiment, or what it compares. */
export function titleOf({ name, component_id: component, a, b }: Experiment): string {
  if (name) return name;
  return a && b
    ? `${component}: ${nameOfVersion(a.version)} and ${nameOfVersion(b.version)}`
    : `Versions of ${component}`;
}

/** The part of an experiment that is finished, in percent. */
export function percentOf({ finished, total }: Pick<Experiment, "finished" | "total">): number {
  return total === 0 ? 100 : Math.round((100 * finished) / total);
}

export function isOver({ status }: Pick<Experiment, "status">): boolean {
  return status !== "pending" && status !== "running";
}
