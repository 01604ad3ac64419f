/** Paths, queries and bodies of routes of datasets. */
import { z } from "zod";
import { ratings, type TrialRow } from "../../model/trial.ts";
import { rowsOfCsv } from "../../runs/trials/csv.ts";
import { type GivenDataset, type GivenRows, maxAddedRows, type RowPage } from "../../runs/trials/datasets.ts";
import type { BodySpec } from "../input/body.ts";
import { listOf } from "../input/bounded-lists.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { UploadedFile } from "../input/multipart.ts";
import { invalid } from "../input/validation-errors.ts";
import { fromKeyCursor } from "../listing/paging.ts";

const pageSizes = { usual: 25, most: 100 } as const;

/** Max characters of the JSON text of a row's metadata. */
const maxMetadata = 20_000;

/** Max characters of a name, and of a description. */
const maxTexts = { name: 200, description: 4_000 } as const;

/** The path of one dataset. */
export const datasetPath: Reader<{ datasetId: string }> = reader(z.object({ dataset_id: identifier }), (fields) => ({
  datasetId: fields.dataset_id,
}));

/** The path of one row. */
export const rowPath: Reader<{ datasetId: string; rowId: string }> = reader(
  z.object({ dataset_id: identifier, row_id: identifier }),
  (fields) => ({ datasetId: fields.dataset_id, rowId: fields.row_id }),
);

const pageMembers = {
  limit: z.int().min(1).max(pageSizes.most).default(pageSizes.usual),
  cursor: z.string().nullish().describe("From the Link header of the page before."),
};

/** The query of `GET /datasets`. */
export const datasetList: Reader<{ readonly limit: number; readonly before: number | undefined }> = reader(
  z.object(pageMembers),
  ({ limit, cursor }) => ({ limit, before: fromKeyCursor(cursor) }),
);

/** The query of `GET /datasets/{dataset_id}`, and of other pages of rows. */
export const rowList: Reader<Omit<RowPage, "maxBytes">> = reader(z.object(pageMembers), ({ limit, cursor }) => ({
  limit,
  after: fromKeyCursor(cursor),
}));

const text = z.union([z.string().min(1), z.record(z.string(), z.unknown()), z.array(z.unknown())]);

const row = z.object({
  input: text.describe("The message of a run. An object or a list is sent as its JSON text."),
  expected: text.nullish().describe("The expected answer."),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

const file = z
  .custom<UploadedFile>((value) => value instanceof UploadedFile, "must be an uploaded file")
  .meta({ type: "string", contentMediaType: "application/octet-stream" });

const rowMembers = {
  rows: z.array(row).max(maxAddedRows).nullish(),
  csv: z.string().nullish().describe("A table whose first line names its columns: input, expected, and metadata."),
  file: listOf(file).nullish().describe("The table as a file."),
  run_ids: z.array(identifier).max(maxAddedRows).nullish().describe("Stored runs: their inputs and answers."),
  feedback: z
    .object({
      rating: z.enum(ratings).nullish(),
      type: z.enum(["agent", "team", "workflow"]).nullish(),
      component_id: identifier.nullish(),
      limit: z.int().min(1).max(maxAddedRows).default(100),
    })
    .nullish()
    .describe("The runs with the newest feedback that matches."),
  with_expected: z
    .boolean()
    .default(true)
    .describe("Whether the answers of stored runs become expected answers; never those with a thumbs-down."),
};

type RowFields = z.output<z.ZodObject<typeof rowMembers>>;

function toGiven(fields: RowFields): GivenRows {
  const upload = fields.file?.at(-1);
  const rows = (fields.rows ?? []).map(toTrialRow);
  const ofCsv = fields.csv == null ? [] : rowsOfCsv(fields.csv);
  const ofFile = upload ? rowsOfCsv(textOf(upload)) : [];
  const { feedback } = fields;
  const given = {
    rows: [...rows, ...ofCsv, ...ofFile],
    runIds: fields.run_ids ?? [],
    withExpected: fields.with_expected,
    feedback: feedback
      ? {
          kind: feedback.type ?? undefined,
          componentId: feedback.component_id ?? undefined,
          rating: feedback.rating ?? undefined,
          limit: feedback.limit,
        }
      : undefined,
  };
  if (given.rows.length + given.runIds.length + (feedback?.limit ?? 0) > maxAddedRows)
    throw wrong("rows", `one request adds at most ${maxAddedRows} rows`);
  return given;
}

function toTrialRow({ input, expected, metadata }: z.output<typeof row>): TrialRow {
  if (metadata && JSON.stringify(metadata).length > maxMetadata) throw wrong("rows", "metadata is too large");
  return { input: asText(input), expected: expected == null ? null : asText(expected), metadata: metadata ?? null };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textOf({ data }: UploadedFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(data);
  } catch {
    throw wrong("file", "the file must be UTF-8 text");
  }
}

function wrong(member: string, message: string) {
  return invalid([{ type: "value_error", loc: ["body", member], msg: `Value error, ${message}`, input: null }]);
}

const name = z.string().min(1).max(maxTexts.name);
const description = z.string().max(maxTexts.description).nullish();

/** The body of `POST /datasets`. */
export const newDataset: BodySpec<GivenDataset> = {
  name: "DatasetCreate",
  types: ["json", "multipart"],
  required: true,
  reader: reader(z.object({ name, description, ...rowMembers }), (fields) => ({
    name: fields.name,
    description: fields.description ?? null,
    rows: toGiven(fields),
  })),
};

/** The body of `PATCH /datasets/{dataset_id}`. */
export const datasetChange: BodySpec<{ readonly name?: string; readonly description?: string }> = {
  name: "DatasetUpdate",
  types: ["json"],
  required: true,
  reader: reader(z.object({ name: name.nullish(), description }), (fields) => ({
    ...(fields.name != null && { name: fields.name }),
    ...(fields.description != null && { description: fields.description }),
  })),
};

/** The body of `POST /datasets/{dataset_id}/rows`. */
export const newRows: BodySpec<GivenRows> = {
  name: "DatasetRowsCreate",
  types: ["json", "multipart"],
  required: true,
  reader: reader(z.object(rowMembers), (fields) => {
    const given = toGiven(fields);
    if (given.rows.length + given.runIds.length === 0 && !given.feedback)
      throw wrong("rows", "give rows, csv, file, run_ids or feedback");
    return given;
  }),
};
