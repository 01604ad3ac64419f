/** Reads all data of a user, one bounded page after another. */
import { type RawBuilder, sql } from "kysely";
import { eachFrame, frameData } from "../../../model/frame.ts";
import type { RunOptions } from "../../../model/run/record.ts";
import type { ExportedRow, UserDataStore } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";
import { logReads } from "../logs/heads.ts";
import { digest } from "../usage/days.ts";
import { bucketsOf } from "./erase-others.ts";
import { ownRows } from "./own-rows.ts";
import { isScheduleOf } from "./schedule-owner.ts";

/** Rows per page of small rows. */
const small = 200;

/** Rows per page of rows with texts. */
const large = 10;

/** Bytes of a log per read. */
const logBytes = 1024 * 1024;

/** A row of a query. Columns that begin with `$` are not exported. */
type Row = Readonly<Record<string, unknown>>;

/** A query whose rows become lines of a kind. */
interface Part {
  readonly kind: string;
  /** Columns with JSON text. */
  readonly json?: readonly string[];
  readonly limit?: number;
  /** Selects the rows after a row, with a limit. */
  readonly query: (after: Row | undefined, limit: number) => RawBuilder<unknown>;
}

/** Makes the export of a database. */
export function userExport(database: Database): UserDataStore["export"] {
  const { db } = database.dialect;
  const own = ownRows(database);
  const { segments } = logReads(database);

  const read = (query: RawBuilder<unknown>) => database.read(query.compile(db)) as Promise<readonly Row[]>;

  async function* rowsOf({ kind, json = [], limit = small, query }: Part): AsyncGenerator<ExportedRow> {
    for (let after: Row | undefined; ; ) {
      const rows = await read(query(after, limit));
      for (const row of rows) yield { kind, json: toJson(row, json) };
      after = rows.at(-1);
      if (after === undefined || rows.length < limit) return;
    }
  }

  /** The columns of a session. */
  const session = (where: RawBuilder<unknown>): Part => ({
    kind: "session",
    json: ["state", "metadata", "summary", "usage"],
    query:
      () => sql`select key as "$key", session_id, kind as component_kind, component_id, user_id, name, title, state, metadata, summary, usage, created_at,
      updated_at from sessions where ${where}`,
  });

  async function* partsOfRun(key: number): AsyncGenerator<ExportedRow> {
    yield* rowsOf({
      kind: "run",
      json: ["input", "options", "output"],
      query:
        () => sql`select r.key as "$key", r.run_id, p.run_id as parent_run_id, s.session_id, r.kind as component_kind, r.component_id, r.component_name,
        r.user_id, h.status, r.model, r.model_provider, r.replaced_by, r.tool_call_id, r.created_at, h.updated_at, r.input, r.options, r.output
        from runs r join run_heads h on h.run_key = r.key left join sessions s on s.key = r.session_key left join runs p on p.key = r.parent_key
        where r.key = ${key}`,
    });
    const ofRun = sql`join runs r on r.key = t.run_key where t.run_key = ${key}`;
    yield* rowsOf({
      kind: "message",
      json: ["body"],
      limit: large,
      query: (
        after,
        limit,
      ) => sql`select t.run_key as "$key", r.run_id, t.position, t.id, t.created_at, t.body from messages t ${ofRun}
        and t.position > ${after?.position ?? -1} order by t.position limit ${limit}`,
    });
    yield* rowsOf({
      kind: "result",
      json: ["body"],
      limit: large,
      query: (
        after,
        limit,
      ) => sql`select t.run_key as "$key", r.run_id, t.name, t.created_at, t.body from marks t ${ofRun}
        and t.name > ${after?.name ?? ""} order by t.name limit ${limit}`,
    });
    yield* rowsOf({
      kind: "approval",
      json: ["tool_args", "requirements", "resolution_data", "resolved_by"],
      query: (
        after,
        limit,
      ) => sql`select r.run_id, t.id, t.status, t.approval_type, t.pause_type, t.source_type, t.source_name, t.tool_name,
        t.tool_args, t.requirements, t.resolution_data, t.resolved_by, t.resolved_at, t.created_at from approvals t ${ofRun}
        and t.id > ${after?.id ?? ""} order by t.id limit ${limit}`,
    });
    yield* rowsOf({
      kind: "push_target",
      query: (
        after,
        limit,
      ) => sql`select t.run_key as "$key", r.run_id, t.id, t.url, t.version, t.created_at from push_targets t ${ofRun}
        and t.id > ${after?.id ?? ""} order by t.id limit ${limit}`,
    });
    yield* rowsOf({
      kind: "feedback",
      json: ["note"],
      query: (
        after,
        limit,
      ) => sql`select t.run_key, r.run_id, t.user_id, t.rating, t.note, t.created_at, t.updated_at from run_feedback t ${ofRun}
        and (${after ? 1 : 0} = 0 or t.user_id > ${after?.user_id ?? ""}) order by t.user_id limit ${limit}`,
    });
    yield* rowsOf({
      kind: "trace",
      json: ["spans"],
      query:
        () => sql`select t.run_key as "$key", r.run_id, t.trace_id, t.name, t.status, t.started_at, t.ended_at, t.input_tokens, t.output_tokens, t.spans
        from traces t ${ofRun}`,
      limit: 2,
    });
    yield* rowsOf({
      kind: "idempotency_key",
      query: (
        after,
        limit,
      ) => sql`select t.run_id, t.digest, t.created_at from starts t join runs r on r.run_id = t.run_id
        where r.key = ${key} and t.digest > ${after?.digest ?? ""} order by t.digest limit ${limit}`,
    });
  }

  async function* events(key: number): AsyncGenerator<ExportedRow> {
    for (let cursor = -1; ; ) {
      const parts = await segments(key, cursor, logBytes);
      const last = parts.at(-1);
      if (last === undefined) return;
      for (const { frames } of parts)
        for (const frame of eachFrame(frames)) yield { kind: "event", json: frameData(frame) };
      cursor = last.lastIndex;
    }
  }

  async function* family(root: number): AsyncGenerator<ExportedRow> {
    yield* partsOfRun(root);
    for (let after = root; ; ) {
      const members = await read(
        sql`select key from runs where root_key = ${root} and parent_key is not null and key > ${after} order by key limit ${small}`,
      );
      for (const { key } of members) yield* partsOfRun(Number(key));
      const last = members.at(-1);
      if (last === undefined || members.length < small) break;
      after = Number(last.key);
    }
    yield* events(root);
  }

  async function* schedules(userId: string): AsyncGenerator<ExportedRow> {
    const all: Part["query"] = (after, limit) =>
      sql`select id, owner as "$owner", definition as "$definition", standing_grant as "$grant", name, description, method, endpoint, payload,
        cron_expr, timezone, enabled, created_at, updated_at from schedules where id > ${after?.id ?? ""} order by id limit ${limit}`;
    for (let after: Row | undefined; ; ) {
      const rows = await read(all(after, large));
      for (const row of rows) {
        const { $owner: owner, $definition: definition, $grant: standing_grant, payload } = row;
        if (!isScheduleOf(userId, { owner, definition, standing_grant, payload } as never)) continue;
        yield { kind: "schedule", json: toJson(row, ["description", "payload"]) };
        yield* rowsOf({
          kind: "schedule_record",
          json: ["detail"],
          query: (
            last,
            limit,
          ) => sql`select id, schedule_id, tick, attempt, status, run_id, session_id, detail, due_at, completed_at, created_at
            from schedule_fires where schedule_id = ${row.id} and (created_at, id) > (${last?.created_at ?? -1}, ${last?.id ?? ""})
            order by created_at, id limit ${limit}`,
        });
      }
      after = rows.at(-1);
      if (after === undefined || rows.length < large) return;
    }
  }

  function others(userId: string): readonly Part[] {
    const owner = digest(userId);
    const parts: Part[] = [
      {
        kind: "resolved_approval",
        json: ["resolution_data"],
        query: (after, limit) => sql`select id, status, tool_name, resolution_data, resolved_at from approvals
          where resolved_by = ${JSON.stringify(userId)} and resolved_by is not null and id > ${after?.id ?? ""} order by id limit ${limit}`,
      },
      {
        kind: "service_account",
        json: ["scopes", "claims"],
        query: (
          after,
          limit,
        ) => sql`select id, name, scopes, claims, created_at, expires_at, last_used_at, revoked_at from service_accounts
          where created_by = ${userId} and id > ${after?.id ?? ""} order by id limit ${limit}`,
      },
      {
        kind: "component",
        json: ["description", "metadata"],
        query: (
          after,
          limit,
        ) => sql`select id, kind, name, description, metadata, created_at, deleted_at from components
          where created_by = ${userId} and id > ${after?.id ?? ""} order by id limit ${limit}`,
      },
      {
        kind: "component_version",
        json: ["label", "config", "notes"],
        query: (
          after,
          limit,
        ) => sql`select component_id, version, label, stage, config, notes, created_at, updated_at, deleted_at
          from component_versions where created_by = ${userId}
            and (component_id, version) > (${after?.component_id ?? ""}, ${after?.version ?? 0}) order by component_id, version limit ${limit}`,
      },
      {
        // Without the tokens: they are secrets that open the account elsewhere.
        kind: "connection",
        json: ["scopes"],
        query: () =>
          sql`select provider, scopes, created_at, updated_at from connections where user_id = ${userId} order by provider`,
        limit: Number.POSITIVE_INFINITY,
      },
      {
        kind: "cached_response",
        json: ["body"],
        query: (after, limit) => sql`select digest, body, created_at, expires_at from cached_responses
          where user_id = ${userId} and digest > ${after?.digest ?? ""} order by digest limit ${limit}`,
      },
      {
        kind: "memory",
        json: ["body"],
        query: (
          after,
          limit,
        ) => sql`select key as "$key", id, body, origin, agent_id, team_id, run_id, session_id, created_at, updated_at from memories
          where user_id = ${userId} and id > ${after?.id ?? ""} order by id limit ${limit}`,
      },
      {
        kind: "document",
        json: ["metadata", "origin", "options"],
        query: (
          after,
          limit,
        ) => sql`select key as "$key", knowledge_id, owner, id, name, description, metadata, type, size, origin, options, status, created_at,
          updated_at from knowledge_contents where owner = ${userId} and key > ${after?.$key ?? -1} order by key limit ${limit}`,
      },
      {
        kind: "document_text",
        json: ["headings"],
        query: (
          after,
          limit,
        ) => sql`select c.id as document_id, k.key as "$key", k.content_key, k.generation, k.number, k.body as text, k.page, k.headings
          from knowledge_contents c join knowledge_chunks k on k.content_key = c.key and k.generation = c.generation
          where c.owner = ${userId} and (k.content_key, k.number) > (${after?.content_key ?? -1}, ${after?.number ?? -1})
          order by k.content_key, k.number limit ${limit}`,
      },
      {
        kind: "learning",
        json: ["content", "metadata"],
        query: (
          after,
          limit,
        ) => sql`select learning_id, owner, learning_type, namespace, agent_id, team_id, session_id, entity_id,
          entity_type, content, metadata, created_at, updated_at from learnings
          where owner = ${userId} and (updated_at, learning_id) > (${after?.updated_at ?? -1}, ${after?.learning_id ?? ""})
          order by updated_at, learning_id limit ${limit}`,
      },
      ...trialParts(userId),
      {
        kind: "eval_run",
        json: ["request", "result"],
        query: (
          after,
          limit,
        ) => sql`select key as "$key", id, kind as component_kind, component_id, version, type, name, model, model_provider, status, request, result,
          created_at, updated_at from eval_runs where user_id = ${userId} and key > ${after?.$key ?? -1} order by key limit ${limit}`,
        limit: large,
      },
      {
        kind: "eval_iteration",
        json: ["body"],
        query: (
          after,
          limit,
        ) => sql`select e.id as eval_id, i.eval_key, i.number, i.body, i.created_at from eval_runs e join eval_iterations i on i.eval_key = e.key
          where e.user_id = ${userId} and (i.eval_key, i.number) > (${after?.eval_key ?? -1}, ${after?.number ?? -1_000})
          order by i.eval_key, i.number limit ${limit}`,
        limit: large,
      },
      {
        kind: "usage_counter",
        query: () => sql`select period, tokens, nanos, model_requests, tool_calls from usage_counters
          where scope = 'user' and key = ${userId} order by period`,
        limit: Number.POSITIVE_INFINITY,
      },
      {
        kind: "usage_day",
        query: (
          after,
          limit,
        ) => sql`select day, agent_runs, team_runs, workflow_runs from usage_days where owner = ${owner}
          and day > ${after?.day ?? ""} order by day limit ${limit}`,
      },
      {
        kind: "usage_day_model",
        query: (
          after,
          limit,
        ) => sql`select day, model, provider, runs, requests, input_tokens, output_tokens, nanos from usage_day_models
          where owner = ${owner} and (day, model, provider) > (${after?.day ?? ""}, ${after?.model ?? ""}, ${after?.provider ?? ""})
          order by day, model, provider limit ${limit}`,
      },
    ];
    if (!database.capabilities.replicas) return parts;
    const rates = sql`select bucket, full_at from rate_limits where bucket in (${sql.join(bucketsOf(userId))})`;
    return [...parts, { kind: "rate_limit", query: () => rates }];
  }

  /** `given_feedback`: about runs of any user. `shared_dataset_row`: made from a run of the user, in a dataset of any user. */
  function trialParts(userId: string): readonly Part[] {
    return [
      {
        kind: "given_feedback",
        json: ["note"],
        query: (after, limit) => sql`select f.run_key, f.user_id, r.run_id, f.rating, f.note, f.created_at, f.updated_at
          from run_feedback f join runs r on r.key = f.run_key
          where f.user_id = ${userId} and (f.updated_at, f.run_key) > (${after?.updated_at ?? -1}, ${after?.run_key ?? -1})
          order by f.updated_at, f.run_key limit ${limit}`,
      },
      {
        kind: "dataset",
        json: ["body"],
        query: (after, limit) => sql`select key as "$key", id, body, row_count, created_at, updated_at from datasets
          where user_id = ${userId} and user_id is not null and key > ${after?.$key ?? -1} order by key limit ${limit}`,
      },
      {
        kind: "dataset_row",
        json: ["body"],
        limit: large,
        query: (
          after,
          limit,
        ) => sql`select r.key as "$key", d.key as "$dataset", r.id, r.dataset_id, r.body, r.run_id, r.created_at
          from datasets d join dataset_rows r on r.dataset_id = d.id
          where d.user_id = ${userId} and d.user_id is not null
            and (d.key, r.key) > (${after?.$dataset ?? -1}, ${after?.$key ?? -1}) order by d.key, r.key limit ${limit}`,
      },
      {
        kind: "shared_dataset_row",
        json: ["body"],
        limit: large,
        query: (after, limit) => sql`select key as "$key", id, dataset_id, body, run_id, created_at from dataset_rows
          where run_user = ${userId} and run_user is not null and key > ${after?.$key ?? -1} order by key limit ${limit}`,
      },
      {
        kind: "experiment",
        json: ["definition", "summary"],
        query: (
          after,
          limit,
        ) => sql`select key as "$key", id, dataset_id, kind as component_kind, component_id, definition, status, summary, created_at,
          ended_at from experiments
          where user_id = ${userId} and user_id is not null and key > ${after?.$key ?? -1} order by key limit ${limit}`,
      },
      {
        kind: "experiment_result",
        json: ["scores", "body"],
        limit: large,
        query: (
          after,
          limit,
        ) => sql`select x.key as "$key", e.experiment_id, e.row_id, e.side, e.run_id, e.status, e.scores, e.body, e.nanos, e.milliseconds,
          e.created_at from experiments x join experiment_results e on e.experiment_id = x.id
          where x.user_id = ${userId} and x.user_id is not null
            and (x.key, e.row_id, e.side) > (${after?.$key ?? -1}, ${after?.row_id ?? ""}, ${after?.side ?? ""})
          order by x.key, e.row_id, e.side limit ${limit}`,
      },
    ];
  }

  return async function* (userId) {
    for await (const page of own.sessions(userId))
      for (const { key } of page) yield* rowsOf(session(sql`key = ${key}`));
    for await (const page of own.runs(userId)) for (const { key } of page) yield* family(key);
    yield* schedules(userId);
    for (const part of others(userId)) yield* rowsOf(part);
  };
}

/** The options of a run without the secrets of its webhooks. */
function withoutSecrets(options: string): string {
  if (!options.includes('"webhooks"')) return options;
  const { webhooks, ...others } = JSON.parse(options) as RunOptions;
  return JSON.stringify({ ...others, webhooks: webhooks?.map(({ url, events }) => ({ url, events })) });
}

/** Returns a row as JSON. Columns that hold JSON text become its value without being parsed, so that no number loses digits. */
function toJson(row: Row, json: readonly string[]): string {
  const members = Object.entries(row).filter(([name]) => !name.startsWith("$"));
  const texts = members.map(([name, value]) => {
    const isText = json.includes(name) && typeof value === "string";
    const text = isText && name === "options" ? withoutSecrets(value) : value;
    return `${JSON.stringify(name)}:${isText ? text : JSON.stringify(value)}`;
  });
  return `{${texts.join(",")}}`;
}
