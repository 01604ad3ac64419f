/** Finds the sessions and the root runs of a user, in pages by key. */
import { type RawBuilder, sql } from "kysely";
import type { UserRun } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";

/** Rows per page. */
const pageSize = 200;

/** A session of the user. */
export interface UserSession {
  readonly key: number;
  /** Whether all runs of the session are the user's. */
  readonly isNamespace: boolean;
}

/** Reads of a user's rows. */
export interface OwnRows {
  /** The sessions that the user began, and the sessions of the user's namespace. */
  sessions(userId: string): AsyncGenerator<readonly UserSession[]>;
  /** See `UserDataStore.runs`. */
  runs(userId: string): AsyncGenerator<readonly UserRun[]>;
}

interface SessionRow {
  readonly key: number;
  readonly owner: string;
  readonly at: number;
}

interface RunRow extends UserRun {
  readonly seq: number;
  readonly userId: string | null;
  readonly kind: string;
  readonly componentId: string;
  readonly at: number;
}

/** Makes these reads for a database. */
export function ownRows(database: Database): OwnRows {
  const { db } = database.dialect;

  function read<Row>(query: RawBuilder<Row>): Promise<readonly Row[]> {
    return database.read(query.compile(db));
  }

  async function* sessions(userId: string): AsyncGenerator<readonly UserSession[]> {
    // One condition for each index. A session of the namespace that the user began is found by the second one.
    const conditions = [
      sql`user_id = ${userId} and user_id is not null and owner <> ${userId}`,
      sql`owner = ${userId} and owner <> ''`,
    ];
    for (const condition of conditions) {
      for (let last: SessionRow = { key: -1, owner: "", at: -1 }; ; ) {
        const rows = await read(
          sql<SessionRow>`select key, owner, created_at as at from sessions
            where ${condition} and (created_at, key) > (${last.at}, ${last.key}) order by created_at, key limit ${pageSize}`,
        );
        yield rows.map(({ key, owner }) => ({ key, isNamespace: owner === userId }));
        const end = rows.at(-1);
        if (end === undefined || rows.length < pageSize) break;
        last = end;
      }
    }
  }

  const columns = sql`r.key, h.status, r.session_seq as seq, r.user_id as "userId", r.kind, r.component_id as "componentId", r.created_at as at
    from runs r join run_heads h on h.run_key = r.key`;

  /** The user's runs in a session of the user. */
  async function* runsOf(userId: string, { key, isNamespace }: UserSession): AsyncGenerator<readonly UserRun[]> {
    for (let after = -1; ; ) {
      const rows = await read(
        sql<RunRow>`select ${columns} where r.session_key = ${key} and r.session_seq is not null and r.session_seq > ${after}
          order by r.session_seq limit ${pageSize}`,
      );
      yield rows.filter((row) => isNamespace || row.userId === null || row.userId === userId).map(toRun);
      const end = rows.at(-1);
      if (end === undefined || rows.length < pageSize) return;
      after = end.seq;
    }
  }

  /** The user's runs in sessions of others, or of no user. */
  async function* runsElsewhere(userId: string): AsyncGenerator<readonly UserRun[]> {
    for (let after = sql`('', '', -1, -1)`; ; ) {
      const rows = await read(
        sql<
          RunRow & { readonly isOwn: number }
        >`select case when s.owner = ${userId} or s.user_id = ${userId} then 1 else 0 end as "isOwn",
          page.* from (
            select ${columns} where r.user_id = ${userId} and r.user_id is not null and r.session_seq is not null
              and (r.kind, r.component_id, r.created_at, r.key) > ${after}
            order by r.kind, r.component_id, r.created_at, r.key limit ${pageSize}
          ) as page join runs q on q.key = page.key left join sessions s on s.key = q.session_key
          order by page.kind, page."componentId", page.at, page.key`,
      );
      yield rows.filter(({ isOwn }) => Number(isOwn) === 0).map(toRun);
      const end = rows.at(-1);
      if (end === undefined || rows.length < pageSize) return;
      after = sql`(${end.kind}, ${end.componentId}, ${end.at}, ${end.key})`;
    }
  }

  return {
    sessions,
    async *runs(userId) {
      for await (const page of sessions(userId)) for (const session of page) yield* runsOf(userId, session);
      yield* runsElsewhere(userId);
    },
  };
}

function toRun({ key, status }: RunRow): UserRun {
  return { key, status };
}
