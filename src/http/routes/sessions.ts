/** Routes of sessions, for all component kinds. */
import { z } from "zod";
import { listElements } from "../records/run-list.ts";
import { sessionDetail, sessionPage } from "../records/sessions.ts";
import {
  changedSession,
  createQuery,
  deleteChoice,
  deletedSessions,
  newSession,
  renamedSession,
  sessionChoice,
  sessionListQuery,
  sessionPath,
  sessionRunPath,
  sessionRunsQuery,
} from "../requests/sessions.ts";
import { type Access, operationsOf, type Route, route } from "../transport/route.ts";
import { bodyErrors } from "../transport/statuses.ts";
import {
  changeSession,
  createSession,
  deleteSession,
  deleteSessions,
  listSessionRuns,
  listSessions,
  readSession,
  readSessionRun,
} from "./session-calls.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "sessions", action });
const anyRun = z.union([listElements.agent, listElements.team, listElements.workflow]);

const operation = operationsOf("Sessions");

export const sessionRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/sessions",
    access: access("read"),
    operation: operation("get_sessions", "List sessions, in pages", {
      200: { description: "Sessions", json: sessionPage },
    }),
    query: sessionListQuery,
    handle: listSessions,
  }),
  route({
    method: "POST",
    path: "/sessions",
    access: access("write"),
    operation: operation(
      "create_session",
      "Create a session before its first run",
      { 201: { description: "The session", json: sessionDetail } },
      [...bodyErrors, 409],
    ),
    query: createQuery,
    body: newSession,
    handle: createSession,
  }),
  route({
    method: "DELETE",
    path: "/sessions",
    access: access("delete"),
    operation: operation(
      "delete_sessions",
      "Delete sessions with their runs",
      { 204: { description: "Deleted" } },
      bodyErrors,
    ),
    query: deleteChoice,
    body: deletedSessions,
    handle: deleteSessions,
  }),
  route({
    method: "GET",
    path: "/sessions/{session_id}",
    access: access("read"),
    operation: operation("get_session_by_id", "Get a session with its messages", {
      200: { description: "The session", json: sessionDetail },
    }),
    pathParams: sessionPath,
    query: sessionChoice,
    isHeavy: true,
    handle: readSession,
  }),
  route({
    method: "DELETE",
    path: "/sessions/{session_id}",
    access: access("delete"),
    operation: operation("delete_session", "Delete a session with its runs", { 204: { description: "Deleted" } }),
    pathParams: sessionPath,
    query: deleteChoice,
    handle: deleteSession,
  }),
  route({
    method: "PATCH",
    path: "/sessions/{session_id}",
    access: access("write"),
    operation: operation(
      "update_session",
      "Change a session; omitted fields keep their values",
      { 200: { description: "The session", json: sessionDetail } },
      bodyErrors,
    ),
    pathParams: sessionPath,
    query: sessionChoice,
    body: changedSession,
    handle: changeSession,
  }),
  route({
    method: "GET",
    path: "/sessions/{session_id}/runs",
    access: access("read"),
    operation: operation("get_session_runs", "List the runs of a session and of team members, oldest first", {
      200: { description: "Runs", json: z.array(anyRun) },
    }),
    pathParams: sessionPath,
    query: sessionRunsQuery,
    isHeavy: true,
    handle: listSessionRuns,
  }),
  route({
    method: "GET",
    path: "/sessions/{session_id}/runs/{run_id}",
    access: access("read"),
    operation: operation("get_session_run", "Get a run of a session", {
      200: { description: "The run", json: anyRun },
    }),
    pathParams: sessionRunPath,
    query: sessionChoice,
    isHeavy: true,
    handle: readSessionRun,
  }),
  route({
    method: "POST",
    path: "/sessions/{session_id}/rename",
    access: access("write"),
    operation: operation(
      "rename_session",
      "Rename a session",
      { 200: { description: "The session", json: sessionDetail } },
      bodyErrors,
    ),
    pathParams: sessionPath,
    query: sessionChoice,
    body: renamedSession,
    handle: changeSession,
  }),
];
