/** Adds queued usage to days, and reads days. */
import { hash } from "node:crypto";
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { visibleOwner } from "../../../model/principal.ts";
import type { ComponentKind } from "../../../model/run/run.ts";
import { addNanos, type LoggedUsage } from "../../../model/usage/log-usage.ts";
import type { ModelDay, UsageDay, UsageDayStore } from "../../contract/usage-days.ts";
import type { Database } from "../../database.ts";
import type { Tables } from "../../rows/tables.ts";
import { all, run, type Transaction } from "../../transaction.ts";
import { usageQueue } from "./queue.ts";

/** Max runs that one transaction adds to their days. */
const maxRuns = 100;

/** Rows per statement. */
const maxRows = 50;

/** Owner of the counts of all runs. */
const everyone = "";

type Pending = Selectable<Tables["usage_pending"]>;
type Day = Insertable<Tables["usage_days"]>;
type Model = Insertable<Tables["usage_day_models"]>;
type Member = Insertable<Tables["usage_day_members"]>;

/** Makes the store of a database. */
export function usageDayStore(database: Database): UsageDayStore {
  const { db, lockedOrSkipped, now } = database.dialect;

  /** Writes rows in the order of their keys, in each transaction the same tables in the same order: two transactions never wait for each other. */
  function* countQueued(): Transaction<readonly string[]> {
    const queued = yield* all(
      db.selectFrom("usage_pending").selectAll().orderBy("key").limit(sql.lit(maxRuns)).modifyEnd(lockedOrSkipped),
    );
    if (queued.length === 0) return [];
    const sums = new DaySums(queued);
    for (const members of parts(sums.members)) sums.countMembers(yield* insertMembers(members));
    for (const days of parts(sums.days)) yield* addDays(days);
    for (const models of parts(sums.models)) yield* addModels(models);
    const keys = queued.map(({ key }) => key);
    yield* run(db.deleteFrom("usage_pending").where("key", "in", keys));
    return [...new Set(sums.days.map(({ day }) => day))].sort();
  }

  /** Returns the members that their day had not counted. */
  function insertMembers(members: readonly Member[]): Transaction<readonly Member[]> {
    return all(
      db
        .insertInto("usage_day_members")
        .values(members)
        .onConflict((conflict) => conflict.doNothing())
        .returning(["owner", "day", "role", "member"]),
    );
  }

  function addDays(days: readonly Day[]): Transaction<number> {
    return run(
      db
        .insertInto("usage_days")
        .values(days.map((day) => ({ ...day, created_at: now, updated_at: now })))
        .onConflict((conflict) =>
          conflict.columns(["owner", "day"]).doUpdateSet({
            ...added("usage_days", ["agent_runs", "team_runs", "workflow_runs", "users"]),
            ...added("usage_days", ["agent_sessions", "team_sessions", "workflow_sessions"]),
            updated_at: now,
          }),
        ),
    );
  }

  function addModels(models: readonly Model[]): Transaction<number> {
    return run(
      db
        .insertInto("usage_day_models")
        .values(models)
        .onConflict((conflict) =>
          conflict.columns(["owner", "day", "model", "provider"]).doUpdateSet({
            ...added("usage_day_models", ["runs", "requests", "input_tokens", "output_tokens"]),
            ...added("usage_day_models", ["reasoning_tokens", "cache_read_tokens", "cache_write_tokens"]),
            // The sum of an unknown and a known cost is the known one.
            nanos: sql<
              number | null
            >`coalesce(usage_day_models.nanos + excluded.nanos, usage_day_models.nanos, excluded.nanos)`,
          }),
        ),
    );
  }

  return {
    countQueued: () => database.write(countQueued),
    queueEarlier: usageQueue(database).queueEarlier,

    async listDays(caller, { from, to }) {
      const query = db
        .selectFrom("usage_days as d")
        .leftJoin("usage_day_models as m", (join) => join.onRef("m.owner", "=", "d.owner").onRef("m.day", "=", "d.day"))
        .selectAll("d")
        .select([
          "m.model",
          "m.provider",
          "m.runs",
          "m.requests",
          "m.input_tokens as input",
          "m.output_tokens as output",
        ])
        .select(["m.reasoning_tokens as reasoning", "m.cache_read_tokens as cacheRead"])
        .select(["m.cache_write_tokens as cacheWrite", "m.nanos"])
        .where("d.owner", "=", ownerOf(visibleOwner(caller) ?? everyone))
        .where("d.day", ">=", from)
        .where("d.day", "<=", to)
        .orderBy("d.day")
        .orderBy("m.model")
        .orderBy("m.provider");
      const days = new Map<string, UsageDay & { readonly models: ModelDay[] }>();
      for (const row of await database.read(query.compile())) {
        const day = days.get(row.day) ?? { ...toDay(row), models: [] };
        days.set(row.day, day);
        // The columns of a model are null only together, for a day without models.
        if (row.model !== null) day.models.push(toModel(row as ModelDay));
      }
      return [...days.values()];
    },
  };
}

