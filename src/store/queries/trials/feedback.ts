/** Stores feedback about runs. */
import { type SqlBool, sql } from "kysely";
import { visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { Rating } from "../../../model/trial.ts";
import type { FeedbackPosition, FeedbackStore, ListedFeedback, StoredFeedback } from "../../contract/feedback.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import { comparedAfter } from "../../rows/index-predicates.ts";
import type { RunFeedbackTable } from "../../rows/trial-tables.ts";
import { first, run, type Transaction } from "../../transaction.ts";

/** Max feedback that one page scans. */
const maxScanned = 2_000;

/** Makes the store of feedback of a database. */
export function feedbackStore(database: Database): FeedbackStore {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;

  function* put(
    runKey: number,
    author: string,
    { rating, note }: Pick<StoredFeedback, "rating" | "note">,
  ): Transaction<StoredFeedback | undefined> {
    const head = db.selectFrom("run_heads").select("run_key").where("run_key", "=", runKey).modifyEnd(locked);
    if ((yield* first(head)) === undefined) return undefined;
    const text = note === null ? null : JSON.stringify(note);
    const given = {
      rating: rating === "up" ? 1 : -1,
      note: sealText(encryption, "run_feedback.note", [runKey, author], text),
      updated_at: now,
    };
    const insert = db
      .insertInto("run_feedback")
      .values({ run_key: runKey, user_id: author, ...given, created_at: now });
    yield* run(insert.onConflict((same) => same.columns(["run_key", "user_id"]).doUpdateSet(given)));
    const stored = db.selectFrom("run_feedback").selectAll().where("run_key", "=", runKey);
    const row = yield* first(stored.where("user_id", "=", author));
    return row && toFeedback(row);
  }

  return {
    put: (runKey, userId, given) => database.write(() => put(runKey, userId ?? "", given)),

    async ofRun(runKey, limit) {
      const rows = db.selectFrom("run_feedback").selectAll().where("run_key", "=", runKey);
      const page = rows.orderBy("updated_at", "desc").orderBy("user_id", "desc").limit(limit);
      return (await database.read(page.compile())).map(toFeedback);
    },

    async remove(runKey, userId) {
      const mine = db
        .deleteFrom("run_feedback")
        .where("run_key", "=", runKey)
        .where("user_id", "=", userId ?? "");
      return (await database.write(() => run(mine))) > 0;
    },

    async list(caller, { kind, componentId, rating, userId, limit, after }) {
      let scanned = db
        .selectFrom("run_feedback")
        .selectAll()
        .orderBy("updated_at", "desc")
        .orderBy("run_key", "desc")
        .orderBy("user_id", "desc")
        .limit(sql.lit(maxScanned));
      if (userId !== undefined) scanned = scanned.where("user_id", "=", userId);
      if (after) {
        const place = sql`(${after.updatedAt}, ${after.runKey}, ${after.author})`;
        scanned = scanned.where(sql<SqlBool>`(updated_at, run_key, user_id) < ${place}`);
      }
      let rows = db
        .selectFrom(scanned.as("f"))
        .innerJoin("runs as r", "r.key", "f.run_key")
        .innerJoin("sessions as s", "s.key", "r.session_key")
        .selectAll("f")
        .select(["r.run_id as runId", "s.session_id as sessionId", "r.kind", "r.component_id as componentId"])
        .orderBy("f.updated_at", "desc")
        .orderBy("f.run_key", "desc")
        .orderBy("f.user_id", "desc")
        .limit(limit + 1);
      const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
      if (owner !== null) rows = rows.where(comparedAfter("r.key", "s.owner"), "=", owner);
      if (session !== null) rows = rows.where(comparedAfter("r.key", "s.session_id"), "=", session);
      if (kind !== undefined) rows = rows.where(comparedAfter("f.run_key", "r.kind"), "=", kind);
      if (componentId !== undefined) rows = rows.where(comparedAfter("f.run_key", "r.component_id"), "=", componentId);
      if (rating !== undefined) rows = rows.where("f.rating", "=", rating === "up" ? 1 : -1);
      const found = (await database.read(rows.compile())).map(toListed);
      const shown = found.slice(0, limit);
      if (found.length > limit) return { feedback: shown, next: shown.at(-1) };
      // The page scanned as much as it may: the next one continues after the last scanned place.
      const last = db
        .selectFrom(
          scanned
            .clearLimit()
            .limit(1)
            .offset(maxScanned - 1)
            .as("l"),
        )
        .select(["l.updated_at as updatedAt", "l.run_key as runKey", "l.user_id as author"]);
      const [next] = await database.read<FeedbackPosition>(last.compile());
      return { feedback: shown, next };
    },
  };
}

function toFeedback(row: RunFeedbackTable): StoredFeedback {
  return {
    userId: row.user_id === "" ? null : row.user_id,
    rating: ratingOf(row.rating),
    note: row.note === null ? null : (JSON.parse(row.note) as string),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toListed(
  row: RunFeedbackTable & Pick<ListedFeedback, "runId" | "sessionId" | "kind" | "componentId">,
): ListedFeedback {
  const { runId, sessionId, kind, componentId } = row;
  return { ...toFeedback(row), runId, sessionId, kind, componentId, runKey: row.run_key, author: row.user_id };
}

function ratingOf(rating: number): Rating {
  return rating > 0 ? "up" : "down";
}
