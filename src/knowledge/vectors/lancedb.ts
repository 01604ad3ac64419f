/** Embeddings in LanceDB, which runs in the process of the server. */
import { createHash } from "node:crypto";
import type { VectorMetadata, VectorPoint, VectorSearch, VectorStore } from "../../define/vector-store.ts";
import { ConfigurationError } from "../../errors.ts";
import type { MetadataFilter } from "../../model/metadata-filters.ts";

/** Options of a LanceDB database. */
export interface LanceDbOptions {
  /** A folder, or the address of a bucket that several servers share, such as `s3://acme-vectors/troupe`. */
  readonly uri: string;
  /** Identifies the database when it moves to another place. Default: derived from `uri`. */
  readonly id?: string;
  /** Options of the bucket, such as its keys and its region, as LanceDB names them. */
  readonly storageOptions?: Readonly<Record<string, string>>;
}

/** The part of the package `@lancedb/lancedb` that is used. */
export interface LanceDb {
  connect(uri: string, options: object): Promise<Connection>;
}
interface Connection {
  listTables(options: { readonly pageToken?: string; readonly limit: number }): Promise<{
    readonly tables: readonly string[];
    readonly pageToken?: string;
  }>;
  openTable(name: string): Promise<Table>;
  createTable(name: string, rows: readonly object[], options: object): Promise<Table>;
}
interface Table {
  mergeInsert(on: string): Merge;
  update(change: { readonly where: string; readonly valuesSql: Readonly<Record<string, string>> }): Promise<unknown>;
  delete(where: string): Promise<unknown>;
  query(): Query;
  optimize(): Promise<unknown>;
}
interface Merge {
  whenMatchedUpdateAll(): Merge;
  whenNotMatchedInsertAll(): Merge;
  execute(rows: readonly object[]): Promise<unknown>;
}
interface Query {
  nearestTo(vector: Float32Array): Query;
  distanceType(type: "cosine"): Query;
  where(condition: string): Query;
  select(columns: readonly string[]): Query;
  limit(limit: number): Query;
  toArray(): Promise<readonly Row[]>;
}
interface Row {
  readonly id: string;
  readonly vector: Iterable<number>;
  readonly _distance: number;
}

const packageName = "@lancedb/lancedb";

/** Seconds after which a process sees the writes of another process. */
const readConsistencyInterval = 2;

/** Writes after which the files of a table are merged: each write adds files. */
const writesPerOptimize = 64;

/** Ids in one condition. */
const maxIds = 500;

/** A tag that all rows have: LanceDB derives the type of a column from its first rows. */
const anyTag = "*";

/**
 * Makes a store of embeddings in LanceDB. It needs the package `@lancedb/lancedb`. Each embedder has a table of its own.
 *
 * @example
 * ```ts
 * const manual = defineKnowledge({
 *   id: "manual",
 *   embedder: "openai:text-embedding-3-small",
 *   vectors: lanceDbVectors({ uri: "./vectors" }),
 * });
 * ```
 * @throws ConfigurationError
 */
export function lanceDbVectors(options: LanceDbOptions): VectorStore {
  return lanceDbStore(options, load);
}

