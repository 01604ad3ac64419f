/** The extension pgvector, which gives searches in documents an index of their embeddings. */
import { Hosts } from "./hosts.ts";

/** The first version whose index scans continue until enough rows match. */
const minVersion = [0, 8] as const;

/** The extension of a server. */
export interface VectorExtension {
  /** The version in the database; null if it is not installed there. */
  readonly installed: string | null;
  /** The version that an installation gets. */
  readonly version: string;
}

/** The query that finds it: one row, or none. */
export const vectorExtensionQuery = `select installed_version as installed, default_version as version
  from pg_available_extensions where name = 'vector'`;

/** Returns what an operator has to do before the extension can be used; undefined for nothing. */
export function vectorAdvice(found: VectorExtension | undefined): string | undefined {
  const least = minVersion.join(".");
  if (!found) return `The Postgres server has no extension pgvector: install it (version ${least} or newer).`;
  const [major = 0, minor = 0] = (found.installed ?? found.version).split(".").map(Number);
  if (major > minVersion[0] || minor >= minVersion[1]) return undefined;
  return `pgvector is older than ${least}: install a newer one and run "alter extension vector update".`;
}

/** Looks for the extension. It changes nothing. */
export async function findVectorExtension(url: string): Promise<VectorExtension | undefined> {
  const { rows } = await new Hosts(url).withClient((client) => client.query<VectorExtension>(vectorExtensionQuery));
  return rows[0];
}

/** The index of embeddings with a number of dimensions. */
export interface VectorIndexState {
  readonly name: string;
  /** Whether statements use it: an index that is being built, or whose build was interrupted, is not valid. */
  readonly valid: boolean;
  /** Whether it is being built at this moment. */
  readonly building: boolean;
}

const indexPrefix = "knowledge_vectors_hnsw_";

/** The name of the index of a number of dimensions. */
export function indexNameOf(dimensions: number): string {
  return `${indexPrefix}${dimensions}`;
}

/** The query that finds the index of a number of dimensions; without it, all of them. */
export function indexStateQuery(dimensions?: number): string {
  const name = dimensions === undefined ? `like '${indexPrefix}%'` : `= '${indexNameOf(dimensions)}'`;
  return `select c.relname as name, i.indisvalid and i.indisready as valid,
    exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as building
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass(quote_ident(current_schema()) || '.knowledge_vectors') and c.relname ${name} order by 1`;
}

/** The indexes of embeddings. It changes nothing. */
export async function findVectorIndexes(url: string): Promise<readonly VectorIndexState[]> {
  const { rows } = await new Hosts(url).withClient((client) => client.query<VectorIndexState>(indexStateQuery()));
  return rows;
}
