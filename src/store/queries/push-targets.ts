/** Stores, claims and releases push notification targets. */
import { type CompiledQuery, type RawBuilder, type SqlBool, sql } from "kysely";
import type { PushTarget } from "../../model/push.ts";
import { Shares } from "../../model/shares.ts";
import type { ClaimedPush, PushClaimRequest, PushStore } from "../contract/push-targets.ts";
import type { Database } from "../database.ts";
import { undecryptable } from "../encryption/encryption.ts";
import { sealPushTarget } from "../encryption/push-target.ts";
import { matchesIndex } from "../rows/index-predicates.ts";
import type { PushTargetsTable } from "../rows/tables.ts";
import { all, first, run, type Transaction } from "../transaction.ts";

/** A new target's row. */
export type NewPushTarget = Pick<
  PushTargetsTable,
  "run_key" | "id" | "url" | "config" | "version" | "created_at" | "cursor" | "user_id"
>;

/** The row of a target: for a new run, no notification was sent yet. */
export function toPushRow(
  runKey: number,
  target: PushTarget,
  { createdAt, userId }: { readonly createdAt: number; readonly userId: string | null },
): NewPushTarget {
  const { id, url, version, token, authentication } = target;
  const config = JSON.stringify({ token, authentication });
  return { run_key: runKey, id, url, config, version, created_at: createdAt, cursor: -1, user_id: userId ?? "" };
}

function toTarget({
  id,
  url,
  config,
  version,
}: Pick<PushTargetsTable, "id" | "url" | "config" | "version">): PushTarget {
  return { id, url, version, ...(JSON.parse(config) as Pick<PushTarget, "token" | "authentication">) };
}

