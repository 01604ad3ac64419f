/** Copies sessions: their runs with their messages, without their logs. */
import { type Compilable, type CompiledQuery, type Insertable, type Kysely, sql } from "kysely";
import { TroupeError } from "../../../errors.ts";
import { afterPrefix, resultPrefix } from "../../../model/run/run-marks.ts";
import type { CopiedRun, SessionCopy, SessionStore } from "../../contract/sessions.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { MessagesTable, RunsTable, Tables } from "../../rows/tables.ts";
import { all, bind, first, run, type Transaction } from "../../transaction.ts";
import { isOneOf, nextIndex } from "../logs/heads.ts";
import { sealSession } from "./sessions.ts";

/** Max runs whose existence one statement checks. */
const checkedAtOnce = 500;

/** Max encrypted messages that one statement copies. */
const maxMessages = 100;

/** Max parts of tool results that one statement reads. */
const maxResults = 20;

const partialText = "Runs of the session were deleted while it was being copied: nothing was copied.";

/** Makes this method for a database. */
export function sessionCopies(database: Database): Pick<SessionStore, "copySession"> {
  const { db } = database.dialect;
  const { encryption } = database;
  const statements = copyStatements(db);

  function* copySession({
    from,
    sessionId,
    owner,
    userId,
    runs,
    at,
  }: SessionCopy): Transaction<number | "taken" | "gone"> {
    const made = yield* first(
      db
        .insertInto("sessions")
        .columns([...sessionColumns, "session_id", "owner", "user_id", "next_seq", "created_at", "updated_at"])
        .expression(
          db
            .selectFrom("sessions")
            .select(sessionColumns)
            .select([sql<string>`${sessionId}`.as("session_id"), sql<string>`${owner}`.as("owner")])
            .select(sql<string | null>`cast(${userId} as text)`.as("user_id"))
            .select("next_seq")
            .select([sql<number>`${sql.lit(at)}`.as("created_at"), sql<number>`${sql.lit(at)}`.as("updated_at")])
            .where("key", "=", from),
        )
        .onConflict((conflict) => conflict.doNothing())
        .returning("key"),
    );
    if (made === undefined) {
      const source = yield* first(db.selectFrom("sessions").select("key").where("key", "=", from));
      return source === undefined ? "gone" : "taken";
    }
    yield* sealCopy(from, made.key);
    const keys = new Map(runs.map((copied) => [copied.from, copied.key]));
    for (const copied of runs) yield* copyRun(copied, keys, made.key);
    yield* refusePartial(runs);
    return made.key;
  }

  /** Encrypted texts are bound to their row: the copy has its own. */
  function* sealCopy(from: number, key: number): Transaction<void> {
    if (encryption === undefined) return;
    const texts = db.selectFrom("sessions").select(["key", "name", "title", "state", "metadata", "summary"]);
    const row = yield* first(texts.where("key", "=", from));
    if (row === undefined) return;
    const { key: _, ...sealed } = row;
    yield* run(
      db
        .updateTable("sessions")
        .set(sealSession(encryption, key, sealed))
        .where("key", "=", key),
    );
  }

  function* copyMessages(from: number, key: number): Transaction<void> {
    if (encryption === undefined) {
      yield* run({ compile: () => bind(statements.messages, [key, from]) });
      return;
    }
    const columns = ["run_key", "position", "id", "created_at", "brief", "body"] as const;
    for (let after = -1; ; ) {
      const page = db.selectFrom("messages").select(columns).where("run_key", "=", from).where("position", ">", after);
      const rows = yield* all(page.orderBy("position").limit(maxMessages));
      if (rows.length > 0) yield* run(db.insertInto("messages").values(rows.map((row) => sealMessage(row, key))));
      if (rows.length < maxMessages) return;
      after = rows.at(-1)?.position ?? after;
    }
  }

  function sealMessage(row: MessagesTable, runKey: number): MessagesTable {
    const place = [runKey, row.position];
    const brief = sealText(encryption, "messages.brief", place, row.brief);
    return { ...row, run_key: runKey, brief, body: sealText(encryption, "messages.body", place, row.body) };
  }

  function sealRun<Texts extends Pick<RunsTable, "brief" | "input" | "options" | "output">>(
    key: number,
    row: Texts,
  ): Texts {
    return {
      ...row,
      brief: sealText(encryption, "runs.brief", [key], row.brief),
      input: sealText(encryption, "runs.input", [key], row.input),
      options: sealText(encryption, "runs.options", [key], row.options),
      output: sealText(encryption, "runs.output", [key], row.output),
    };
  }

  /** A session is deleted in several transactions. Checked last: a run that still exists had all its messages when they were copied. */
  function* refusePartial(runs: readonly CopiedRun[]): Transaction<void> {
    for (let start = 0; start < runs.length; start += checkedAtOnce) {
      const keys = runs.slice(start, start + checkedAtOnce).map(({ from }) => from);
      const left = yield* first(db.selectFrom("runs").select(db.fn.countAll().as("runs")).where("key", "in", keys));
      if (Number(left?.runs) < keys.length) throw new TroupeError("conflict", partialText);
    }
  }

  function* copyRun(copied: CopiedRun, keys: ReadonlyMap<number, number>, sessionKey: number): Transaction<void> {
    const { key, runId, options, output } = copied;
    const newKey = (old: number | null): number | null => (old === null ? null : (keys.get(old) ?? null));
    const row = yield* first({ compile: () => bind(statements.finished, [copied.from]) });
    // The run was deleted meanwhile, which the last check detects, or it is unfinished.
    if (row === undefined) return;
    const { policy, status, events, ...same } = row;
    const root_key = newKey(row.root_key) ?? key;
    const place = { key, run_id: runId, root_key, parent_key: newKey(row.parent_key), session_key: sessionKey };
    const texts = sealRun(key, { ...same, options, output });
    yield* run(statements.insert("runs", { ...texts, ...place, replaced_by: null }));
    const head = {
      ...{ run_key: key, root_key, session_key: sessionKey, session_seq: row.session_seq, policy, status },
      ...{ attempt: 0, owner: null, cancel_requested: 0, stalled_takeovers: 0, ready: 1, background: 0, watched: 0 },
      ...{ user_id: row.user_id ?? "", updated_at: row.created_at, compacted: 1, counted: 1, log_bytes: 0, steered: 0 },
    };
    // Its events stay with the original run: a reader of the copy gets a gap.
    yield* run(statements.insert("run_heads", { ...head, first_kept: row.parent_key === null ? events : 0 }));
    yield* copyMessages(copied.from, key);
    yield* copyResults(copied.from, key);
  }

  /** Copies the stored tool results of a run: later runs of the copy may read them. Its other marks are about its own events. */
  function* copyResults(from: number, key: number): Transaction<void> {
    for (let after: string = resultPrefix; ; ) {
      const rows = yield* all({
        compile: () => bind(statements.results, [from, after, afterPrefix(resultPrefix), maxResults]),
      });
      for (const { name, created_at, body } of rows) {
        const sealed = sealText(encryption, "marks.body", [key, name], body);
        yield* run(statements.insert("marks", { run_key: key, name, created_at, body: sealed as string }));
      }
      if (rows.length < maxResults) return;
      after = rows.at(-1)?.name ?? after;
    }
  }

  return { copySession: (copy) => database.write(() => copySession(copy)) };
}

