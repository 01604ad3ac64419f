/** Stores documents: their rows, and the ends of their ingestions. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { TroupeError } from "../../../errors.ts";
import type {
  Content,
  ContentMetadata,
  ContentOptions,
  ContentOrder,
  ContentOrigin,
  ContentPosition,
  ContentQuery,
  KnowledgeReader,
  KnowledgeStore,
  NewContent,
} from "../../contract/knowledge.ts";
import { ingestionJob, metadataJob, sweepJob } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { type Encryption, sealText } from "../../encryption/encryption.ts";
import type { KnowledgeContentsTable } from "../../rows/knowledge-tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";
import { digest } from "../usage/days.ts";

/** Columns of a document without its bytes. */
type ContentColumn = Exclude<keyof KnowledgeContentsTable, "body" | "stored" | "next_embedder" | "next_hash">;

/** Columns that `toContent` reads. */
export const contentColumns: readonly ContentColumn[] = Object.keys({
  ...{ key: true, id: true, knowledge_id: true, owner: true, name: true, description: true, metadata: true },
  ...{ type: true, size: true, origin: true, options: true, hash: true, embedder: true, status: true },
  ...{ status_message: true, generation: true, chunk_count: true, token_count: true, total: true, embedded: true },
  ...{ access_count: true, created_at: true, updated_at: true },
} satisfies Record<ContentColumn, true>) as ContentColumn[];

type ContentRow = Pick<KnowledgeContentsTable, Exclude<ContentColumn, "key">> & { readonly key: number };

type ContentQueries = Pick<
  KnowledgeStore,
  "put" | "find" | "read" | "list" | "change" | "retry" | "cancel" | "remove" | "removeAll" | "outdated"
>;

/** Documents per transaction of `removeAll`. */
const maxRemoved = 200;

