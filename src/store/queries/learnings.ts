/** Stores learnings. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../model/principal.ts";
import type {
  LearningFilter,
  LearningPlace,
  LearningQuery,
  LearningStore,
  LearningUserQuery,
  ListedLearning,
  NewLearning,
  StoredLearning,
} from "../contract/learnings.ts";
import type { Database } from "../database.ts";
import { sealText } from "../encryption/encryption.ts";
import { fittingTexts } from "../rows/large-columns.ts";
import type { LearningsTable } from "../rows/learning-tables.ts";
import { first, run, type Transaction } from "../transaction.ts";

/** Max learnings that are counted, and that filters without an index search. */
const maxSearched = 10_000;

/** Learnings that one transaction removes. */
const removedAtOnce = 500;

type Condition = RawBuilder<SqlBool>;

/** Columns of a listing: all except large ones. */
const listedColumns = sql`l.learning_id as "learningId", l.owner, l.learning_type as type, l.namespace, l.agent_id as "agentId",
  l.team_id as "teamId", l.session_id as "sessionId", l.entity_id as "entityId", l.entity_type as "entityType",
  l.created_at as "createdAt", l.updated_at as "updatedAt"`;

type Listed = Omit<ListedLearning, "content" | "metadata">;

/** Filters with an index, the narrowest first. `userId` stands for the owner of an isolated caller, too. */
const indexed = ["sessionId", "entityId", "userId", "agentId", "teamId", "type"] as const;

const columns: Readonly<Record<keyof LearningFilter, RawBuilder<unknown>>> = {
  type: sql`learning_type`,
  userId: sql`owner`,
  agentId: sql`agent_id`,
  teamId: sql`team_id`,
  sessionId: sql`session_id`,
  namespace: sql`namespace`,
  entityId: sql`entity_id`,
  entityType: sql`entity_type`,
};

