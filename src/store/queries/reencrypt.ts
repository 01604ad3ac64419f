/**
 * Encrypts stored values with the newest data key, in small batches: values from before the encryption, and values under earlier data keys. There is
 * no state but the position of the caller: a value that has the newest data key is skipped, so a process that begins again continues.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "../database.ts";
import { type SealedColumn, sealedColumns } from "../encryption/columns.ts";
import { type Encryption, sealedTexts, sealText } from "../encryption/encryption.ts";
import { encodings, openFrames, sealFrames } from "../encryption/frames.ts";
import { first, run, type Transaction } from "../transaction.ts";

/** The store for re-encryption. */
export interface ReencryptionStore {
  /** Whether values may remain that the newest data key does not encrypt, and this process uses that key. */
  isDue(): Promise<boolean>;
  /** Encrypts the next values after a position. Returns the number of rows and the next position; without it, all are done. */
  reencrypt(limit: number, after?: ReencryptionPosition): Promise<ReencryptionBatch>;
}

/** A table and the primary key of a row. */
export interface ReencryptionPosition {
  readonly table: string;
  readonly key?: readonly (string | number)[] | undefined;
}

/** The result of a batch. */
export interface ReencryptionBatch {
  readonly rows: number;
  readonly next: ReencryptionPosition | undefined;
}

/** Max bytes of a batch. A larger row is a batch of its own. */
const maxBytes = 1024 * 1024;

/** Primary keys of the tables with encrypted texts. */
const primaryKeys: Readonly<Record<string, readonly string[]>> = {
  sessions: ["key"],
  runs: ["key"],
  messages: ["run_key", "position"],
  marks: ["run_key", "name"],
  approvals: ["id"],
  push_targets: ["run_key", "id"],
  schedules: ["id"],
  schedule_fires: ["id"],
  traces: ["run_key"],
  starts: ["digest"],
  connections: ["user_id", "provider"],
  connection_flows: ["digest"],
  cached_responses: ["digest"],
  memories: ["id"],
  knowledge_contents: ["knowledge_id", "owner", "id"],
  knowledge_chunks: ["content_key", "generation", "number"],
  learnings: ["learning_id", "owner"],
  components: ["id"],
  component_versions: ["component_id", "version"],
  run_feedback: ["run_key", "user_id"],
  datasets: ["id"],
  dataset_rows: ["id"],
  experiments: ["id"],
  experiment_results: ["experiment_id", "row_id", "side"],
  eval_runs: ["id"],
  eval_iterations: ["eval_key", "number"],
  segments: ["run_key", "last_index"],
};

const tables = Object.keys(primaryKeys);

type Row = Record<string, string | number | null>;

interface Found {
  readonly key: readonly (string | number)[];
  readonly bytes: number;
}

