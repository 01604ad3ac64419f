/** Datasets in their wire form. */
import { z } from "zod";
import type { DatasetRow, StoredDataset } from "../../runs/trials/datasets.ts";
import { named } from "../input/named-schemas.ts";

const dataset = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  row_count: z.int(),
  user_id: z.string().nullable().describe("Who created it."),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

const row = z.object({
  id: z.string(),
  input: z.string(),
  expected: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  run_id: z.string().nullable().describe("The run from which it was made."),
  created_at: z.iso.datetime(),
});

/** A dataset. */
export const datasetRecord: z.ZodType = named("Dataset", dataset);

/** A page of datasets. */
export const datasetRecords: z.ZodType = z.array(datasetRecord);

/** A dataset with a page of its rows. */
export const datasetWithRows: z.ZodType = named(
  "DatasetWithRows",
  dataset.extend({ rows: z.array(named("DatasetRow", row)) }),
);

/** The result of a request that adds rows. */
export const addedRows: z.ZodType = named("DatasetRowsAdded", dataset.extend({ added: z.int() }));

export function toDatasetRecord(one: StoredDataset): Record<string, unknown> {
  return {
    ...{ id: one.id, name: one.name, description: one.description, row_count: one.rows, user_id: one.userId },
    created_at: new Date(one.createdAt).toISOString(),
    updated_at: new Date(one.updatedAt).toISOString(),
  } satisfies z.input<typeof dataset>;
}

export function toRowRecord(one: DatasetRow): Record<string, unknown> {
  return {
    ...{ id: one.id, input: one.input, expected: one.expected, run_id: one.runId },
    metadata: one.metadata === null ? null : { ...one.metadata },
    created_at: new Date(one.createdAt).toISOString(),
  } satisfies z.input<typeof row>;
}
