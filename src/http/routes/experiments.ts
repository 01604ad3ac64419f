/** Routes of experiments: two versions of a component, compared on the rows of a dataset. */
import { linkNextPage } from "../listing/paging.ts";
import {
  experimentRecord,
  experimentRecords,
  experimentWithRows,
  toComparedRow,
  toExperimentRecord,
} from "../records/experiments.ts";
import { comparedRowList, experimentList, experimentPath, newExperiment } from "../requests/experiments.ts";
import { idempotencyHeader, idempotencyOf } from "../requests/idempotency.ts";
import { type Access, operationsOf, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "evals", action });

const operation = operationsOf("Evals");

export const experimentRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/experiments",
    access: access("read"),
    operation: operation("list_experiments", "List experiments, the newest first", {
      200: { description: "Experiments. The Link header leads to the next page.", json: experimentRecords },
    }),
    query: experimentList,
    isHeavy: true,
    async handle({ services: { runs }, caller, query, request, reply }) {
      const { rows, next } = await runs.experiments.list(caller, query);
      if (next !== undefined) linkNextPage(String(next), { request, reply });
      return rows.map(toExperimentRecord);
    },
  }),
  route({
    method: "POST",
    path: "/experiments",
    access: access("write"),
    operation: {
      ...operation(
        "create_experiment",
        "Compare two versions of a component on the rows of a dataset, in the background",
        { 202: { description: "The experiment", json: experimentRecord } },
        [...bodyErrors, 429],
      ),
      headers: idempotencyHeader.schema,
    },
    body: newExperiment,
    async handle({ services: { runs }, caller, body, request, reply }) {
      const idempotency = idempotencyOf(request.headers, ["experiment", body]);
      const { stored, isRepeated } = await runs.experiments.create(caller, body, idempotency);
      if (isRepeated) reply.header("idempotency-replayed", "true");
      reply.code(202);
      return toExperimentRecord(stored);
    },
  }),
  route({
    method: "GET",
    path: "/experiments/{experiment_id}",
    access: access("read"),
    operation: operation("get_experiment", "Get an experiment with its progress, and a page of its rows", {
      200: { description: "The experiment. The Link header leads to its next rows.", json: experimentWithRows },
    }),
    pathParams: experimentPath,
    query: comparedRowList,
    isHeavy: true,
    async handle({ services: { runs }, caller, path, query, request, reply }) {
      const { experiment, rows, next } = await runs.experiments.rows(caller, path.experimentId, query);
      if (next !== undefined) linkNextPage(String(next), { request, reply });
      return { ...toExperimentRecord(experiment), rows: rows.map(toComparedRow) };
    },
  }),
  route({
    method: "POST",
    path: "/experiments/{experiment_id}/cancel",
    access: access("write"),
    operation: operation(
      "cancel_experiment",
      "Cancel an experiment with its runs in progress",
      { 200: { description: "The experiment", json: experimentRecord } },
      [...storedErrors, 409],
    ),
    pathParams: experimentPath,
    handle: async ({ services: { runs }, caller, path }) =>
      toExperimentRecord(await runs.experiments.cancel(caller, path.experimentId)),
  }),
  route({
    method: "DELETE",
    path: "/experiments/{experiment_id}",
    access: access("delete"),
    operation: operation("delete_experiment", "Delete an experiment with its results; its runs stay", {
      204: { description: "Deleted" },
    }),
    pathParams: experimentPath,
    async handle({ services: { runs }, caller, path, reply }) {
      await runs.experiments.delete(caller, path.experimentId);
      return reply.code(204).send();
    },
  }),
];
