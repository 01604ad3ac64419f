/** Reads traces. Compaction stores them; see `trace-writes.ts`. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import {
  conjunctsOf,
  isComparison,
  type TraceComparison,
  type TraceField,
  type TraceFilter,
} from "../../../model/trace/filter.ts";
import type { TraceRow, TraceSession, TraceStore } from "../../contract/traces.ts";
import type { ReadableDatabase } from "../../database.ts";
import { fittingTexts } from "../../rows/large-columns.ts";
import { asciiLower } from "../sessions/sessions.ts";

/** Max traces counted: beyond it, the total is this number, or the end of the page if that is more. */
const maxCounted = 10_000;

/** Number of newest traces that comparisons without an index cover. */
const maxSearched = 10_000;

type Condition = RawBuilder<SqlBool>;

/** Columns of the fields, for `traces as t`, `runs as r` and `sessions as s`. */
const columns: Readonly<Record<TraceField, RawBuilder<unknown>>> = {
  traceId: sql`t.trace_id`,
  runId: sql`r.run_id`,
  sessionId: sql`s.session_id`,
  userId: sql`t.user_id`,
  agentId: sql`case when t.kind = 'agent' then t.component_id end`,
  teamId: sql`case when t.kind = 'team' then t.component_id end`,
  workflowId: sql`case when t.kind = 'workflow' then t.component_id end`,
  name: sql`t.name`,
  status: sql`t.status`,
  startedAt: sql`t.started_at`,
  endedAt: sql`t.ended_at`,
  duration: sql`(t.ended_at - t.started_at)`,
};

