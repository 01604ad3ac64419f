/** Routes of datasets: inputs with expected answers, for evaluations and experiments. */
import { linkNextPage } from "../listing/paging.ts";
import {
  addedRows,
  datasetRecord,
  datasetRecords,
  datasetWithRows,
  toDatasetRecord,
  toRowRecord,
} from "../records/datasets.ts";
import {
  datasetChange,
  datasetList,
  datasetPath,
  newDataset,
  newRows,
  rowList,
  rowPath,
} from "../requests/datasets.ts";
import { idempotencyHeader, idempotencyOf } from "../requests/idempotency.ts";
import { type Access, type Operation, operationsOf, type Route, route } from "../transport/route.ts";
import { bodyErrors } from "../transport/statuses.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "evals", action });

const operation = operationsOf("Evals");

const deleted: Operation["success"] = { 204: { description: "Deleted" } };

export const datasetRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/datasets",
    access: access("read"),
    operation: operation("list_datasets", "List datasets, the newest first", {
      200: { description: "Datasets. The Link header leads to the next page.", json: datasetRecords },
    }),
    query: datasetList,
    isHeavy: true,
    async handle({ services: { runs }, caller, query, request, reply }) {
      const { rows, next } = await runs.datasets.list(caller, query);
      if (next !== undefined) linkNextPage(String(next), { request, reply });
      return rows.map(toDatasetRecord);
    },
  }),
  route({
    method: "POST",
    path: "/datasets",
    access: access("write"),
    operation: {
      ...operation(
        "create_dataset",
        "Create a dataset, with rows of the request and of stored runs",
        { 201: { description: "The dataset", json: datasetRecord } },
        [...bodyErrors, 409],
      ),
      headers: idempotencyHeader.schema,
    },
    body: newDataset,
    async handle({ services: { runs }, caller, body, request, reply }) {
      const idempotency = idempotencyOf(request.headers, ["dataset", body]);
      const { stored, isRepeated } = await runs.datasets.create(caller, body, idempotency);
      if (isRepeated) reply.header("idempotency-replayed", "true");
      reply.code(201);
      return toDatasetRecord(stored);
    },
  }),
  route({
    method: "GET",
    path: "/datasets/{dataset_id}",
    access: access("read"),
    operation: operation("get_dataset", "Get a dataset with a page of its rows", {
      200: { description: "The dataset. The Link header leads to its next rows.", json: datasetWithRows },
    }),
    pathParams: datasetPath,
    query: rowList,
    isHeavy: true,
    async handle({ services: { runs }, caller, path, query, request, reply }) {
      const { dataset, rows, next } = await runs.datasets.rows(caller, path.datasetId, query);
      if (next !== undefined) linkNextPage(String(next), { request, reply });
      return { ...toDatasetRecord(dataset), rows: rows.map(toRowRecord) };
    },
  }),
  route({
    method: "PATCH",
    path: "/datasets/{dataset_id}",
    access: access("write"),
    operation: operation(
      "update_dataset",
      "Change the name or the description of a dataset",
      { 200: { description: "The dataset", json: datasetRecord } },
      bodyErrors,
    ),
    pathParams: datasetPath,
    body: datasetChange,
    handle: async ({ services: { runs }, caller, path, body }) =>
      toDatasetRecord(await runs.datasets.change(caller, path.datasetId, body)),
  }),
  route({
    method: "DELETE",
    path: "/datasets/{dataset_id}",
    access: access("delete"),
    operation: operation("delete_dataset", "Delete a dataset with its rows and its experiments", deleted),
    pathParams: datasetPath,
    async handle({ services: { runs }, caller, path, reply }) {
      await runs.datasets.delete(caller, path.datasetId);
      return reply.code(204).send();
    },
  }),
  route({
    method: "POST",
    path: "/datasets/{dataset_id}/rows",
    access: access("write"),
    operation: operation(
      "add_dataset_rows",
      "Add rows of the request, of a table, of stored runs, or of runs with feedback",
      { 201: { description: "The dataset, and how many rows were added", json: addedRows } },
      [...bodyErrors, 409],
    ),
    pathParams: datasetPath,
    body: newRows,
    async handle({ services: { runs }, caller, path, body, reply }) {
      const { added, dataset } = await runs.datasets.add(caller, path.datasetId, body);
      reply.code(201);
      return { ...toDatasetRecord(dataset), added };
    },
  }),
  route({
    method: "DELETE",
    path: "/datasets/{dataset_id}/rows/{row_id}",
    access: access("delete"),
    operation: operation("delete_dataset_row", "Delete a row with its results in experiments", deleted),
    pathParams: rowPath,
    async handle({ services: { runs }, caller, path, reply }) {
      await runs.datasets.deleteRow(caller, path.datasetId, path.rowId);
      return reply.code(204).send();
    },
  }),
];