/** Makes the store of learnings of a database. */
export function learningStore(database: Database): LearningStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;

  function read<Row>(query: RawBuilder<Row>): Promise<readonly Row[]> {
    return database.read(query.compile(db));
  }

  const sealed = ({ learningId, owner }: LearningPlace, text: string) =>
    sealText(encryption, "learnings.content", [learningId, owner], text);

  const sealedMetadata = ({ learningId, owner }: LearningPlace, text: string | null) =>
    sealText(encryption, "learnings.metadata", [learningId, owner], text);

  const at = ({ learningId, owner }: LearningPlace) => sql<SqlBool>`learning_id = ${learningId} and owner = ${owner}`;

  /** The learnings that fit, as `l`, with their time in the order of the listing as `place`. */
  function matching(
    caller: Principal,
    filter: LearningFilter,
    order: Pick<LearningQuery, "sortBy" | "descending" | "after">,
  ): RawBuilder<LearningsTable> {
    const { sortBy, descending, after } = order;
    const direction = sql.raw(descending ? "desc" : "asc");
    const byUpdate = sortBy === "updatedAt";
    const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
    const wanted: LearningFilter = session === null ? filter : { ...filter, sessionId: session };
    const isFree = owner !== null && wanted.userId === undefined;
    const key = indexed.find((name) => wanted[name] !== undefined || (isFree && name === "userId"));
    const isAfter = (column: string): Condition => {
      if (!after) return sql<SqlBool>`1 = 1`;
      const sign = sql.raw(descending ? "<" : ">");
      return sql<SqlBool>`(${sql.ref(column)}, learning_id, owner) ${sign} (${after.at}, ${after.learningId}, ${after.owner})`;
    };
    // Each part reads a bounded piece of one index, in its order.
    const part = (condition: Condition): RawBuilder<LearningsTable> => {
      const [place, way] = byUpdate ? [isAfter("updated_at"), direction] : [sql`1 = 1`, sql.raw("desc")];
      return sql`select * from (select * from learnings where ${condition} and ${place}
        order by updated_at ${way}, learning_id ${way}, owner ${way} limit ${sql.lit(maxSearched)}) as part`;
    };
    const owners = isFree ? [owner, ""] : [wanted.userId ?? ""];
    const parts =
      key === undefined
        ? [part(sql<SqlBool>`1 = 1`)]
        : key === "userId"
          ? owners.map((one) => part(equals("userId", one)))
          : [part(equals(key, wanted[key] ?? ""))];
    const rest: Condition[] = [];
    for (const [name, value] of Object.entries(wanted) as [keyof LearningFilter, string | undefined][])
      if (value !== undefined && name !== key) rest.push(equals(name, value));
    if (isFree && key !== "userId") rest.push(sql<SqlBool>`owner in (${owner}, '')`);
    if (owner !== null && wanted.userId !== undefined) rest.push(sql<SqlBool>`owner in (${owner}, '')`);
    if (!byUpdate) rest.push(isAfter("created_at"));
    const conditions = rest.length === 0 ? sql`1 = 1` : sql.join(rest, sql` and `);
    const column = sql.ref(byUpdate ? "updated_at" : "created_at");
    return sql`select *, ${column} as place from (${sql.join(parts, sql` union all `)}) as l where ${conditions}
      order by place ${direction}, learning_id ${direction}, owner ${direction}`;
  }

  async function count(fitting: RawBuilder<unknown>): Promise<number> {
    const [row] = await read<{ readonly total: number }>(
      sql`select count(*) as total from (select 1 from (${fitting}) as fitting limit ${maxSearched}) as counted`,
    );
    return Number(row?.total ?? 0);
  }

  async function listed(query: RawBuilder<unknown>, maxBytes: number): Promise<readonly ListedLearning[]> {
    const found = await read<Listed & { readonly bytes: number }>(
      sql`select ${listedColumns}, octet_length(l.content) + coalesce(octet_length(l.metadata), 0) as bytes from (${query}) as l`,
    );
    const rows = found.map((row) => ({ ...row, key: `${row.learningId}\0${row.owner}`, bytes: Number(row.bytes) }));
    const places = new Map(rows.map((row) => [row.key, row]));
    const texts = await fittingTexts(rows, maxBytes, async (keys) => {
      const wanted = keys.map((key) => {
        const { learningId = "", owner = "" } = places.get(key) ?? {};
        return sql`(${learningId}, ${owner})`;
      });
      const some = await read<LearningsTable>(
        sql`select * from learnings where (learning_id, owner) in (values ${sql.join(wanted)})`,
      );
      return some.map(({ learning_id, owner, content, metadata }) => ({
        ...{ key: `${learning_id}\0${owner}`, content, metadata },
      }));
    });
    return rows.map(({ key, bytes: _, ...row }) => ({
      ...row,
      createdAt: Number(row.createdAt),
      updatedAt: Number(row.updatedAt),
      content: texts.get(key)?.content ?? null,
      metadata: texts.get(key)?.metadata ?? null,
    }));
  }

  function* insert(learning: NewLearning): Transaction<boolean> {
    const row: LearningsTable = { ...toRow(learning), created_at: 0, updated_at: 0 };
    const values = {
      ...row,
      content: sealed(learning, learning.content),
      metadata: sealedMetadata(learning, learning.metadata),
      created_at: now,
      updated_at: now,
    };
    const query = db.insertInto("learnings").values(values);
    return (yield* run(query.onConflict((conflict) => conflict.doNothing()))) === 1;
  }

  function* put(
    learning: Omit<NewLearning, "content">,
    make: (content: string | undefined) => string | undefined,
  ): Transaction<boolean> {
    const query = db.selectFrom("learnings").selectAll().where(at(learning)).modifyEnd(locked);
    for (;;) {
      const found = yield* first(query);
      const content = make(found?.content);
      if (content === undefined) return false;
      if (found === undefined) {
        // Another transaction may have inserted it after the read.
        if (yield* insert({ ...learning, content })) return true;
        continue;
      }
      const { metadata } = learning;
      const texts = {
        content: sealed(learning, content),
        ...(metadata !== null && { metadata: sealedMetadata(learning, metadata) }),
      };
      yield* run(
        db
          .updateTable("learnings")
          .set({ ...texts, updated_at: now })
          .where(at(learning)),
      );
      return true;
    }
  }

  return {
    async list(caller, query) {
      const { limit, offset, after, maxBytes, sortBy, descending, ...filter } = query;
      const fitting = matching(caller, filter, { sortBy, descending, after });
      const page = sql`${fitting} limit ${limit} offset ${after ? 0 : offset}`;
      const [rows, total] = await Promise.all([
        listed(page, maxBytes),
        count(matching(caller, filter, { sortBy, descending, after: undefined })),
      ]);
      return { rows, total };
    },

    async users(caller, { limit, offset, type, userId, ...order }) {
      const groups = usersOf(
        matching(caller, { type, userId }, { sortBy: "updatedAt", descending: true, after: undefined }),
        order,
      );
      const [rows, total] = await Promise.all([
        read<{ readonly userId: string; readonly updatedAt: number }>(sql`${groups} limit ${limit} offset ${offset}`),
        count(groups),
      ]);
      return { rows: rows.map(({ userId, updatedAt }) => ({ userId, updatedAt: Number(updatedAt) })), total };
    },

    async find(caller, learningId, userId) {
      const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
      const terms = [sql`learning_id = ${learningId}`];
      if (owner !== null) terms.push(sql`owner in (${owner}, '')`);
      if (userId !== undefined) terms.push(sql`owner = ${userId}`);
      if (session !== null) terms.push(sql`session_id = ${session}`);
      // An empty owner comes last.
      const rows = await read<LearningsTable>(
        sql`select * from learnings where ${sql.join(terms, sql` and `)} order by owner desc limit 2`,
      );
      return rows.map(toLearning);
    },

    create: (learning) => database.write(() => insert(learning)),

    async update(place, { content, metadata }) {
      const texts = {
        ...(content !== undefined && { content: sealed(place, content) }),
        ...(metadata !== undefined && { metadata: sealedMetadata(place, metadata) }),
      };
      const query = db
        .updateTable("learnings")
        .set({ ...texts, updated_at: now })
        .where(at(place));
      return (await database.write(() => run(query))) === 1;
    },

    async remove(place) {
      return (await database.write(() => run(db.deleteFrom("learnings").where(at(place))))) === 1;
    },

    removeSome: (userId, type) => database.write(() => removeSome(database, userId, type)),

    async forRun({ owner, ids, shared }) {
      const visible = sql`owner in (${owner}, '')`;
      const parts = shared.flatMap(({ type, namespace, limit }) =>
        [...new Set([owner, ""])].map(
          (one) => sql`select * from (select * from learnings where namespace = ${namespace} and owner = ${one}
            and learning_type = ${type} order by updated_at desc, learning_id desc limit ${limit}) as part`,
        ),
      );
      if (ids.length > 0)
        parts.unshift(sql`select * from learnings where learning_id in (${sql.join(ids)}) and ${visible}`);
      if (parts.length === 0) return [];
      const rows = await read<LearningsTable>(
        sql`select * from (${sql.join(parts, sql` union all `)}) as part order by updated_at desc, learning_id desc`,
      );
      return rows.map(toLearning);
    },

    put: (learning, make) => database.write(() => put(learning, make)),
  };
}