/** Makes the queries of documents of a database. */
export function contentQueries(database: Database): ContentQueries {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;
  const jobs = jobSteps(database);

  const contents = () => db.selectFrom("knowledge_contents").select(contentColumns);
  const one = (key: number) => db.updateTable("knowledge_contents").where("key", "=", key);

  function* put(content: NewContent): Transaction<Content | undefined> {
    const { id, knowledgeId } = content;
    const owner = ownerOf(content);
    const place = contents().where("knowledge_id", "=", knowledgeId).where("owner", "=", owner).where("id", "=", id);
    const known = yield* first(place.select("body").modifyEnd(locked));
    const body = content.bytes?.toString("base64") ?? null;
    if (known?.status === "processing") return known.body === body ? toContent(known) : undefined;
    const values = valuesOf(content, owner, encryption);
    const begun = {
      ...({ ...values, status: "processing", status_message: "", stored: null, total: 0, embedded: 0 } as const),
      ...{ next_embedder: null, next_hash: null, updated_at: now },
    };
    const key = known
      ? known.key
      : (yield* first(
          db
            .insertInto("knowledge_contents")
            .values({
              ...{ id, knowledge_id: knowledgeId, owner, hash: null, embedder: null, generation: 0, chunk_count: 0 },
              ...{ token_count: 0, access_count: 0, created_at: now, ...begun },
            })
            .returning("key"),
        ))?.key;
    if (known) {
      yield* run(one(known.key).set(begun));
      if (known.metadata !== values.metadata) yield* jobs.addAgain({ kind: metadataJob, id: String(known.key) });
    }
    yield* jobs.add([{ kind: ingestionJob, id: String(key), share: digest(owner) }]);
    const row = yield* first(contents().where("key", "=", key as number));
    return toContent(row as ContentRow);
  }

  /** Ends what runs for a document, and lets another process remove what is left of it. */
  function* stop(key: number): Transaction<void> {
    yield* run(db.deleteFrom("jobs").where("kind", "=", ingestionJob).where("id", "=", String(key)));
    yield* jobs.addAgain({ kind: sweepJob, id: String(key) });
  }

  function* remove(keys: readonly number[]): Transaction<void> {
    if (keys.length === 0) return;
    yield* run(db.deleteFrom("knowledge_contents").where("key", "in", keys));
    for (const key of keys) yield* stop(key);
  }

  function* removeSome(knowledgeId: string, reader: KnowledgeReader): Transaction<boolean> {
    const rows = db.selectFrom("knowledge_contents as c").select("c.key").where("c.knowledge_id", "=", knowledgeId);
    const own = reader === null ? rows : rows.where("c.owner", "=", reader.userId);
    const found = yield* all(own.orderBy("c.key").limit(maxRemoved));
    yield* remove(found.map(({ key }) => key));
    return found.length === maxRemoved;
  }

  function* cancel(key: number): Transaction<boolean> {
    const over = { status: "cancelled", status_message: "The ingestion was cancelled.", updated_at: now } as const;
    const rows = yield* run(one(key).where("status", "=", "processing").set(over));
    if (rows > 0) yield* stop(key);
    return rows > 0;
  }

  function* retry(key: number): Transaction<boolean> {
    const again = { status: "processing", status_message: "", stored: null, total: 0, embedded: 0, updated_at: now };
    const idle = one(key)
      .where("status", "<>", "processing")
      .set({ ...again, status: "processing" });
    const [row] = (yield* all(idle.returning("owner"))) as { readonly owner: string }[];
    if (!row) return false;
    yield* jobs.add([{ kind: ingestionJob, id: String(key), share: digest(row.owner) }]);
    return true;
  }

  /** Adds the progress of running ingestions: the chunks of a document without an embedding are in an index of their own. */
  async function withProgress(rows: readonly ContentRow[]): Promise<readonly Content[]> {
    const running = rows.flatMap(({ key, status }) => (status === "processing" ? [key] : []));
    if (running.length === 0) return rows.map(toContent);
    const query = db
      .selectFrom("knowledge_chunks")
      .select(["content_key", sql<number>`count(*)`.as("waiting")])
      .where("content_key", "in", running)
      .where("embedder", "is", null)
      .groupBy("content_key");
    const found = await database.read(query.compile());
    const waiting = new Map(found.map((row) => [row.content_key, Number(row.waiting)]));
    return rows.map((row) => {
      const content = toContent(row);
      if (content.status !== "processing") return content;
      return { ...content, embedded: Math.max(0, content.total - (waiting.get(row.key) ?? 0)) };
    });
  }

  return {
    put: (content) => database.write(() => put(content)),

    async find(knowledgeId, reader, id) {
      const query = db
        .selectFrom("knowledge_contents as c")
        .select(contentColumns.map((column) => `c.${column}` as const))
        .where("c.knowledge_id", "=", knowledgeId)
        .where("c.id", "=", id)
        .where(isVisible(reader))
        // The reader's own document before the shared one with the same id.
        .orderBy("c.owner", "desc")
        .limit(1);
      const [content] = await withProgress(await database.read(query.compile()));
      return content;
    },

    async read(key) {
      const [row] = await database.read(contents().where("key", "=", key).compile());
      return row && toContent(row);
    },

    async list(query) {
      const { knowledgeId, reader, statuses, after, limit } = query;
      let rows = db
        .selectFrom("knowledge_contents as c")
        .where("c.knowledge_id", "=", knowledgeId)
        .where(isVisible(reader));
      if (statuses !== undefined) rows = rows.where("c.status", "in", [...statuses]);
      const direction = query.descending ? "desc" : "asc";
      const order = orderOf(query, encryption);
      const page = rows
        .select(contentColumns.map((column) => `c.${column}` as const))
        .where(after ? isAfter(order, query.descending, after) : sql<SqlBool>`1 = 1`)
        .orderBy(orders[order], direction)
        .orderBy("c.key", direction)
        .limit(limit + 1)
        .offset(after ? 0 : query.offset);
      const counted = rows.select(({ fn }) => fn.countAll<number>().as("total"));
      const [found, [count]] = await Promise.all([database.read(page.compile()), database.read(counted.compile())]);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const next = last && { value: last[order] ?? nullAs[order], key: last.key };
      return { contents: await withProgress(shown), total: Number(count?.total ?? 0), next };
    },

    async change({ key }, change) {
      const named = contents().where("key", "=", key);
      return await database.write(function* () {
        const row = yield* first(named.modifyEnd(locked));
        if (!row) return undefined;
        const next = { ...toContent(row), ...defined(change) };
        const { name, description, metadata } = valuesOf({ ...next, bytes: null }, row.owner, encryption);
        yield* run(one(key).set({ name, description, metadata, updated_at: now }));
        if (metadata !== row.metadata) yield* jobs.addAgain({ kind: metadataJob, id: String(key) });
        const changed = yield* first(named);
        return changed && toContent(changed);
      });
    },

    retry: ({ key }) => database.write(() => retry(key)),
    cancel: ({ key }) => database.write(() => cancel(key)),
    remove: ({ key }) => database.write(() => remove([key])),

    async removeAll(knowledgeId, reader) {
      while (await database.write(() => removeSome(knowledgeId, reader)));
    },

    async outdated(knowledgeId, embedder, limit) {
      const query = contents()
        .where("knowledge_id", "=", knowledgeId)
        .where("status", "=", "completed")
        .where("embedder", "<>", embedder)
        .limit(limit);
      return (await database.read(query.compile())).map(toContent);
    },
  };
}