/** The same with another way to load the package. */
export function lanceDbStore(options: LanceDbOptions, loadPackage: () => Promise<LanceDb>): VectorStore {
  const { uri, storageOptions } = options;
  if (typeof uri !== "string" || uri === "")
    throw new ConfigurationError(`lanceDbVectors: uri must be a folder or an address, such as "./vectors".`);
  const { id = `lancedb-${digest(uri).slice(0, 8)}` } = options;
  let connecting: Promise<Connection> | undefined;
  const tables = new Map<string, Promise<Table>>();
  let last: Promise<unknown> = Promise.resolve();
  let writes = 0;

  async function connect(): Promise<Connection> {
    const { connect: open } = await loadPackage();
    return await open(uri, {
      readConsistencyInterval,
      ...(storageOptions && { storageOptions: { ...storageOptions } }),
    });
  }

  const connected = (): Promise<Connection> => {
    connecting ??= connect().catch((error: unknown) => {
      connecting = undefined;
      throw error;
    });
    return connecting;
  };

  const open = (name: string): Promise<Table> => {
    const known =
      tables.get(name) ??
      connected()
        .then((database) => database.openTable(name))
        .catch((error: unknown) => {
          tables.delete(name);
          throw error;
        });
    tables.set(name, known);
    return known;
  };

  async function names(prefix: string): Promise<readonly string[]> {
    const database = await connected();
    const found: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await database.listTables({ limit: 100, ...(pageToken !== undefined && { pageToken }) });
      found.push(...page.tables.filter((name) => name.startsWith(prefix)));
      pageToken = page.pageToken;
    } while (pageToken);
    return found;
  }

  /** Writes one after another: concurrent writes of a table would conflict, and be repeated. */
  function write<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.catch(() => undefined).then(work);
    last = turn;
    return turn;
  }

  async function optimizeSometimes(table: Table): Promise<void> {
    writes++;
    // The write is done. A later one repeats what fails here.
    if (writes % writesPerOptimize === 0) await table.optimize().catch(() => undefined);
  }

  async function upsert(name: string, points: readonly VectorPoint[]): Promise<void> {
    const rows = points.map(toRow);
    const isKnown = (await names(name)).includes(name);
    const table = isKnown ? await open(name) : await create(name, rows);
    await table.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
    await optimizeSometimes(table);
  }

  /** Another process may create the table at the same time: then its rows are not added. */
  async function create(name: string, rows: readonly object[]): Promise<Table> {
    const database = await connected();
    await database.createTable(name, rows, { mode: "create", existOk: true });
    return await open(name);
  }

  return {
    id,

    upsert: (points, signal) =>
      write(async () => {
        signal.throwIfAborted();
        const byTable = Map.groupBy(points, ({ embedder, vector }) => tableOf(embedder, vector.length));
        for (const [name, some] of byTable) await upsert(name, some);
      }),

    async read({ embedder, ids }, signal) {
      const found = new Map<string, Float32Array>();
      for (const name of await names(tableOf(embedder))) {
        const table = await open(name);
        for (let first = 0; first < ids.length; first += maxIds) {
          signal.throwIfAborted();
          const condition = isOneOf("id", ids.slice(first, first + maxIds));
          const rows = await table.query().where(condition).select(["id", "vector"]).limit(maxIds).toArray();
          for (const row of rows) found.set(row.id, Float32Array.from(row.vector));
        }
      }
      return found;
    },

    setMetadata: (document, metadata, signal) =>
      write(async () => {
        const tags = tagsOf(metadata).map(text).join(", ");
        for (const name of await names(tablePrefix)) {
          signal.throwIfAborted();
          const table = await open(name);
          await table.update({ where: `document = ${text(document)}`, valuesSql: { tags: `make_array(${tags})` } });
          await optimizeSometimes(table);
        }
      }),

    delete: (document, ids, signal) =>
      write(async () => {
        const isDocument = `document = ${text(document)}`;
        for (const name of await names(tablePrefix)) {
          const table = await open(name);
          if (ids === "all") await table.delete(isDocument);
          else
            for (let first = 0; first < ids.length; first += maxIds) {
              signal.throwIfAborted();
              await table.delete(`${isDocument} AND ${isOneOf("id", ids.slice(first, first + maxIds))}`);
            }
          await optimizeSometimes(table);
        }
      }),

    async search(search, signal) {
      signal.throwIfAborted();
      const name = tableOf(search.embedder, search.vector.length);
      if (!tables.has(name) && !(await names(name)).includes(name)) return [];
      const table = await open(name);
      const nearest = table.query().nearestTo(search.vector).distanceType("cosine").where(conditionOf(search));
      const rows = await nearest.select(["id", "_distance"]).limit(search.limit).toArray();
      return rows.map(({ id: found, _distance }) => ({ id: found, distance: _distance }));
    },
  };
}

async function load(): Promise<LanceDb> {
  try {
    return (await import(packageName)) as LanceDb;
  } catch (error) {
    throw new ConfigurationError(`lanceDbVectors needs the package ${packageName}: install it.`, { cause: error });
  }
}

function digest(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

const tablePrefix = "vectors_";

/** The table of vectors with a number of dimensions; without it, the beginning of its name. */
function tableOf(embedder: string, dimensions?: number): string {
  return `${tablePrefix}${digest(embedder).slice(0, 16)}_${dimensions ?? ""}`;
}

function toRow({ id, vector, knowledgeId, document, owner, metadata }: VectorPoint): object {
  return { id, vector: [...vector], knowledge: knowledgeId, document, owner, tags: tagsOf(metadata) };
}

/** The members that can be compared for equality: `team="docs"`. */
function tagsOf(metadata: VectorMetadata): readonly string[] {
  const tags = Object.entries(metadata).flatMap(([member, value]) =>
    ["string", "number", "boolean"].includes(typeof value) ? [tagOf(member, value)] : [],
  );
  return [anyTag, ...tags];
}

function tagOf(member: string, value: unknown): string {
  return `${JSON.stringify(member)}=${JSON.stringify(value)}`;
}

/** A literal of SQL. */
function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function isOneOf(column: string, values: readonly string[]): string {
  return `${column} IN (${values.map(text).join(", ")})`;
}

function conditionOf({ knowledgeId, owners, filters }: VectorSearch): string {
  return [
    `knowledge = ${text(knowledgeId)}`,
    ...(owners ? [isOneOf("owner", owners)] : []),
    ...filters.flatMap((filter) => filterOf(filter)),
  ].join(" AND ");
}

/** The condition of a filter. Ranges and missing members are left to the database. */
function filterOf(filter: MetadataFilter): readonly string[] {
  const wanted =
    "in" in filter ? filter.in : "equals" in filter && filter.equals !== null ? [filter.equals] : undefined;
  if (wanted === undefined) return [];
  if (wanted.length === 0) return ["false"];
  const tags = wanted.map((value) => text(tagOf(filter.member, value)));
  return [`array_has_any(tags, make_array(${tags.join(", ")}))`];
}