const signs = { eq: "=", neq: "<>", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** A condition that an index of traces answers: the narrowest one is the condition of the read, and the others apply to its rows. */
const indexed: readonly ((of: TraceComparison) => Condition | undefined)[] = [
  equal("traceId", (value) => sql`t.trace_id = ${value}`),
  equal("runId", (value) => sql`t.run_key = (select key from runs where run_id = ${value})`),
  equal("sessionId", (value) => sql`t.session_key in (select key from sessions where session_id = ${value})`),
  equal("userId", (value) => sql`t.user_id = ${value}`),
  equal("agentId", (value) => sql`t.kind = 'agent' and t.component_id = ${value}`),
  equal("teamId", (value) => sql`t.kind = 'team' and t.component_id = ${value}`),
  equal("workflowId", (value) => sql`t.kind = 'workflow' and t.component_id = ${value}`),
  // A literal instead of a parameter, so that the partial index of failed traces applies.
  equal("status", (value) => (value === "ERROR" ? sql`t.status = 'ERROR'` : undefined)),
];

/** Number of conditions at the beginning of `indexed` that are narrower than the owner of an isolated caller. */
const narrowerThanOwner = 3;

/** Makes the trace store of a database. */
export function traceStore(database: ReadableDatabase): TraceStore {
  const { db } = database.dialect;

  /** Traces that the caller may see, under the condition of one index and the bounds of the start. The other conditions are `rest`. */
  function candidates(caller: Principal, filter: TraceFilter) {
    let query = db.selectFrom("traces as t");
    const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
    if (owner !== null) query = query.where("t.owner", "=", owner);
    if (session !== null) query = query.where(toCondition({ op: "eq", field: "sessionId", value: session }, true));
    const conjuncts = conjunctsOf(filter);
    const isBound = (one: TraceFilter) => isComparison(one) && one.field === "startedAt" && one.op !== "neq";
    const usable = owner !== null ? narrowerThanOwner : indexed.length;
    const key = session === null ? narrowest(conjuncts, usable) : undefined;
    if (key) query = query.where(key.condition);
    // The index of an owner's traces has this predicate, and applies unless another index is narrower.
    if (owner && !key && session === null) query = query.where("t.owner", "<>", sql.lit(""));
    for (const one of conjuncts) if (isBound(one)) query = query.where(toCondition(one));
    const rest = conjuncts.filter((one) => one !== key?.of && !isBound(one));
    // A trace that ended before a time began before it.
    for (const one of rest) {
      if (isComparison(one) && one.field === "endedAt" && (one.op === "lt" || one.op === "lte"))
        query = query.where(toCondition({ ...one, field: "startedAt" }));
    }
    return { query, rest };
  }

  /** Keys of the traces that fit, newest first. */
  function matching(caller: Principal, filter: TraceFilter) {
    const { query, rest } = candidates(caller, filter);
    const keys = query
      .select(["t.run_key", "t.session_key", "t.started_at"])
      .orderBy("t.started_at", "desc")
      .orderBy("t.run_key", "desc");
    if (rest.length === 0) return keys;
    const newest = query.selectAll("t").orderBy("t.started_at", "desc").orderBy("t.run_key", "desc").limit(maxSearched);
    return db
      .selectFrom(newest.as("t"))
      .innerJoin("runs as r", "r.key", "t.run_key")
      .innerJoin("sessions as s", "s.key", "t.session_key")
      .where((eb) => eb.and(rest.map((one) => toCondition(one))))
      .select(["t.run_key", "t.session_key", "t.started_at"])
      .orderBy("t.started_at", "desc")
      .orderBy("t.run_key", "desc") as unknown as typeof keys;
  }

  /** Counts all traces of sessions that fit, not only the newest. */
  async function sumsOf(filter: TraceFilter, sessionKeys: readonly number[]) {
    if (sessionKeys.length === 0) return new Map();
    const query = db
      .selectFrom("traces as t")
      .innerJoin("runs as r", "r.key", "t.run_key")
      .innerJoin("sessions as s", "s.key", "t.session_key")
      .where("t.session_key", "in", sessionKeys)
      .where(toCondition(filter))
      .groupBy("t.session_key")
      .select(["t.session_key as key", sql<number>`count(*)`.as("traces")])
      .select([sql<number>`min(t.started_at)`.as("firstAt"), sql<number>`max(t.started_at)`.as("lastAt")]);
    const sums = await database.read(query.compile());
    return new Map(
      sums.map(({ key, ...sum }) => [
        key,
        { traces: Number(sum.traces), firstAt: Number(sum.firstAt), lastAt: Number(sum.lastAt) },
      ]),
    );
  }

  function rows() {
    return db
      .selectFrom("traces as t")
      .innerJoin("runs as r", "r.key", "t.run_key")
      .innerJoin("sessions as s", "s.key", "t.session_key")
      .select(["t.run_key as key", "t.trace_id as traceId", "r.run_id as runId", "s.session_id as sessionId"])
      .select(["t.user_id as userId", "t.kind", "t.component_id as componentId", "t.name", "t.status"])
      .select(["t.started_at as startedAt", "t.ended_at as endedAt", "t.span_count as spanCount"])
      .select(["t.error_count as errorCount", "t.input_tokens as inputTokens", "t.output_tokens as outputTokens"]);
  }

  return {
    async list(caller, { filter, limit, offset, maxBytes }) {
      const found = matching(caller, filter);
      const page = rows()
        .select(sql<number>`octet_length(coalesce(r.brief, r.input))`.as("bytes"))
        .innerJoin(found.limit(limit).offset(offset).as("page"), "page.run_key", "t.run_key")
        // By columns of the page: ordered by columns of the table, SQLite begins with the whole index of the table.
        .orderBy("page.started_at", "desc")
        .orderBy("page.run_key", "desc");
      const count = db.selectFrom(found.limit(maxCounted).as("some")).select(sql<number>`count(*)`.as("total"));
      const [listed, totals] = await Promise.all([database.read(page.compile()), database.read(count.compile())]);
      const inputs = await fittingTexts(listed, maxBytes, (keys) =>
        database.read(
          db
            .selectFrom("runs")
            .select(["key", sql<string>`coalesce(brief, input)`.as("input")])
            .where("key", "in", keys)
            .compile(),
        ),
      );
      const total = Math.max(Number(totals[0]?.total ?? 0), listed.length === 0 ? 0 : offset + listed.length);
      return {
        rows: listed.map(({ bytes: _, ...row }) => ({ ...row, input: inputs.get(row.key)?.input ?? null })),
        total,
      };
    },

    async sessions(caller, { filter, limit, offset }) {
      const newest = matching(caller, filter).limit(maxSearched);
      const groups = db
        .selectFrom(newest.as("newest"))
        .groupBy("session_key")
        .select(["session_key", sql<number>`max(started_at)`.as("last_at")]);
      const page = db
        .selectFrom(groups.as("g"))
        .innerJoin("sessions as s", "s.key", "g.session_key")
        .select(["g.session_key as key", "s.session_id as sessionId", "s.user_id as userId", "s.kind"])
        .select("s.component_id as componentId")
        .orderBy("g.last_at", "desc")
        .orderBy("g.session_key", "desc")
        .limit(limit)
        .offset(offset);
      const count = db.selectFrom(groups.as("g")).select(sql<number>`count(*)`.as("total"));
      const [found, totals] = await Promise.all([database.read(page.compile()), database.read(count.compile())]);
      const sums = await sumsOf(
        filter,
        found.map(({ key }) => key),
      );
      const sessions = found.flatMap(({ key, ...row }): TraceSession[] => {
        const sum = sums.get(key);
        return sum ? [{ ...row, ...sum }] : [];
      });
      return { rows: sessions, total: Number(totals[0]?.total ?? 0) };
    },

    async find(caller, traceId, limit) {
      const filter: TraceFilter = { op: "eq", field: "traceId", value: traceId };
      const found = matching(caller, filter).limit(limit);
      const query = rows()
        .innerJoin(found.as("some"), "some.run_key", "t.run_key")
        .orderBy("some.started_at")
        .orderBy("some.run_key");
      const traces: readonly TraceRow[] = await database.read(query.compile());
      return traces;
    },

    async spans(keys, maxBytes) {
      if (keys.length === 0) return new Map();
      const sizes = db
        .selectFrom("traces")
        .select(["run_key as key", sql<number>`octet_length(spans)`.as("bytes")])
        .where("run_key", "in", keys);
      const found = await database.read(sizes.compile());
      const texts = await fittingTexts(found, maxBytes, (some) =>
        database.read(
          db.selectFrom("traces").select(["run_key as key", "spans"]).where("run_key", "in", some).compile(),
        ),
      );
      return new Map([...texts].map(([key, { spans }]) => [key, spans]));
    },
  };
}

/** The comparison with the narrowest index among the first `usable` ones. */
function narrowest(conjuncts: readonly TraceFilter[], usable: number) {
  for (const toIndexed of indexed.slice(0, usable)) {
    for (const of of conjuncts) {
      const condition = isComparison(of) ? toIndexed(of) : undefined;
      if (condition) return { of, condition };
    }
  }
  return undefined;
}

function equal(field: TraceField, toSql: (value: string | number) => RawBuilder<unknown> | undefined) {
  return (of: TraceComparison): Condition | undefined =>
    of.op === "eq" && of.field === field ? (toSql(of.value) as Condition | undefined) : undefined;
}

/** @param isIndexed whether to use the condition of an index, which needs only `traces as t` */
function toCondition(filter: TraceFilter, isIndexed = false): Condition {
  if (isIndexed && isComparison(filter)) {
    const key = narrowest([filter], indexed.length);
    if (key) return key.condition;
  }
  switch (filter.op) {
    case "and":
    case "or": {
      if (filter.conditions.length === 0) return sql<SqlBool>`1 = 1`;
      const parts = filter.conditions.map((one) => toCondition(one));
      return sql<SqlBool>`(${sql.join(parts, sql.raw(` ${filter.op} `))})`;
    }
    case "not":
      return sql<SqlBool>`not (${toCondition(filter.condition)})`;
    case "in": {
      if (filter.values.length === 0) return sql<SqlBool>`1 = 0`;
      return sql<SqlBool>`${columns[filter.field]} in (${sql.join(filter.values)})`;
    }
    case "contains":
      return sql<SqlBool>`lower(${columns[filter.field]}) like ${`%${pattern(asciiLower(filter.value))}%`} escape '\\'`;
    case "startsWith":
      // Not `like`, which ignores the case on SQLite.
      return sql<SqlBool>`substr(${columns[filter.field]}, 1, ${sql.lit([...filter.value].length)}) = ${filter.value}`;
    default: {
      // A duration may have a fraction. The times are whole milliseconds, so that their indexes apply.
      const value = filter.field === "duration" ? sql`cast(${filter.value} as double precision)` : sql`${filter.value}`;
      return sql<SqlBool>`${columns[filter.field]} ${sql.raw(signs[filter.op])} ${value}`;
    }
  }
}

function pattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}