/** Makes the push target store of a database. */
export function pushStore(database: Database): PushStore {
  const { db, now, nowOnce, locked, lockedOrSkipped } = database.dialect;
  const targets = db.selectFrom("push_targets");
  const isOrphaned = sql<SqlBool>`not exists (select 1 from processes p
    where p.id = push_targets.owner and p.lease_until >= ${now})`;

  const dueAgain = sql<number | null>`case when push_targets.due_at is null then null else ${now} end`;

  function* put(
    runKey: number,
    target: PushTarget,
    { cursor, maxTargets }: { cursor: number; maxTargets: number },
  ): Transaction<"stored" | "full" | "gone"> {
    // Locks the run, so that it cannot be deleted or end before the target is stored.
    const head = db.selectFrom("run_heads").select("user_id").where("run_key", "=", runKey).modifyEnd(locked);
    const found = yield* first(head);
    if (!found) return "gone";
    const others = yield* all(
      targets
        .select("id")
        .where("run_key", "=", runKey)
        .limit(maxTargets + 1),
    );
    if (!others.some(({ id }) => id === target.id) && others.length >= maxTargets) return "full";
    const made = toPushRow(runKey, target, { createdAt: 0, userId: found.user_id });
    const row = { ...sealPushTarget(database.encryption, made), cursor, created_at: now };
    const insert = db.insertInto("push_targets").values({ ...row, ...idle, marks: 1, due_at: now });
    const { url, config, version } = row;
    // A process that holds the replaced target loses it: remaining notifications go to the new target, and at once.
    const replaced = { failures: 0, owner: null, claims: sql<number>`push_targets.claims + 1`, due_at: dueAgain };
    yield* run(
      insert.onConflict((same) => same.columns(["run_key", "id"]).doUpdateSet({ url, config, version, ...replaced })),
    );
    return "stored";
  }

  /** Users with targets that are due now or later. */
  function waitingUsers(): CompiledQuery<WaitingUser> {
    const next = (beyond: RawBuilder<unknown>) =>
      sql`(select user_id from push_targets where ${isWaiting} ${beyond} order by user_id limit 1)`;
    const query = sql<WaitingUser>`
      with recursive users(user_id) as (
        select ${next(sql``)}
        union all
        select ${next(sql`and user_id > users.user_id`)} from users where users.user_id is not null
      )
      select user_id as "user", (select min(t.due_at) from push_targets t
          where ${matchesIndex("push_targets_due", "t")} and t.user_id = users.user_id) - ${now} as "left"
        from users where user_id is not null limit ${maxUsers}`;
    return query.compile(db);
  }

  /** Returns the targets that have been due longest, up to the share of each user. */
  function* dueTargets(limit: number, held: Shares, maxHeld: number): Transaction<readonly PushKey[]> {
    const dueNow = targets.where(isWaiting).where("due_at", "<=", nowOnce);
    if (!(yield* first(dueNow.select("id").orderBy("due_at").limit(1)))) return [];
    const shares = new Shares(held);
    const users = (yield* all({ compile: waitingUsers }))
      .filter(({ left }) => Number(left) <= 0)
      .map(({ user }) => user);
    // Counts all users before it computes the first share.
    for (const user of users) shares.add(user, 1);
    const waiting = users
      .map((user) => ({ user, own: held.of(user), room: shares.shareOf(user, maxHeld) - held.of(user) }))
      .filter(({ room }) => room > 0)
      .sort((a, b) => a.own - b.own);
    const found: PushKey[] = [];
    for (const [place, { user, room }] of waiting.entries()) {
      const rest = limit - found.length;
      const fair = Math.ceil(rest / (waiting.length - place));
      const slots = Math.min(room, fair);
      if (slots === 0) break;
      const own = dueNow.select(["run_key", "id"]).where("user_id", "=", user).orderBy("due_at").limit(slots);
      found.push(...(yield* all(own.modifyEnd(lockedOrSkipped))));
    }
    return found;
  }

  function* claim({ owner, limit, orphans, held, maxHeld }: PushClaimRequest): Transaction<readonly ClaimedPush[]> {
    const found = yield* dueTargets(limit, held ?? new Shares(), maxHeld ?? Number.POSITIVE_INFINITY);
    const left = targets.select(["run_key", "id"]).where("owner", "is not", null).where(isOrphaned);
    const missing = orphans ? limit - found.length : 0;
    const orphaned = missing > 0 ? yield* all(left.limit(missing).modifyEnd(lockedOrSkipped)) : [];
    const claimed: ClaimedPush[] = [];
    for (const { run_key, id } of [...found, ...orphaned]) {
      const taken = db.updateTable("push_targets").set({ owner, claims: sql<number>`claims + 1` });
      const row = yield* first(taken.where("run_key", "=", run_key).where("id", "=", id).returningAll());
      const of = yield* first(ofRun(run_key));
      if (row && (row.url === undecryptable || row.config === undecryptable)) yield* stop(row);
      else if (row && of) claimed.push({ ...of, ...statusOf(row), target: toTarget(row) });
    }
    return claimed;
  }

  /** Ends the notifications of a target that cannot be read. */
  function* stop({ run_key, id }: PushKey): Transaction<void> {
    const stopped = db.updateTable("push_targets").set({ due_at: null, owner: null });
    yield* run(stopped.where("run_key", "=", run_key).where("id", "=", id));
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

    claim: (request) => database.write(() => claim(request)),

    async isClaimValid({ key, target, claim: held }) {
      const query = targets.select("id").where("run_key", "=", key).where("id", "=", target.id);
      return (await database.read(query.where("claims", "=", held).compile())).length > 0;
    },

    async finish(claimed, { cursor, retryIn, failures }) {
      const again = sql<number | null>`case when marks > ${claimed.statusChanges} then ${now} else null end`;
      const later = sql<number>`${now} + ${sql.lit(Math.round(retryIn ?? 0))}`;
      const due = retryIn === null ? again : later;
      const change = db.updateTable("push_targets").set({ due_at: due, failures, cursor, owner: null });
      const held = change.where("run_key", "=", claimed.key).where("id", "=", claimed.target.id);
      return (await database.write(() => run(held.where("claims", "=", claimed.claim)))) > 0;
    },

    async release(owner) {
      await database.write(() => run(db.updateTable("push_targets").set({ owner: null }).where("owner", "=", owner)));
    },

    async untilDue(held, maxHeld) {
      if (held && maxHeld !== undefined && [...held].some(([user, own]) => own >= held.shareOf(user, maxHeld))) {
        const users = await database.read(waitingUsers());
        const hasRoom = ({ user }: WaitingUser): boolean => held.of(user) < held.shareOf(user, maxHeld);
        const times = users.filter(hasRoom).map(({ left }) => Math.max(0, Number(left)));
        return times.length === 0 ? null : Math.min(...times);
      }
      const query = targets.select(sql<number | null>`min(due_at) - ${now}`.as("left")).where(isWaiting);
      const [row] = await database.read(query.compile());
      return row === undefined || row.left === null ? null : Math.max(0, Number(row.left));
    },
  };
}

/** State of a target that no process holds. */
const idle = { failures: 0, owner: null, claims: 0 } as const;

/** Max users considered. */
const maxUsers = 10_000;

/** No process holds it, and a notification is or will be due. */
const isWaiting = matchesIndex("push_targets_due");

interface WaitingUser {
  readonly user: string;
  /** Milliseconds until the first of the user's targets is due. */
  readonly left: number;
}

type PushKey = Pick<PushTargetsTable, "run_key" | "id">;

function statusOf(
  row: PushTargetsTable,
): Pick<ClaimedPush, "userId" | "cursor" | "statusChanges" | "failures" | "claim"> {
  return {
    userId: row.user_id,
    cursor: row.cursor,
    statusChanges: row.marks,
    failures: row.failures,
    claim: row.claims,
  };
}
