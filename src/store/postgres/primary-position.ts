/** The primary's position in its history, with a token that shows that a standby has the same history. */
import { sql } from "kysely";
import type { ReadableDatabase } from "../database.ts";
import { postgresDialect } from "../dialect.ts";

/** A position. */
export interface Position {
  /** End of the write-ahead log. Everything that is visible on the primary was written before it. */
  readonly lsn: string;
  /** Names the last renewal of this process's lease: the transaction and the time. Only servers with the primary's history have it. */
  readonly token: string;
}

interface PositionRow {
  readonly lsn: string;
  readonly timeline: string;
  readonly token: string | null;
}

/**
 * Reads positions. A new primary may lack the last transactions of the old one, and another standby of the old one may have them. So a token counts only
 * if this process wrote it after it first saw the primary's timeline.
 */
export class PrimaryPosition {
  readonly #primary: Pick<ReadableDatabase, "read">;
  readonly #processId: string;
  #timeline: string | undefined;
  /** The token when the timeline was first seen. */
  #firstToken: string | null = null;

  constructor(primary: Pick<ReadableDatabase, "read">, processId: string) {
    this.#primary = primary;
    this.#processId = processId;
  }

  /** The present position; undefined while no token shows the primary's history. Rejects if the primary does not respond. */
  async read(): Promise<Position | undefined> {
    const [row] = await this.#primary.read(selectPosition(this.#processId).compile(postgresDialect.db));
    if (row === undefined) return undefined;
    const { lsn, timeline, token } = row;
    if (timeline !== this.#timeline) {
      this.#timeline = timeline;
      this.#firstToken = token;
    }
    return token === null || token === this.#firstToken ? undefined : { lsn, token };
  }
}

function selectPosition(processId: string) {
  return sql<PositionRow>`select pg_current_wal_insert_lsn()::text as lsn, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline,
    (select xmin::text || '/' || lease_until from processes where id = ${processId}) as token`;
}