/** The sums of queued runs by owner and day. */
class DaySums {
  readonly #days = new Map<string, Day>();
  readonly #models = new Map<string, Model>();
  readonly #members = new Map<string, Member>();

  constructor(queued: readonly Pending[]) {
    for (const row of queued)
      for (const owner of new Set([everyone, ownerOf(row.owner)])) this.#add(owner, dayOf(row.started_at), row);
  }

  get days(): readonly Day[] {
    return sorted(this.#days);
  }

  get models(): readonly Model[] {
    return sorted(this.#models);
  }

  get members(): readonly Member[] {
    return sorted(this.#members);
  }

  /** Counts new members in their days. */
  countMembers(members: readonly Member[]): void {
    for (const { owner, day, role } of members) {
      const sum = this.#day(owner, day);
      if (role === "user") sum.users += 1;
      else sum[`${role}_sessions`] += 1;
    }
  }

  #add(owner: string, day: string, { kind, session_key, user_id, usage }: Pending): void {
    this.#day(owner, day)[`${kind}_runs`] += 1;
    this.#note({ owner, day, role: kind, member: String(session_key) });
    if (user_id !== null) this.#note({ owner, day, role: "user", member: digest(user_id) });
    for (const one of JSON.parse(usage) as readonly LoggedUsage[]) this.#addModel(owner, day, one);
  }

  #addModel(owner: string, day: string, usage: LoggedUsage): void {
    const { model, provider } = usage;
    const name = JSON.stringify([owner, day, model, provider]);
    const sum = this.#models.get(name);
    this.#models.set(name, {
      ...{ owner, day, model, provider },
      runs: 1 + (sum?.runs ?? 0),
      requests: usage.requests + (sum?.requests ?? 0),
      input_tokens: usage.input + (sum?.input_tokens ?? 0),
      output_tokens: usage.output + (sum?.output_tokens ?? 0),
      reasoning_tokens: usage.reasoning + (sum?.reasoning_tokens ?? 0),
      cache_read_tokens: usage.cacheRead + (sum?.cache_read_tokens ?? 0),
      cache_write_tokens: usage.cacheWrite + (sum?.cache_write_tokens ?? 0),
      nanos: addNanos(usage.nanos, sum?.nanos ?? null),
    });
  }

  #note(member: Member): void {
    const { owner, day, role } = member;
    this.#members.set(JSON.stringify([owner, day, role, member.member]), member);
  }

  #day(owner: string, day: string): Day {
    const name = JSON.stringify([owner, day]);
    const sum = this.#days.get(name) ?? {
      ...{ owner, day, agent_runs: 0, team_runs: 0, workflow_runs: 0, users: 0 },
      ...{ agent_sessions: 0, team_sessions: 0, workflow_sessions: 0, created_at: 0, updated_at: 0 },
    };
    this.#days.set(name, sum);
    return sum;
  }
}

/** The owner of the counts of a namespace. Runs of the common namespace count for everyone only. */
export function ownerOf(namespace: string): string {
  return namespace === everyone ? everyone : digest(namespace);
}

/** A short text that replaces the id of a user: usage is kept when the runs of the user are deleted. */
export function digest(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

/** Returns the UTC day of a time. */
function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function* parts<Row>(rows: readonly Row[]): Generator<readonly Row[], void> {
  for (let start = 0; start < rows.length; start += maxRows) yield rows.slice(start, start + maxRows);
}

/** Assignments of an upsert that add the new values of these columns to the stored ones. */
function added<Column extends string>(table: string, columns: readonly Column[]): Record<Column, RawBuilder<number>> {
  const sum = (column: Column) => sql<number>`${sql.ref(`${table}.${column}`)} + excluded.${sql.ref(column)}`;
  return Object.fromEntries(columns.map((column) => [column, sum(column)])) as Record<Column, RawBuilder<number>>;
}

function toDay(row: Tables["usage_days"]): Omit<UsageDay, "models"> {
  const countsOf = (of: "runs" | "sessions"): Readonly<Record<ComponentKind, number>> => ({
    agent: row[`agent_${of}`],
    team: row[`team_${of}`],
    workflow: row[`workflow_${of}`],
  });
  const { day, users, created_at: createdAt, updated_at: updatedAt } = row;
  return { day, runs: countsOf("runs"), sessions: countsOf("sessions"), users, createdAt, updatedAt };
}

function toModel({ model, provider, runs, requests, input, output, ...row }: ModelDay): ModelDay {
  const { reasoning, cacheRead, cacheWrite, nanos } = row;
  return { model, provider, runs, requests, input, output, reasoning, cacheRead, cacheWrite, nanos };
}
