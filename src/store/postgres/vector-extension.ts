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
