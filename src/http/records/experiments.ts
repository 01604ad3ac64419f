/** Experiments in their wire form. Costs are US dollars, durations are seconds. */
import { z } from "zod";
import { type ExperimentSummary, experimentStatuses, type Side, type SideSummary } from "../../model/trial.ts";
import { toDollars } from "../../model/usage/cost.ts";
import type { ComparedRow, ExperimentResult, StoredExperiment } from "../../runs/trials/experiments.ts";
import { named } from "../input/named-schemas.ts";
import { toRowRecord } from "./datasets.ts";

const sideSummary = named(
  "ExperimentSide",
  z.object({
    version: z
      .union([z.literal("code"), z.int()])
      .nullable()
      .describe("Null: the version that runs use."),
    finished: z.int().describe("Results so far."),
    failures: z.int().describe("Runs that did not complete."),
    scores: z
      .array(z.object({ scorer: z.string(), mean: z.number().nullable(), count: z.int() }))
      .describe("The mean of the scores of each scorer, from 0 to 1, and their number."),
    cost: z.number().nullable().describe("Sum of the known costs in US dollars; null if none is known."),
    latency_p50: z.number().nullable().describe("Seconds, of completed runs."),
    latency_p95: z.number().nullable(),
  }),
);

const experiment = z.object({
  id: z.string(),
  name: z.string().nullable(),
  dataset_id: z.string(),
  component_type: z.enum(["agent", "team", "workflow"]),
  component_id: z.string(),
  scorers: z.array(z.unknown()),
  parallel: z.int(),
  status: z.enum(experimentStatuses),
  total: z.int().describe("Results that it will have: two for each row."),
  finished: z.int().describe("Results that it has."),
  error: z
    .string()
    .nullable()
    .describe("Why it failed, or was cancelled because its creator may not start runs any more."),
  user_id: z.string().nullable().describe("Who created it."),
  a: sideSummary.nullable().describe("Null in a list until the experiment has ended."),
  b: sideSummary.nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
});

const result = named(
  "ExperimentResult",
  z.object({
    run_id: z.string(),
    status: z.string(),
    output: z.string().nullable(),
    error: z.string().nullable(),
    scores: z.array(z.object({ scorer: z.string(), score: z.number().nullable(), reason: z.string().nullable() })),
    cost: z.number().nullable(),
    latency: z.number().nullable(),
  }),
);

const comparedRow = named(
  "ExperimentRow",
  z.object({
    id: z.string(),
    input: z.string(),
    expected: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    run_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    a: result.nullable().describe("Null until the row has a result on this side."),
    b: result.nullable(),
  }),
);

/** An experiment. */
export const experimentRecord: z.ZodType = named("Experiment", experiment);

/** A page of experiments. */
export const experimentRecords: z.ZodType = z.array(experimentRecord);

/** An experiment with a page of its rows. */
export const experimentWithRows: z.ZodType = named(
  "ExperimentWithRows",
  experiment.extend({ rows: z.array(comparedRow) }),
);

export function toExperimentRecord(
  one: Omit<StoredExperiment, "summary"> & { readonly summary: ExperimentSummary | null },
): Record<string, unknown> {
  const { definition, summary } = one;
  const side = (name: Side) => summary && toSide(summary.sides[name], definition.versions[name] ?? null);
  return {
    ...{ id: one.id, name: definition.name, dataset_id: one.datasetId, component_type: one.kind },
    ...{ component_id: one.componentId, scorers: [...definition.scorers], parallel: definition.parallel },
    ...{ status: one.status, total: one.total, finished: one.finished, error: summary?.error ?? null },
    ...{ user_id: one.userId, a: side("a"), b: side("b"), created_at: new Date(one.createdAt).toISOString() },
    started_at: one.startedAt === null ? null : new Date(one.startedAt).toISOString(),
    ended_at: one.endedAt === null ? null : new Date(one.endedAt).toISOString(),
  } satisfies z.input<typeof experiment>;
}

function toSide({ finished, failures, scores, nanos, latency }: SideSummary, version: number | "code" | null) {
  return {
    ...{ version, finished, failures, scores: scores.map((one) => ({ ...one })) },
    cost: nanos === null ? null : toDollars(nanos),
    latency_p50: latency && latency.p50 / 1_000,
    latency_p95: latency && latency.p95 / 1_000,
  } satisfies z.input<typeof sideSummary>;
}

export function toComparedRow({ results, ...row }: ComparedRow): Record<string, unknown> {
  const of = (side: Side) => {
    const found = results.find((one) => one.side === side);
    return found ? toResult(found) : null;
  };
  return { ...toRowRecord(row), a: of("a"), b: of("b") };
}

function toResult({ runId, status, output, error, scores, nanos, milliseconds }: ExperimentResult) {
  return {
    ...{ run_id: runId, status, output, error },
    scores: scores.map(({ scorer, score, reason = null }) => ({ scorer, score, reason })),
    cost: nanos === null ? null : toDollars(nanos),
    latency: milliseconds === null ? null : milliseconds / 1_000,
  } satisfies z.input<typeof result>;
}
