/** Routes of runs; they are the same for every component kind. */
import { z } from "zod";
import { startBody, startHeaders } from "../../input/start-form.ts";
import { listElements } from "../../records/run-list.ts";
import { componentPath, listQueries, optionalSessionQuery, runPath, sessionQueries } from "../../requests/queries.ts";
import { eventsQuery, lastEventId, resumeBody } from "../../requests/resume.ts";
import type { Kind } from "../../transport/kinds.ts";
import { type Access, type Route, route } from "../../transport/route.ts";
import { bodyErrors, storedErrors } from "../../transport/statuses.ts";
import { cancelRun, checkFactoryInput, deleteRun, listRuns, readRun } from "./read.ts";
import { readEvents, resumeRun } from "./resume.ts";
import { admitStart, startRun } from "./start.ts";

/** The routes that start, list, read, delete, cancel and resume runs of a component kind. */
export function runRoutes(kind: Kind): readonly Route[] {
  const { name, plural, idParam, tag } = kind;
  const runs = `/${plural}/{${idParam}}/runs`;
  const one = `${runs}/{run_id}`;
  const reads: Access = { resource: plural, action: "read", idParam };
  const starts: Access = { resource: plural, action: "run", idParam };
  return [
    route({
      method: "POST",
      path: runs,
      access: starts,
      operation: {
        id: `create_${name}_run`,
        tag,
        summary: `Start a run of the ${name}: stream its events (default), wait for its result, or run it in the background`,
        security: "bearer",
        success: {
          200: { description: "The stream of the run's events, or the finished run", json: "any", eventStream: true },
          202: { description: "Accepted, to be executed in the background", json: "any" },
        },
        errors: [...bodyErrors, 429, 502],
        headers: startHeaders.schema,
      },
      pathParams: componentPath(idParam),
      body: startBody(name),
      admit: admitStart(runs),
      handle: (call) => startRun(kind, call),
    }),
    route({
      method: "GET",
      path: runs,
      access: reads,
      operation: {
        id: `list_${name}_runs`,
        tag,
        summary: `List the runs of the ${name}, oldest first, in pages`,
        security: "bearer",
        success: { 200: { description: "Runs", json: z.array(listElements[name]) } },
        errors: storedErrors,
      },
      pathParams: componentPath(idParam),
      query: listQueries[name],
      isHeavy: true,
      prepare: (call) => checkFactoryInput(kind, call),
      handle: (call) => listRuns(kind, call),
    }),
    route({
      method: "GET",
      path: one,
      access: reads,
      operation: {
        id: `get_${name}_run`,
        tag,
        summary: `Get a run of the ${name}`,
        security: "bearer",
        success: { 200: { description: "The run", json: "any" } },
        errors: storedErrors,
      },
      pathParams: runPath(idParam),
      query: sessionQueries[name],
      isHeavy: true,
      prepare: (call) => checkFactoryInput(kind, call),
      handle: (call) => readRun(kind, call),
    }),
    route({
      method: "DELETE",
      path: one,
      access: { resource: plural, action: "delete", idParam },
      operation: {
        id: `delete_${name}_run`,
        tag,
        summary: `Delete a run of the ${name}; a run in progress is cancelled first`,
        security: "bearer",
        success: { 204: { description: "Deleted" } },
        errors: storedErrors,
      },
      pathParams: runPath(idParam),
      query: optionalSessionQuery,
      handle: (call) => deleteRun(kind, call),
    }),
    route({
      method: "POST",
      path: `${one}/cancel`,
      access: starts,
      operation: {
        id: `cancel_${name}_run`,
        tag,
        summary: "Cancel a run; a finished run does not change",
        security: "bearer",
        success: { 200: { description: "Cancellation requested", json: "any" } },
        errors: storedErrors,
      },
      pathParams: runPath(idParam),
      query: optionalSessionQuery,
      handle: (call) => cancelRun(kind, call),
    }),
    route({
      method: "POST",
      path: `${one}/resume`,
      access: starts,
      operation: {
        id: `resume_${name}_run_stream`,
        tag,
        summary: "Resume the event stream of a run after the last received event",
        security: "optional",
        success: { 200: { description: "The missed events, then new ones", json: "any", eventStream: true } },
        errors: [...bodyErrors, 429],
        headers: lastEventId.schema,
      },
      pathParams: runPath(idParam),
      body: resumeBody(name),
      handle: (call) => resumeRun(kind, call),
    }),
    route({
      method: "GET",
      path: `${one}/events`,
      access: reads,
      operation: {
        id: `read_${name}_run_events`,
        tag,
        summary: "Stream the events of a run after the last received event, without the right to continue the run",
        security: "bearer",
        success: { 200: { description: "The stored events, then new ones", json: "any", eventStream: true } },
        errors: [...storedErrors, 429],
        headers: lastEventId.schema,
      },
      pathParams: runPath(idParam),
      query: eventsQuery,
      handle: (call) => readEvents(kind, call),
    }),
  ];
}
