/** Paths, queries and bodies of routes of experiments. */
import { z } from "zod";
import type { TrialVersion } from "../../model/trial.ts";
import type { RowPage } from "../../runs/trials/datasets.ts";
import {
  type ExperimentQuery,
  type GivenExperiment,
  maxExperimentRows,
  parallelRuns,
} from "../../runs/trials/experiments.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { fromKeyCursor } from "../listing/paging.ts";

const pageSizes = { usual: 25, most: 100 } as const;

const kinds = z.enum(["agent", "team", "workflow"]);

const pageMembers = {
  limit: z.int().min(1).max(pageSizes.most).default(pageSizes.usual),
  cursor: z.string().nullish().describe("From the Link header of the page before."),
};

/** The path of one experiment. */
export const experimentPath: Reader<{ experimentId: string }> = reader(
  z.object({ experiment_id: identifier }),
  (fields) => ({ experimentId: fields.experiment_id }),
);

/** The query of `GET /experiments`. */
export const experimentList: Reader<ExperimentQuery> = reader(
  z.object({
    dataset_id: identifier.nullish(),
    type: kinds.nullish(),
    component_id: identifier.nullish(),
    ...pageMembers,
  }),
  (fields) => ({
    datasetId: fields.dataset_id ?? undefined,
    kind: fields.type ?? undefined,
    componentId: fields.component_id ?? undefined,
    limit: fields.limit,
    before: fromKeyCursor(fields.cursor),
  }),
);

/** The query of `GET /experiments/{experiment_id}`. */
export const comparedRowList: Reader<Omit<RowPage, "maxBytes">> = reader(z.object(pageMembers), (fields) => ({
  limit: fields.limit,
  after: fromKeyCursor(fields.cursor),
}));

const version = z
  .union([z.literal("code"), z.int().min(1)])
  .nullish()
  .describe('The number of a version, or "code". Default: the version that runs use when the row begins.');

const scorer = z.union([z.string().min(1), z.looseObject({ name: z.string().min(1) })]);

/** The body of `POST /experiments`. */
export const newExperiment: BodySpec<GivenExperiment> = {
  name: "ExperimentCreate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      name: z.string().min(1).max(200).nullish(),
      dataset_id: identifier,
      component_type: kinds,
      component_id: identifier,
      version_a: version,
      version_b: version,
      scorers: z.array(scorer).max(10).nullish(),
      parallel: z
        .int()
        .min(1)
        .max(parallelRuns.most)
        .default(parallelRuns.usual)
        .describe("Max runs that it executes at the same time."),
      max_rows: z
        .int()
        .min(1)
        .max(maxExperimentRows)
        .nullish()
        .describe("Only the first rows of the dataset. Default: all."),
    }),
    (fields) => ({
      name: fields.name ?? null,
      datasetId: fields.dataset_id,
      kind: fields.component_type,
      componentId: fields.component_id,
      versions: { a: toVersion(fields.version_a), b: toVersion(fields.version_b) },
      scorers: fields.scorers ?? [],
      parallel: fields.parallel,
      maxRows: fields.max_rows ?? undefined,
    }),
  ),
};

function toVersion(given: "code" | number | null | undefined): TrialVersion {
  return given ?? undefined;
}
