/** The tools that read the platform, its sessions and their runs. */
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { identifier } from "../../../http/input/identifiers.ts";
import { kinds } from "../../../http/transport/kinds.ts";
import { inputOf, outputOf } from "../../../model/run/stored-run.ts";
import type { ListedComponent } from "../../../runs/describe.ts";
import type { RunRow } from "../../../runs/find.ts";
import { isPermitted } from "../../../runs/permissions.ts";
import type { ListedSession } from "../../../runs/sessions.ts";
import { dataResult, requirementsOf } from "../result.ts";
import { type McpTool, type ToolContext, tool } from "./tool.ts";

const optionalText = z.string().nullable().default(null);
const optionalId = identifier.nullable().default(null);
const sessionType = z.enum(["agent", "team", "workflow"]);
const databaseId = optionalText.describe("Name of the database. A platform has only one.");

/** Maximum number of sessions of a page. */
const maxLimit = 100;

/** Maximum number of runs that a call returns, counted from the last. */
const maxRuns = 100;

function checkDatabase({ platform }: ToolContext, database: string | null): void {
  if (database === null || database === platform.databaseId) return;
  throw new TroupeError("notFound", `There is no database ${JSON.stringify(database.slice(0, 100))}.`);
}

/** `get_agentos_config`: the components that the caller may read. */
export const configTool: McpTool = tool({
  name: "get_agentos_config",
  title: "Get Agentos Config",
  description: "Returns the platform's agents, teams and workflows, with their ids and descriptions.",
  annotations: { idempotentHint: true, readOnlyHint: true },
  input: z.strictObject({}),
  outputSchema: { type: "object", additionalProperties: true },
  isPermitted: ({ services: { runs }, caller }) => isPermitted(() => runs.authorizeRead(caller, "config")),
  call: async ({ services: { runs }, platform, caller }) => {
    runs.authorizeRead(caller, "config");
    const { id, description = null, databaseId: database } = platform;
    const lists = Object.values(kinds).map(({ name, plural }) => {
      return [plural, runs.components(caller, "read", name).map((one) => toSummary(one, database))];
    });
    return { result: dataResult({ os_id: id, description, databases: [database], ...Object.fromEntries(lists) }) };
  },
});

function toSummary({ id, name, description, kind, model, mode }: ListedComponent, database: string): object {
  return {
    ...{ id, name, description: description || null, db_id: database },
    ...(kind === "team" && { mode: mode ?? null }),
    ...(kind !== "workflow" && { model: model ?? null }),
  };
}

/** `get_sessions`. */
export const sessionsTool: McpTool = tool({
  name: "get_sessions",
  title: "Get Sessions",
  description: "Lists sessions of one kind of component, in pages.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    session_type: sessionType.default("agent"),
    component_id: optionalId,
    user_id: optionalId,
    session_name: optionalText.describe("Part of the session's name."),
    limit: z.int().min(1).max(maxLimit).default(20),
    page: z.int().min(1).default(1),
    sort_by: z.string().default("created_at").describe("created_at or updated_at."),
    sort_order: z.enum(["asc", "desc"]).default("desc"),
    db_id: databaseId,
  }),
  outputSchema: { type: "object", additionalProperties: true },
  isHeavy: true,
  isPermitted: ({ services: { runs }, caller }) => isPermitted(() => runs.authorizeRead(caller, "sessions")),
  call: async (context, input) => {
    const { services, caller } = context;
    services.runs.authorizeRead(caller, "sessions");
    checkDatabase(context, input.db_id);
    const { limit, page } = input;
    const { rows, total } = await services.runs.sessions.list(caller, {
      kind: input.session_type,
      componentId: input.component_id ?? undefined,
      userId: input.user_id ?? undefined,
      name: input.session_name ?? undefined,
      sortBy: input.sort_by === "updated_at" ? "updatedAt" : "createdAt",
      descending: input.sort_order === "desc",
      ...{ limit, offset: (page - 1) * limit },
    });
    const meta = { page, limit, total_pages: Math.ceil(total / limit), total_count: total };
    return { result: dataResult({ data: rows.map(toSession), meta }) };
  },
});

function toSession({ sessionId, name, title, userId, kind, componentId, createdAt, updatedAt }: ListedSession): object {
  return {
    session_id: sessionId,
    session_name: name ?? title ?? "",
    session_type: kind,
    [kinds[kind].idParam]: componentId || null,
    user_id: userId,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
  };
}

/** `get_session_runs`. */
export const sessionRunsTool: McpTool = tool({
  name: "get_session_runs",
  title: "Get Session Runs",
  description:
    "Returns the last runs of a session, oldest first: their inputs, answers and statuses. With run_id, only that run.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    session_id: identifier,
    run_id: optionalId,
    session_type: sessionType.nullable().default(null),
    user_id: optionalId,
    db_id: databaseId,
  }),
  outputSchema: {
    type: "object",
    properties: { result: { type: "array", items: { type: "object", additionalProperties: true } } },
    required: ["result"],
  },
  isHeavy: true,
  isPermitted: ({ services: { runs }, caller }) => isPermitted(() => runs.authorizeRead(caller, "sessionRuns")),
  call: async (context, input) => {
    const { services, caller } = context;
    const { sessions } = services.runs;
    services.runs.authorizeRead(caller, "sessionRuns");
    checkDatabase(context, input.db_id);
    const session = await sessions.find(caller, {
      sessionId: input.session_id,
      userId: input.user_id ?? undefined,
      kind: input.session_type ?? undefined,
    });
    if (!session) throw new TroupeError("notFound", "Session not found");
    if (input.run_id !== null) {
      const root = await sessions.run(caller, session, input.run_id);
      if (!root) throw new TroupeError("notFound", "Run not found");
      return { result: dataResult({ result: [toRun(root.run)] }) };
    }
    const found: object[] = [];
    const statuses = ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "ERROR", "CANCELLED"] as const;
    await sessions.runs(session, { statuses, limit: maxRuns, descending: true }, ({ run }) => {
      const shown = toRun(run);
      found.push(shown);
      return JSON.stringify(shown).length;
    });
    return { result: dataResult({ result: found.reverse() }) };
  },
});

function toRun(run: RunRow): object {
  const output = outputOf(run);
  return {
    run_id: run.runId,
    session_id: run.sessionId,
    [kinds[run.kind].idParam]: run.componentId,
    parent_run_id: run.parentRunId,
    user_id: run.userId,
    status: run.status,
    run_input: inputOf(run).message,
    content: output.content ?? output.error?.message ?? null,
    ...(run.status === "PAUSED" && { requirements: requirementsOf(output) }),
    created_at: new Date(run.createdAt).toISOString(),
  };
}
