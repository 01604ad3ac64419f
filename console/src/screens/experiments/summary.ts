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

/** The mean scores of one side of an ended experiment. */
export interface TrendPoint {
  readonly key: string;
  readonly experiment: string;
  readonly name: string;
  readonly endedAt: string;
  readonly version: string;
  readonly scores: ReadonlyMap<string, number>;
}

/** The mean scores of ended experiments over time, the newest first. */
export function trendOf(experiments: readonly Experiment[]): readonly TrendPoint[] {
  return experiments.flatMap((one) =>
    (["a", "b"] as const).flatMap((name): readonly TrendPoint[] => {
      const side = one[name];
      const means = side?.scores.flatMap(({ scorer, mean }) => (mean === null ? [] : [[scorer, mean] as const])) ?? [];
      if (!side || one.ended_at === null || means.length === 0) return [];
      const key = `${one.id} ${name}`;
      const place = { key, experiment: one.id, name: titleOf(one), endedAt: one.ended_at };
      return [{ ...place, version: nameOfVersion(side.version), scores: new Map(means) }];
    }),
  );
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
