/** Stores which completed runs cite a document. */
import { sql } from "kysely";
import { visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { ContentCitation, KnowledgeStore, RunCitations } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { first, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";

type CitationQueries = Pick<KnowledgeStore, "recordCitations" | "citations">;

/** Citations that a page reads at most: those of runs that the caller may not see are among them. */
const maxScanned = 10_000;

/** Makes the queries of citations of a database. */
export function citationQueries(database: Database): CitationQueries {
  const { db, now, locked } = database.dialect;
  const jobs = jobSteps(database);

  /** The documents in the order of their keys, in which every transaction locks them. */
  function* keysOf({ users, contents }: RunCitations): Transaction<readonly (readonly [number, readonly number[]])[]> {
    const found = new Map<number, readonly number[]>();
    for (const { knowledgeId, contentId, chunks } of contents) {
      const rows = db.selectFrom("knowledge_contents").select("key").where("knowledge_id", "=", knowledgeId);
      const visible = rows.where("id", "=", contentId).where("owner", "in", ["", ...users]);
      // A private document comes before a shared one with its id, as in the searches of a run.
      const row = yield* first(visible.orderBy("owner", "desc").limit(1));
      if (row) found.set(row.key, chunks);
    }
    return [...found].sort(([one], [other]) => one - other);
  }

  function* record(cited: RunCitations): Transaction<void> {
    const run_key = cited.runKey;
    const documents = yield* keysOf(cited);
    // The lock keeps the run: its deletion removes these rows, too.
    const kept = yield* first(
      db.selectFrom("run_heads").select("run_key").where("run_key", "=", run_key).modifyEnd(locked),
    );
    if (!kept) return;
    for (const [content_key, chunks] of documents) {
      const row = { content_key, run_key, chunks: JSON.stringify(chunks), cited_at: now };
      const insert = db.insertInto("knowledge_citations").values(row);
      if ((yield* run(insert.onConflict((same) => same.doNothing()))) === 0) continue;
      const content = db.updateTable("knowledge_contents").where("key", "=", content_key);
      const counted = yield* run(content.set({ access_count: sql<number>`access_count + 1` }));
      // It was deleted meanwhile.
      const gone = db.deleteFrom("knowledge_citations").where("content_key", "=", content_key);
      if (counted === 0) yield* run(gone.where("run_key", "=", run_key));
    }
  }

  return {
    recordCitations: (job, end, cited) =>
      database.write(function* () {
        if (!(yield* jobs.finish(job, end))) return false;
        if (cited) yield* record(cited);
        return true;
      }),

    async citations(caller, { key }, { limit, after }) {
      const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
      const isLimited = owner !== null || session !== null;
      const place = after ? sql`and (cited_at, run_key) < (${after.citedAt}, ${after.runKey})` : sql``;
      const latest = sql`select run_key, chunks, cited_at from knowledge_citations where content_key = ${key} ${place}
        order by cited_at desc, run_key desc limit ${isLimited ? maxScanned : limit + 1}`;
      const conditions = [
        sql`1 = 1`,
        ...(owner === null ? [] : [sql`s.owner = ${owner}`]),
        ...(session === null ? [] : [sql`s.session_id = ${session}`]),
      ];
      const query = sql<Omit<ContentCitation, "chunks"> & { readonly chunks: string }>`select c.run_key as "runKey",
        c.cited_at as "citedAt", c.chunks, r.run_id as "runId", r.kind, r.component_id as "componentId",
        r.component_name as "componentName", r.user_id as "userId", s.session_id as "sessionId"
        from (${latest}) as c join runs r on r.key = c.run_key join sessions s on s.key = r.session_key
        where ${sql.join(conditions, sql` and `)} order by c.cited_at desc, c.run_key desc limit ${limit + 1}`;
      const rows = await database.read(query.compile(db));
      const citations = rows.slice(0, limit).map(({ chunks, ...row }) => ({
        ...row,
        ...{ runKey: Number(row.runKey), citedAt: Number(row.citedAt), chunks: JSON.parse(chunks) as number[] },
      }));
      const last = citations.at(-1);
      return {
        citations,
        next: rows.length > limit && last ? { citedAt: last.citedAt, runKey: last.runKey } : undefined,
      };
    },
  };
}
