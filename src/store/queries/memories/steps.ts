/** Steps of transactions that change memories of one user. */
import { type Selectable, sql } from "kysely";
import { type Memory, maxMemoriesPerUser } from "../../../model/memory.ts";
import type { ChangedMemories, MemoryChange, NewMemory } from "../../contract/memories.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { MemoriesTable } from "../../rows/memory-tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";

/** Rows per insert. */
const maxRows = 100;

/** The memory of a row. */
export function toMemory(row: Selectable<MemoriesTable>): Memory {
  const { memory, topics } = JSON.parse(row.body) as Pick<Memory, "memory" | "topics">;
  return {
    ...{ id: row.id, userId: row.user_id, memory, topics, origin: row.origin },
    ...{ agentId: row.agent_id, teamId: row.team_id, runId: row.run_id, sessionId: row.session_id },
    ...{ revision: row.revision, createdAt: row.created_at, updatedAt: row.updated_at },
  };
}

/** The steps. */
export interface MemorySteps {
  /** Locks the user's memories until the commit. */
  lock(userId: string): Transaction<void>;
  /** Ids and revisions of the user's memories. */
  revisions(userId: string): Transaction<readonly Pick<Memory, "id" | "revision">[]>;
  /** Applies changes. The user must be locked. */
  apply(userId: string, changes: readonly MemoryChange[]): Transaction<ChangedMemories>;
  /** Updates the row of a user after memories were deleted. The user must be locked. */
  count(userId: string): Transaction<void>;
}

/** Makes these steps for a database. */
export function memorySteps({
  dialect: { db, now },
  encryption,
}: Pick<Database, "dialect" | "encryption">): MemorySteps {
  const sealed = (id: string, memory: string, topics: readonly string[]): string =>
    sealText(encryption, "memories.body", [id], JSON.stringify({ memory, topics }));

  const ofUser = (userId: string, id: string) =>
    db.selectFrom("memories").selectAll().where("id", "=", id).where("user_id", "=", userId);

  function* add(userId: string, added: readonly NewMemory[]): Transaction<void> {
    for (let start = 0; start < added.length; start += maxRows) {
      const rows = added.slice(start, start + maxRows).map(({ id, memory, topics, ...source }) => ({
        ...{ id, user_id: userId, body: sealed(id, memory, topics), origin: source.origin },
        ...{ agent_id: source.agentId, team_id: source.teamId, run_id: source.runId, session_id: source.sessionId },
        ...{ revision: 1, created_at: now, updated_at: now },
      }));
      yield* run(
        db
          .insertInto("memories")
          .values(rows)
          .onConflict((same) => same.column("id").doNothing()),
      );
    }
  }

  function* update(userId: string, change: MemoryChange & { readonly kind: "update" }): Transaction<boolean> {
    const row = yield* first(ofUser(userId, change.id));
    if (row === undefined) return false;
    const { memory, topics } = toMemory(row);
    const { source } = change;
    const changed = {
      body: sealed(change.id, change.memory ?? memory, change.topics ?? topics),
      ...{ revision: row.revision + 1, updated_at: now },
      ...(source && {
        ...{ origin: source.origin, agent_id: source.agentId, team_id: source.teamId },
        ...{ run_id: source.runId, session_id: source.sessionId },
      }),
    };
    yield* run(db.updateTable("memories").set(changed).where("key", "=", row.key));
    return true;
  }

  function* count(userId: string): Transaction<void> {
    const mine = db.selectFrom("memories").where("user_id", "=", userId);
    const sums = mine.select([sql<number>`count(*)`.as("memories"), sql<number>`max(updated_at)`.as("updated_at")]);
    const { memories, updated_at } = (yield* first(sums)) ?? { memories: 0, updated_at: 0 };
    const user = { memories: Number(memories), updated_at: Number(updated_at) };
    if (user.memories === 0) yield* run(db.deleteFrom("memory_users").where("user_id", "=", userId));
    else yield* run(db.updateTable("memory_users").set(user).where("user_id", "=", userId));
  }

  return {
    *lock(userId) {
      const row = db.insertInto("memory_users").values({ user_id: userId, memories: 0, updated_at: 0 });
      const same = { memories: sql<number>`memory_users.memories` };
      yield* run(row.onConflict((conflict) => conflict.column("user_id").doUpdateSet(same)));
    },

    revisions: (userId) => all(db.selectFrom("memories").select(["id", "revision"]).where("user_id", "=", userId)),

    *apply(userId, changes) {
      const stored = db.selectFrom("memories").select(sql<number>`count(*)`.as("count"));
      const left = maxMemoriesPerUser - Number((yield* first(stored.where("user_id", "=", userId)))?.count ?? 0);
      // Deletions first: they make room.
      const ids = changes.flatMap((change) => (change.kind === "delete" ? [change.id] : []));
      const gone = db.deleteFrom("memories").where("user_id", "=", userId);
      const deleted = ids.length > 0 ? yield* run(gone.where("id", "in", ids)) : 0;
      const added = changes.filter((change) => change.kind === "add");
      const accepted = added.slice(0, Math.max(0, left + deleted));
      yield* add(userId, accepted);
      for (const change of changes) if (change.kind === "update") yield* update(userId, change);
      yield* count(userId);
      const kept = changes.flatMap((change) => (change.kind === "update" ? [change.id] : []));
      const changed = [...new Set([...kept, ...accepted.map(({ id }) => id)])];
      const mine = db.selectFrom("memories").selectAll().where("user_id", "=", userId);
      const rows = changed.length > 0 ? yield* all(mine.where("id", "in", changed)) : [];
      const byId = new Map(rows.map((row) => [row.id, row]));
      const memories = changed.flatMap((id) => {
        const row = byId.get(id);
        return row ? [toMemory(row)] : [];
      });
      const rejected = added.length - accepted.length;
      return { memories, deleted, rejected };
    },

    count,
  };
}
