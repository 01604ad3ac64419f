/** Stores the trace of a root run, once, in the transaction that compacts its log. */
import { type Insertable, sql } from "kysely";
import type { ComponentKind } from "../../../model/run/run.ts";
import { optionsOf } from "../../../model/run/stored-run.ts";
import type { TraceBuilder } from "../../../model/trace/derive.ts";
import { traceIdOf } from "../../../model/trace/ids.ts";
import type { TracedRun } from "../../../model/trace/span.ts";
import { toStoredSpans } from "../../../model/trace/stored.ts";
import type { Database } from "../../database.ts";
import { type Encryption, sealText } from "../../encryption/encryption.ts";
import type { Tables } from "../../rows/tables.ts";
import { bind, run, type Transaction } from "../../transaction.ts";

/** A root run whose trace is stored. */
export interface TracedRow {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly userId: string | null;
  readonly createdAt: number;
  readonly options: string;
  readonly sessionKey: number;
  readonly sessionId: string;
}

/** Returns the facts of a run that its spans show. */
export function toTracedRun({ options, ...row }: Omit<TracedRow, "sessionKey">): TracedRun {
  const { traceparent } = options.includes('"traceparent"') ? optionsOf({ options }) : {};
  return { ...row, traceparent };
}

/** Reads the run of a trace, for statements over `runs as r` and `sessions as s`. */
export const tracedColumns = [
  "r.key",
  "r.run_id as runId",
  "r.kind",
  "r.component_id as componentId",
  "r.component_name as componentName",
  "r.user_id as userId",
  "r.created_at as createdAt",
  "r.options",
  "s.key as sessionKey",
  "s.session_id as sessionId",
] as const;

/** The values of a trace's row, in the order of its statement. */
export type TraceValues = readonly unknown[];

/** Returns the row of a run's trace. */
export function toTraceValues(key: number, row: TracedRow, trace: TraceBuilder, encryption?: Encryption): TraceValues {
  const { name, status, startedAt, endedAt, spans, errors, inputTokens, outputTokens } = trace.totals();
  const { sessionKey, userId, kind, componentId } = row;
  const { runId, traceparent } = toTracedRun(row);
  const stored = sealText(encryption, "traces.spans", [key], toStoredSpans(trace.spans()));
  return [
    ...[key, traceIdOf(runId, traceparent), sessionKey, sessionKey, userId, kind, componentId, name],
    ...[status === "ERROR" ? status : "OK", startedAt, endedAt ?? startedAt],
    ...[spans, errors, inputTokens, outputTokens, stored],
  ];
}

/** Makes the statement that stores a trace, unless it is stored. */
export function insertTrace({ dialect: { db } }: Database): (values: TraceValues) => Transaction<number> {
  const placeholders: Insertable<Tables["traces"]> = {
    ...{ run_key: 0, trace_id: "", session_key: 0, owner: "", user_id: "", kind: "agent", component_id: "", name: "" },
    ...{ status: "OK", started_at: 0, ended_at: 0, span_count: 0, error_count: 0, input_tokens: 0, output_tokens: 0 },
    spans: "",
  };
  // The owner is read in the same transaction: another process may be giving the session to its user.
  const owner = sql<string>`coalesce((select owner from sessions where key = ${0}), '')`;
  const statement = db
    .insertInto("traces")
    .values({ ...placeholders, owner })
    .onConflict((conflict) => conflict.column("run_key").doNothing())
    .compile();
  return (values) => run({ compile: () => bind(statement, values) });
}
