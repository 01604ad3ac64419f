/** Targets of push notifications as they are stored, claimed and settled. */
import { type SqlBool, sql } from "kysely";
import type { PushTarget } from "../model/push.ts";
import type { Database } from "./database.ts";
import type { ClaimedPush, PushStore } from "./push-seam.ts";
import type { PushTargetsTable } from "./tables.ts";
import { all, first, run, type Work } from "./work.ts";

/** A new target's row. */
export type NewPushTarget = Pick<
  PushTargetsTable,
  "run_key" | "id" | "url" | "config" | "version" | "created_at" | "cursor"
>;

/** A target in the words of the table: of a new run, nothing was told. */
export function toPushRow(runKey: number, target: PushTarget, createdAt: number): NewPushTarget {
  const { id, url, version, token, authentication } = target;
  const config = JSON.stringify({ token, authentication });
  return { run_key: runKey, id, url, config, version, created_at: createdAt, cursor: -1 };
}

function toTarget({
  id,
  url,
  config,
  version,
}: Pick<PushTargetsTable, "id" | "url" | "config" | "version">): PushTarget {
  return { id, url, version, ...(JSON.parse(config) as Pick<PushTarget, "token" | "authentication">) };
}

/** Makes it for a database. */
export function pushTargets(database: Database): PushStore {
  const { db, now, locked, lockedOrSkipped } = database.dialect;
  const targets = db.selectFrom("push_targets");
  const isLeft = sql<SqlBool>`not exists (select 1 from processes p
    where p.id = push_targets.owner and p.lease_until >= ${now})`;

  const dueNow = sql<number | null>`case when push_targets.due_at is null then null else ${now} end`;

  function* put(
    runKey: number,
    target: PushTarget,
    { cursor, most }: { cursor: number; most: number },
  ): Work<"stored" | "full" | "gone"> {
    // Nobody deletes the run, or ends it, before the target is there.
    const head = db.selectFrom("run_heads").select("run_key").where("run_key", "=", runKey).modifyEnd(locked);
    if (!(yield* first(head))) return "gone";
    const others = yield* all(
      targets
        .select("id")
        .where("run_key", "=", runKey)
        .limit(most + 1),
    );
    if (!others.some(({ id }) => id === target.id) && others.length >= most) return "full";
    const row = { ...toPushRow(runKey, target, 0), cursor, created_at: now };
    const insert = db.insertInto("push_targets").values({ ...row, ...idle, marks: 1, due_at: now });
    const { url, config, version } = row;
    // Who has the earlier one in hand has lost it: what is still to be told goes to the new one, and at once.
    const anew = { failures: 0, owner: null, claims: sql<number>`push_targets.claims + 1`, due_at: dueNow };
    yield* run(
      insert.onConflict((same) => same.columns(["run_key", "id"]).doUpdateSet({ url, config, version, ...anew })),
    );
    return "stored";
  }

  function* claim(owner: string, most: number, orphans: boolean): Work<readonly ClaimedPush[]> {
    const due = targets.select(["run_key", "id"]).where("owner", "is", null).where("due_at", "<=", now);
    const found = yield* all(due.orderBy("due_at").limit(most).modifyEnd(lockedOrSkipped));
    const left = targets.select(["run_key", "id"]).where("owner", "is not", null).where(isLeft);
    const missing = orphans ? most - found.length : 0;
    const orphaned = missing > 0 ? yield* all(left.limit(missing).modifyEnd(lockedOrSkipped)) : [];
    const claimed: ClaimedPush[] = [];
    for (const { run_key, id } of [...found, ...orphaned]) {
      const taken = db.updateTable("push_targets").set({ owner, claims: sql<number>`claims + 1` });
      const row = yield* first(taken.where("run_key", "=", run_key).where("id", "=", id).returningAll());
      const of = yield* first(ofRun(run_key));
      if (row && of) claimed.push({ ...of, ...statusOf(row), target: toTarget(row) });
    }
    return claimed;
  }

  function ofRun(runKey: number) {
    return db
      .selectFrom("runs as r")
      .innerJoin("sessions as s", "s.key", "r.session_key")
      .select(["r.key", "r.run_id as runId", "r.kind", "r.component_id as componentId", "s.session_id as sessionId"])
      .select("r.created_at as createdAt")
      .where("r.key", "=", runKey);
  }

  function one(runKey: number, id: string) {
    return targets.selectAll().where("run_key", "=", runKey).where("id", "=", id);
  }

  return {
    put: (runKey, target, at) => database.write(() => put(runKey, target, at)),

    async find(runKey, id) {
      const [row] = await database.read(one(runKey, id).compile());
      return row && toTarget(row);
    },

    async list(runKey, { limit, after }) {
      const ofKey = targets.selectAll().where("run_key", "=", runKey).orderBy("id").limit(limit);
      const rows = await database.read((after === undefined ? ofKey : ofKey.where("id", ">", after)).compile());
      return rows.map(toTarget);
    },

    async remove(runKey, id) {
      const gone = db.deleteFrom("push_targets").where("run_key", "=", runKey).where("id", "=", id);
      return (await database.write(() => run(gone))) > 0;
    },

    claim: ({ owner, most, orphans }) => database.write(() => claim(owner, most, orphans)),

    async holds({ key, target, claim: held }) {
      const query = targets.select("id").where("run_key", "=", key).where("id", "=", target.id);
      return (await database.read(query.where("claims", "=", held).compile())).length > 0;
    },

    async settle(claimed, { cursor, retryIn, failures }) {
      const again = sql<number | null>`case when marks > ${claimed.marks} then ${now} else null end`;
      const later = sql<number>`${now} + ${sql.lit(Math.round(retryIn ?? 0))}`;
      const due = retryIn === null ? again : later;
      const change = db.updateTable("push_targets").set({ due_at: due, failures, cursor, owner: null });
      const held = change.where("run_key", "=", claimed.key).where("id", "=", claimed.target.id);
      return (await database.write(() => run(held.where("claims", "=", claimed.claim)))) > 0;
    },

    async release(owner) {
      await database.write(() => run(db.updateTable("push_targets").set({ owner: null }).where("owner", "=", owner)));
    },

    async untilDue() {
      const query = targets.select(sql<number | null>`min(due_at) - ${now}`.as("left")).where("owner", "is", null);
      const [row] = await database.read(query.where("due_at", "is not", null).compile());
      return row === undefined || row.left === null ? null : Math.max(0, Number(row.left));
    },
  };
}

/** A target that nobody has in hand. */
const idle = { failures: 0, owner: null, claims: 0 } as const;

function statusOf(row: PushTargetsTable): Pick<ClaimedPush, "cursor" | "marks" | "failures" | "claim"> {
  return { cursor: row.cursor, marks: row.marks, failures: row.failures, claim: row.claims };
}