/** Removes some of a user's learnings; returns how many. */
export function* removeSome(
  { dialect: { db } }: Pick<Database, "dialect">,
  userId: string,
  type: string | undefined,
): Transaction<number> {
  const own = db.selectFrom("learnings").select("learning_id").where("owner", "=", userId);
  const some = (type === undefined ? own : own.where("learning_type", "=", type)).limit(removedAtOnce);
  return yield* run(db.deleteFrom("learnings").where("owner", "=", userId).where("learning_id", "in", some));
}

function usersOf(
  every: RawBuilder<unknown>,
  { sortBy, descending }: Pick<LearningUserQuery, "sortBy" | "descending">,
): RawBuilder<unknown> {
  const direction = sql.raw(descending ? "desc" : "asc");
  const order = sortBy === "userId" ? sql`"userId" ${direction}` : sql`"updatedAt" ${direction}, "userId" ${direction}`;
  return sql`select l.owner as "userId", max(l.updated_at) as "updatedAt" from (${every}) as l where l.owner <> ''
    group by l.owner order by ${order}`;
}

function equals(name: keyof LearningFilter, value: string): Condition {
  return sql<SqlBool>`${columns[name]} = ${value}`;
}

function toRow(learning: NewLearning): Omit<LearningsTable, "created_at" | "updated_at"> {
  return {
    learning_id: learning.learningId,
    owner: learning.owner,
    learning_type: learning.type,
    namespace: learning.namespace,
    agent_id: learning.agentId,
    team_id: learning.teamId,
    session_id: learning.sessionId,
    entity_id: learning.entityId,
    entity_type: learning.entityType,
    content: learning.content,
    metadata: learning.metadata,
  };
}

function toLearning(row: LearningsTable): StoredLearning {
  return {
    learningId: row.learning_id,
    owner: row.owner,
    type: row.learning_type,
    namespace: row.namespace,
    agentId: row.agent_id,
    teamId: row.team_id,
    sessionId: row.session_id,
    entityId: row.entity_id,
    entityType: row.entity_type,
    content: row.content,
    metadata: row.metadata,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}
