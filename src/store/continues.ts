/** Answers to pauses: written with the approvals that they resolve, or not at all. */
import { resolvedRow, toApproval } from "./approval-rows.ts";
import type { ApprovalAnswer } from "./approval-seam.ts";
import type { Database } from "./database.ts";
import type { Mark, Store } from "./seam.ts";
import { all, first, run, type Work } from "./work.ts";

/** Makes them for a database. */
export function continues(database: Database): Pick<Store, "continueRun" | "approvalsOf"> {
  const { db, now, locked } = database.dialect;

  /** Nothing is written before everything is known to hold, with its rows locked: heads first, as everywhere. */
  function* continueRun(
    key: number,
    attempt: number,
    marks: readonly Mark[],
    approvals: readonly ApprovalAnswer[],
  ): Work<boolean> {
    const paused = yield* first(
      db
        .selectFrom("run_heads")
        .select("run_key")
        .where("run_key", "=", key)
        .where("attempt", "=", attempt)
        .where("status", "=", "PAUSED")
        .where("cancel_requested", "=", 0)
        .where("session_seq", "is not", null)
        .modifyEnd(locked),
    );
    if (paused === undefined) return false;
    if (approvals.length > 0) {
      const ids = approvals.map(({ id }) => id);
      const pending = db
        .selectFrom("approvals")
        .select("id")
        .where("run_key", "=", key)
        .where("id", "in", ids)
        .where("status", "=", "pending")
        .orderBy("id")
        .modifyEnd(locked);
      if ((yield* all(pending)).length < ids.length) return false;
    }
    for (const { id, ...resolution } of approvals)
      yield* run(db.updateTable("approvals").set(resolvedRow(resolution)).where("id", "=", id));
    const next = { status: "PENDING", owner: null, ready: 1, updated_at: now } as const;
    yield* run(db.updateTable("run_heads").set(next).where("run_key", "=", key));
    for (const { runKey, name, createdAt, body } of marks) {
      const row = { run_key: runKey, name, created_at: createdAt, body };
      yield* run(
        db
          .insertInto("marks")
          .values(row)
          .onConflict((conflict) => conflict.doNothing()),
      );
    }
    return true;
  }

  return {
    continueRun: (key, attempt, marks, approvals = []) =>
      database.write(() => continueRun(key, attempt, marks, approvals)),

    async approvalsOf(key) {
      const query = db
        .selectFrom("approvals")
        .selectAll()
        .where("run_key", "=", key)
        .orderBy("created_at")
        .orderBy("id");
      return (await database.read(query.compile())).map(toApproval);
    },
  };
}