/** Whether a reader may see the document `c`. */
export function isVisible(reader: KnowledgeReader): RawBuilder<SqlBool> {
  return reader === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`c.owner in ('', ${reader.userId})`;
}

/** The order of a page. Encrypted names have no order. */
function orderOf({ orderBy }: ContentQuery, encryption: Encryption | undefined): ContentOrder {
  return orderBy === "name" && encryption !== undefined ? "created_at" : orderBy;
}

/** The values by which missing values are sorted: the databases have different orders of nulls. */
const nullAs = { created_at: 0, updated_at: 0, name: "", status: "", size: -1 } as const;

const orders: Readonly<Record<ContentOrder, RawBuilder<unknown>>> = {
  ...{ created_at: sql`c.created_at`, updated_at: sql`c.updated_at`, status: sql`c.status` },
  ...{ name: sql`coalesce(c.name, '')`, size: sql`coalesce(c.size, -1)` },
};

/** @throws TroupeError `validation` */
function isAfter(order: ContentOrder, descending: boolean, { value, key }: ContentPosition): RawBuilder<SqlBool> {
  if (typeof value !== typeof nullAs[order])
    throw new TroupeError("validation", "The cursor is from a listing in another order: begin with its first page.");
  return sql<SqlBool>`(${orders[order]}, c.key) ${sql.raw(descending ? "<" : ">")} (${value}, ${key})`;
}

function ownerOf({ userId }: Pick<NewContent, "userId">): string {
  return userId ?? "";
}

function valuesOf(content: NewContent, owner: string, encryption: Encryption | undefined) {
  const { id, knowledgeId, metadata, type, size, options, bytes } = content;
  const row = [knowledgeId, owner, id];
  const seal = <T extends string | null>(column: "name" | "description" | "origin" | "body", text: T): T =>
    sealText(encryption, `knowledge_contents.${column}`, row, text);
  return {
    ...{ name: seal("name", content.name), description: seal("description", content.description), type, size },
    metadata: metadata && JSON.stringify(metadata),
    origin: seal("origin", JSON.stringify(content.origin)),
    options: JSON.stringify(options),
    body: seal("body", bytes?.toString("base64") ?? null),
  };
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Returns the document of a row. */
export function toContent(row: ContentRow): Content {
  return {
    ...{ key: row.key, id: row.id, knowledgeId: row.knowledge_id, userId: row.owner === "" ? null : row.owner },
    ...{ name: row.name, description: row.description, type: row.type, size: row.size, status: row.status },
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as ContentMetadata),
    origin: JSON.parse(row.origin) as ContentOrigin,
    options: JSON.parse(row.options) as ContentOptions,
    ...{ statusMessage: row.status_message, hash: row.hash, embedder: row.embedder, generation: row.generation },
    ...{ chunks: row.chunk_count, tokens: row.token_count, embedded: row.embedded, total: row.total },
    ...{ accessCount: row.access_count, createdAt: row.created_at, updatedAt: row.updated_at },
  };
}