/** Makes the store for re-encryption. `database` must not decrypt its results. */
export function reencryptionStore(database: Database, encryption: Encryption): ReencryptionStore {
  const { db, locked } = database.dialect;

  const textsOf = (table: string): readonly (readonly [SealedColumn, string])[] =>
    (Object.keys(sealedColumns) as SealedColumn[]).flatMap((name) => {
      const [of, column = ""] = name.split(".");
      return of === table ? [[name, column] as const] : [];
    });

  function pendingIn(table: string, id: number): RawBuilder<SqlBool> {
    if (table === "segments") {
      const current = Buffer.alloc(4);
      current.writeUInt32BE(id);
      return sql<SqlBool>`(encoding < ${sql.lit(encodings.sealedPlain)} or substr(frames, 2, 4) <> ${current})`;
    }
    const conditions = textsOf(table).map(([name, column]) => {
      const beginnings = sealedTexts(name, id);
      const length = sql.lit(beginnings[0]?.length ?? 0);
      return sql`(${sql.ref(column)} is not null and substr(${sql.ref(column)}, 1, ${length}) not in (${sql.join(beginnings)}))`;
    });
    return sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
  }

  async function find(table: string, id: number, limit: number, after: ReencryptionPosition["key"]) {
    const names = primaryKeys[table] ?? [];
    const columns = table === "segments" ? ["frames"] : textsOf(table).map(([, column]) => column);
    const sizes = columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`);
    const keys = sql.join(names.map((name) => sql.ref(name)));
    const isAfter = after ? sql`(${keys}) > (${sql.join(after)})` : sql`1 = 1`;
    const query = sql<Row>`select ${keys}, ${sql.join(sizes, sql` + `)} as bytes from ${sql.table(table)}
      where ${isAfter} and ${pendingIn(table, id)} order by ${keys} limit ${sql.lit(limit)}`;
    const rows = await database.read(query.compile(db));
    return rows.map((row): Found => ({ key: names.map((name) => row[name] ?? 0), bytes: Number(row.bytes) }));
  }

  function isRow(table: string, key: Found["key"]): RawBuilder<SqlBool> {
    const names = primaryKeys[table] ?? [];
    return sql<SqlBool>`${sql.join(
      names.map((name, place) => sql`${sql.ref(name)} = ${key[place]}`),
      sql` and `,
    )}`;
  }

  function* rewriteTexts(table: string, key: Found["key"]): Transaction<void> {
    const texts = textsOf(table);
    const names = [...(primaryKeys[table] ?? []), ...texts.map(([, column]) => column)];
    const query = sql<Row>`select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}
      where ${isRow(table, key)} ${locked}`;
    const row = yield* first<Row>({ compile: () => query.compile(db) });
    if (row === undefined) return;
    encryption.openRows([row]);
    const changes = texts.flatMap(([name, column]) => {
      const text = row[column];
      return typeof text === "string" ? [sql`${sql.ref(column)} = ${sealText(encryption, name, key, text)}`] : [];
    });
    const update = sql`update ${sql.table(table)} set ${sql.join(changes)} where ${isRow(table, key)}`;
    yield* run({ compile: () => update.compile(db) });
  }

  function* rewriteFrames([runKey, lastIndex]: Found["key"]): Transaction<void> {
    const ofRow = db
      .selectFrom("segments")
      .where("run_key", "=", Number(runKey))
      .where("last_index", "=", Number(lastIndex));
    const row = yield* first(
      ofRow.select(["run_key", "first_index", "last_index", "encoding", "frames"]).modifyEnd(locked),
    );
    if (row === undefined) return;
    const place = { runKey: row.run_key, firstIndex: row.first_index, lastIndex: row.last_index };
    const clear = openFrames(encryption, { ...place, encoding: row.encoding, frames: row.frames });
    const sealed = sealFrames(encryption, { ...place, ...clear });
    const update = db.updateTable("segments").set(sealed).where("run_key", "=", place.runKey);
    yield* run(update.where("last_index", "=", place.lastIndex));
  }

  /** Rewrites one row in a transaction of its own if others fail: a damaged value stays as it is. */
  async function rewrite(table: string, rows: readonly Found[]): Promise<void> {
    const work = (some: readonly Found[]) =>
      database.write(function* (): Transaction<void> {
        for (const { key } of some) yield* table === "segments" ? rewriteFrames(key) : rewriteTexts(table, key);
      });
    const withKeys = (some: readonly Found[]) => encryption.withKeys(() => work(some));
    try {
      await withKeys(rows);
    } catch (error) {
      if (rows.length === 1 && encryption.isDamage(error)) return;
      if (!encryption.isDamage(error)) throw error;
      for (const row of rows) await rewrite(table, [row]);
    }
  }

  return {
    async isDue() {
      const id = encryption.sealingId;
      if (id === undefined) return false;
      const newest = db.selectFrom("encryption_keys").select(["id", "complete"]).orderBy("id", "desc").limit(1);
      const [row] = await database.read(newest.compile());
      return row?.id === id && row.complete === 0;
    },

    async reencrypt(limit, after = { table: tables[0] ?? "" }) {
      const id = encryption.sealingId;
      if (id === undefined) return { rows: 0, next: undefined };
      const { table } = after;
      const found = await find(table, id, limit, after.key);
      const batch = fitting(found);
      if (batch.length > 0) await rewrite(table, batch);
      const last = batch.at(-1);
      if (last && (batch.length < found.length || found.length === limit))
        return { rows: batch.length, next: { table, key: last.key } };
      const later = tables[tables.indexOf(table) + 1];
      if (later !== undefined) return { rows: batch.length, next: { table: later } };
      const done = db.updateTable("encryption_keys").set({ complete: 1 }).where("id", "=", id);
      await database.write(() => run(done));
      return { rows: batch.length, next: undefined };
    },
  };
}

/** The first rows that fit into a batch, at least one. */
function fitting(rows: readonly Found[]): readonly Found[] {
  let bytes = 0;
  const end = rows.findIndex((row, place) => {
    bytes += row.bytes;
    return place > 0 && bytes > maxBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