/** Built once: a session may have thousands of runs, and building a run's statements costs more than running them. */
function copyStatements(db: Kysely<Tables>) {
  const inserts = new Map<string, CompiledQuery>();
  const messageRows = db
    .selectFrom("messages")
    .select([sql<number>`cast(${0} as bigint)`.as("run_key"), "position", "id", "created_at", "brief", "body"])
    .where("run_key", "=", 0);
  return {
    finished: db
      .selectFrom("runs as r")
      .innerJoin("run_heads as h", "h.run_key", "r.key")
      .selectAll("r")
      .select(["h.policy", "h.status", nextIndex("h").as("events")])
      .where("r.key", "=", 0)
      .where(isOneOf("h.status", ["COMPLETED", "ERROR", "CANCELLED"]))
      .compile(),
    messages: db
      .insertInto("messages")
      .columns(["run_key", "position", "id", "created_at", "brief", "body"])
      .expression(messageRows)
      .compile(),
    results: db
      .selectFrom("marks")
      .select(["run_key", "name", "created_at", "body"])
      .where("run_key", "=", 0)
      .where("name", ">", "")
      .where("name", "<", "")
      .orderBy("name")
      .limit(maxResults)
      .compile(),
    /** Rows of a table all have the same columns, in the same order. */
    insert<Table extends "runs" | "run_heads" | "marks">(table: Table, row: Insertable<Tables[Table]>): Compilable {
      const built = inserts.get(table) ?? db.insertInto(table).values(row).compile();
      inserts.set(table, built);
      return { compile: () => bind(built, Object.values(row)) };
    },
  };
}

const sessionColumns = [
  ...(["kind", "component_id", "name", "title", "state", "metadata", "summary", "usage"] as const),
  ...(["summary_seq", "summary_by"] as const),
] as const;
