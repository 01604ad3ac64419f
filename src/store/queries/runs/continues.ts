/** Answers to pauses: written together with the approvals that they resolve, or not at all. */
import { sql } from "kysely";
import type { ApprovalAnswer } from "../../contract/approvals.ts";
import type { OverduePause } from "../../contract/runs.ts";
import type { Mark, Store } from "../../contract/store.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import { resolvedRow, toApproval } from "../../rows/approvals.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";

/** Makes these methods for a database. */
export function continueQueries(
  database: Database,
): Pick<Store, "continueRun" | "approvalsOf" | "untilOverdue" | "overduePauses"> {
  const { db, now, nowOnce, locked } = database.dialect;
  const { encryption } = database;

  /** Checks everything, with the rows locked, before it writes anything; locks heads first, as everywhere. */
  function* continueRun(
    key: number,
    attempt: number,
    marks: readonly Mark[],
    approvals: readonly ApprovalAnswer[],
  ): Transaction<boolean> {
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
      yield* run(
        db
          .updateTable("approvals")
          .set(resolvedRow(id, resolution, encryption))
          .where("id", "=", id),
      );
    const next = { status: "PENDING", owner: null, ready: 1, updated_at: now } as const;
    yield* run(db.updateTable("run_heads").set(next).where("run_key", "=", key));
    // Reopens the fire of the schedule that started the run: without an owner, any process can claim it.
    const fire = { status: "running", owner: null, due_at: now, completed_at: null } as const;
    const runId = db.selectFrom("runs").select("run_id").where("key", "=", key);
    yield* run(
      db.updateTable("schedule_fires").set(fire).where("run_id", "=", runId).where("status", "=", sql.lit("paused")),
    );
    for (const { runKey, name, createdAt, body } of marks) {
      const sealed = sealText(encryption, "marks.body", [runKey, name], body);
      const row = { run_key: runKey, name, created_at: createdAt, body: sealed };
      yield* run(
        db
          .insertInto("marks")
          .values(row)
          .onConflict((conflict) => conflict.doNothing()),
      );
    }
    return true;
  }

  /** Also deletes deadlines of runs that have continued or ended. */
  function* overduePauses(limit: number): Transaction<readonly OverduePause[]> {
    const due = yield* all(
      db
        .selectFrom("answer_deadlines as d")
        .innerJoin("run_heads as h", "h.run_key", "d.run_key")
        .innerJoin("runs as r", "r.key", "d.run_key")
        .select(["d.run_key as key", "d.attempt", "d.due_at as dueAt", "r.run_id as runId", "r.output"])
        .select(["h.status", "h.attempt as current", "h.cancel_requested as cancelled"])
        .where("d.due_at", "<=", nowOnce)
        .orderBy("d.due_at")
        .limit(limit),
    );
    const isOpen = (row: (typeof due)[number]): boolean =>
      row.status === "PAUSED" && row.current === row.attempt && row.cancelled === 0;
    for (const { key, attempt } of due.filter((row) => !isOpen(row)))
      yield* run(db.deleteFrom("answer_deadlines").where("run_key", "=", key).where("attempt", "=", attempt));
    return due.filter(isOpen).map(({ key, attempt, runId, output, dueAt }) => ({ key, attempt, runId, output, dueAt }));
  }

  return {
    async untilOverdue() {
      const query = db.selectFrom("answer_deadlines").select(sql<number | null>`min(due_at) - ${now}`.as("left"));
      const [row] = await database.read(query.compile());
      return row === undefined || row.left === null ? null : Math.max(0, Number(row.left));
    },

    overduePauses: (limit) => database.write(() => overduePauses(limit)),

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
