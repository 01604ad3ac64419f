/** Stores evals and their iterations. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type EvalStatus, evalJob } from "../../model/eval.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type { EvalPlace, EvalQuery, EvalStore, ListedEval, NewIteration, StoredEval } from "../contract/evals.ts";
import type { ClaimedJob } from "../contract/jobs.ts";
import type { Database } from "../database.ts";
import { clearText, sealText } from "../encryption/encryption.ts";
import { fittingTexts } from "../rows/large-columns.ts";
import { all, first, run, type Transaction } from "../transaction.ts";
import { jobSteps } from "./jobs/jobs.ts";
import { backgroundUsage } from "./usage/background.ts";

/** Max evals that are counted, and that filters consider. */
const maxSearched = 10_000;

/** The states of an eval that has not ended. */
const openStatuses: readonly EvalStatus[] = ["PENDING", "RUNNING"];

/** Columns of a listing: all except large ones. */
const placeColumns = sql`e.key, e.id, e.user_id as "userId", e.kind, e.component_id as "componentId", e.component_name as "componentName",
  e.version, e.type, e.name, e.model, e.model_provider as "modelProvider", e.status, e.total, e.done, e.created_at as "createdAt",
  e.updated_at as "updatedAt"`;

const sortColumns: Readonly<Record<EvalQuery["sortBy"], string>> = {
  createdAt: "e.key",
  updatedAt: "e.updated_at",
  name: "e.name",
};

type PlaceRow = Omit<EvalPlace, "component"> & {
  readonly kind: EvalPlace["component"]["kind"];
  readonly componentId: string;
};

type TextRow = Pick<StoredEval, "id" | "request" | "result">;

function toPlace({ kind, componentId, ...row }: PlaceRow): EvalPlace {
  return {
    ...row,
    component: { kind, id: componentId },
    key: Number(row.key),
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
  };
}

/** Makes the eval store of a database. */
export function evalStore(database: Database): EvalStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;
  const jobs = jobSteps(database);
  const addUsage = backgroundUsage(database);

  function read<Row>(query: RawBuilder<Row>): Promise<readonly Row[]> {
    return database.read(query.compile(db));
  }

  function sealedName<Name extends string | null>(id: string, name: Name): Name {
    return sealText(encryption, "eval_runs.name", [id], clearText(name));
  }

  /** Evals that a caller may see. */
  function visible(caller: Principal): RawBuilder<SqlBool> {
    const owner = visibleOwner(caller);
    return owner === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`user_id = ${owner}`;
  }

  /** The evals that fit, as `e`, of those that a filter considers. */
  function matching(caller: Principal, query: EvalQuery): RawBuilder<unknown> {
    const { kind, componentIds = {}, model, types, sortBy, descending, after } = query;
    const byCreation = sortBy === "createdAt";
    const way = sql.raw(byCreation && !descending ? "asc" : "desc");
    const conditions: RawBuilder<SqlBool>[] = [];
    if (kind !== undefined) conditions.push(sql<SqlBool>`e.kind = ${kind}`);
    for (const [one, id] of Object.entries(componentIds))
      if (id !== undefined) conditions.push(sql<SqlBool>`e.kind = ${one} and e.component_id = ${id}`);
    if (model !== undefined) conditions.push(sql<SqlBool>`e.model = ${model}`);
    if (types !== undefined) conditions.push(sql<SqlBool>`e.type in (${sql.join(types)})`);
    const sign = sql.raw(descending ? "<" : ">");
    const from = after === undefined ? sql`1 = 1` : sql`key ${sign} ${after}`;
    const considered = sql`select * from eval_runs where ${visible(caller)} and ${from} order by key ${way} limit ${maxSearched}`;
    const where = conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
    return sql`from (${considered}) as e where ${where}`;
  }

  /** Keys of a page in the order of encrypted names: this process decrypts and orders them. Evals without a name come last. */
  async function pageByName(caller: Principal, query: EvalQuery): Promise<readonly number[]> {
    type Named = Pick<EvalPlace, "id" | "key" | "name">;
    const rows = await read<Named>(sql`select e.id, e.key, e.name ${matching(caller, query)}`);
    const sign = query.descending ? -1 : 1;
    const ordered = rows.toSorted((one, other) => {
      if (one.name === other.name) return sign * (Number(one.key) - Number(other.key));
      if (one.name === null || other.name === null) return one.name === null ? 1 : -1;
      return sign * (one.name < other.name ? -1 : 1);
    });
    return ordered.slice(query.offset, query.offset + query.limit).map(({ key }) => Number(key));
  }

  /** Whether the claim still holds the job: its row is locked until the end of the transaction. */
  function* holds({ key, claim }: ClaimedJob): Transaction<boolean> {
    const job = db.selectFrom("jobs").select("key").where("key", "=", key).where("claims", "=", claim);
    return (yield* first(job.modifyEnd(locked))) !== undefined;
  }

  function* addIteration(job: ClaimedJob, key: number, { number, body, usage }: NewIteration): Transaction<boolean> {
    if (!(yield* holds(job))) return false;
    const sealed = sealText(encryption, "eval_iterations.body", [key, number], body);
    const insert = db.insertInto("eval_iterations").values({ eval_key: key, number, body: sealed, created_at: now });
    const added = yield* run(insert.onConflict((same) => same.columns(["eval_key", "number"]).doNothing()));
    if (added === 0) return true;
    const progress = { status: "RUNNING", done: sql<number>`done + 1`, updated_at: now } as const;
    yield* run(db.updateTable("eval_runs").set(progress).where("key", "=", key));
    for (const one of usage) yield* addUsage(one);
    return true;
  }

  const texts = (ids: readonly string[]) =>
    read(sql<TextRow>`select id, request, result from eval_runs where id in (${sql.join(ids)})`);

  return {
    create: ({ component, componentName, userId, modelProvider, ...given }, job, maxOpen) =>
      database.write(function* () {
        if (yield* jobs.isFull(job.kind, job.share, maxOpen)) return false;
        const { id, request, ...others } = given;
        const row = {
          ...{ ...others, id, user_id: userId, kind: component.kind, component_id: component.id, done: 0 },
          ...{ component_name: componentName, model_provider: modelProvider, status: "PENDING" as const },
          name: sealedName(id, given.name),
          request: sealText(encryption, "eval_runs.request", [id], request),
          ...{ result: null, created_at: now, updated_at: now },
        };
        const insert = db.insertInto("eval_runs").values(row);
        const added = yield* run(insert.onConflict((same) => same.column("id").doNothing()));
        if (added > 0) yield* jobs.add([job]);
        return true;
      }),

    async list(caller, query) {
      const { sortBy, descending, limit, offset, after, maxBytes } = query;
      const fitting = matching(caller, query);
      const column = sql.ref(sortColumns[sortBy]);
      const direction = sql.raw(descending ? "desc" : "asc");
      // Evals without a name come last, on both databases.
      const nulls = sql.raw(sortBy === "name" ? "e.name is null, " : "");
      const keys = encryption && sortBy === "name" ? await pageByName(caller, query) : undefined;
      const page = keys
        ? sql`from eval_runs e where e.key in (${sql.join(keys.length > 0 ? keys : [-1])})`
        : sql`${fitting} order by ${nulls} ${column} ${direction}, e.key ${direction} limit ${limit} offset ${after === undefined ? offset : 0}`;
      const counted = after === undefined ? fitting : matching(caller, { ...query, after: undefined });
      const [places, [count]] = await Promise.all([
        read<PlaceRow & { readonly bytes: number }>(
          sql`select ${placeColumns}, octet_length(e.request) + coalesce(octet_length(e.result), 0) as bytes ${page}`,
        ),
        read<{ readonly total: number }>(sql`select count(*) as total ${counted}`),
      ]);
      const placeOf = ({ key }: { readonly key: number }): number => keys?.indexOf(Number(key)) ?? 0;
      const found = keys ? places.toSorted((one, other) => placeOf(one) - placeOf(other)) : places;
      const sizes = found.map(({ id, bytes }) => ({ key: id, bytes: Number(bytes) }));
      const fits = await fittingTexts(sizes, maxBytes, async (ids) =>
        (await texts(ids)).map((row) => ({ ...row, key: row.id })),
      );
      const rows = found.map(({ bytes: _, ...row }): ListedEval => {
        const { request = null, result = null } = fits.get(row.id) ?? {};
        return { ...toPlace(row), request, result };
      });
      return { rows, total: Number(count?.total ?? 0) };
    },

    async find(caller, id) {
      const [row] = await read(
        sql<
          PlaceRow & TextRow
        >`select ${placeColumns}, e.request, e.result from eval_runs e where e.id = ${id} and ${visible(caller)}`,
      );
      return row && { ...toPlace(row), request: row.request, result: row.result };
    },

    async isOpen(id) {
      const row = db.selectFrom("eval_runs").select("key").where("id", "=", id).where("status", "in", openStatuses);
      return (await database.read(row.compile())).length > 0;
    },

    async rename(caller, id, name) {
      // The retention counts from the end of an eval, which is its last change.
      const changed = sql`case when status in (${sql.join(openStatuses)}) then ${now} else updated_at end`;
      const change = sql`update eval_runs set name = ${sealedName(id, name)}, updated_at = ${changed} where id = ${id} and ${visible(caller)}`;
      return (await database.write(() => run({ compile: () => change.compile(db) }))) > 0;
    },

    async remove(caller, ids) {
      const condition = visible(caller);
      await database.write(function* () {
        const found = db.selectFrom("eval_runs").select(["key", "id"]).where("id", "in", ids).where(condition);
        yield* evalRemoval(database)(yield* all(found));
      });
    },

    async iterations(key) {
      const rows = db.selectFrom("eval_iterations").select(["eval_key", "number", "body"]).where("eval_key", "=", key);
      return (await database.read(rows.orderBy("number").compile())).map(({ body }) => body);
    },

    addIteration: (job, key, iteration) => database.write(() => addIteration(job, key, iteration)),

    finish: (job, key, { status, result }) =>
      database.write(function* () {
        if (!(yield* jobs.finish(job, { kind: "done" }))) return false;
        const found = yield* first(db.selectFrom("eval_runs").select("id").where("key", "=", key));
        if (!found) return true;
        const end = {
          status,
          result: sealText(encryption, "eval_runs.result", [found.id], result),
          updated_at: now,
        };
        yield* run(db.updateTable("eval_runs").set(end).where("key", "=", key));
        return true;
      }),
  };
}

/** Makes the step that removes evals with their jobs. Jobs come first, as in the other transactions. */
export function evalRemoval({
  dialect: { db },
}: Pick<Database, "dialect">): (
  evals: readonly { readonly key: number; readonly id: string }[],
) => Transaction<number> {
  return function* (evals) {
    if (evals.length === 0) return 0;
    const keys = evals.map(({ key }) => key);
    const ids = evals.map(({ id }) => id);
    yield* run(db.deleteFrom("jobs").where("kind", "=", evalJob).where("id", "in", ids));
    yield* run(db.deleteFrom("eval_iterations").where("eval_key", "in", keys));
    yield* run(db.deleteFrom("starts").where("run_id", "in", ids));
    return yield* run(db.deleteFrom("eval_runs").where("key", "in", keys));
  };
}
