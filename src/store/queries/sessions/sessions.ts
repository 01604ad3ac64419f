/** Reads and changes sessions. */
import { sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { SessionChanges, SessionQuery, SessionStore } from "../../contract/sessions.ts";
import type { Database, ReadableDatabase } from "../../database.ts";
import { clearText, type Encryption, sealText } from "../../encryption/encryption.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { fittingTexts } from "../../rows/large-columns.ts";
import { bind, first, run, type Transaction } from "../../transaction.ts";

/** Max sessions counted: beyond it, the total is this number, or the end of the page if that is more. */
const maxCounted = 10_000;

/**
 * Number of newest sessions that a name search and the order of changes cover. No index finds a part of a name. An index of the last change would cost
 * every flush that begins or ends a run.
 */
const maxSearched = 10_000;

/** Session reads of the store. */
export type SessionReads = Pick<SessionStore, "findSession" | "sessionSummary" | "listSessions" | "sessionRunKeys">;

/** Makes these methods for a database. */
export function sessionReads(database: ReadableDatabase): SessionReads {
  const { db } = database.dialect;
  const { encryption } = database;

  const narrow = () =>
    db
      .selectFrom("sessions")
      .select(["key", "session_id as sessionId", "owner", "kind", "component_id as componentId", "user_id as userId"])
      .select(["name", "title", "usage", "created_at as createdAt", "updated_at as updatedAt"]);
  const columns = () => narrow().select(["state", "metadata", "summary"]);
  const bytes = sql<number>`octet_length(state) + coalesce(octet_length(metadata), 0) + coalesce(octet_length(summary), 0)`;

  const summaryOf = db
    .selectFrom("sessions")
    .select(["key", "summary", "summary_seq as seq", "summary_by as by", "summary_version as version"])
    .select(["kind", "component_id as componentId"])
    .where("key", "=", 0)
    .compile();

  const allSessions = () => db.selectFrom("sessions");

  function matching(caller: Principal, { kind, componentId, userId, name, sortBy }: SessionQuery) {
    let query = allSessions();
    const owner = visibleOwner(caller);
    if (owner !== null) query = query.where("owner", "=", owner);
    // The index of an owner's sessions has this predicate.
    if (owner) query = query.where("owner", "<>", sql.lit(""));
    const session = visibleSession(caller);
    if (session !== null) query = query.where("session_id", "=", session);
    if (kind !== undefined) query = query.where("kind", "=", kind);
    if (componentId !== undefined) query = query.where("component_id", "=", componentId);
    if (userId !== undefined) query = query.where("user_id", "=", userId);
    if (!name && sortBy === "createdAt") return query;
    const searched = db.selectFrom(newestOf(query).as("newest")) as unknown as typeof query;
    if (!name) return searched;
    // Lower-cases ASCII letters only, with the same result on both databases: `like` is case-sensitive on Postgres, but not on SQLite.
    const pattern = `%${asciiLower(name).replaceAll(/[\\%_]/g, "\\$&")}%`;
    return searched.where(sql<boolean>`lower(coalesce(name, title)) like ${pattern} escape '\\'`);
  }

  /** The newest sessions of a query. */
  function newestOf(query: ReturnType<typeof allSessions>) {
    return query
      .select(["key", "name", "title", "created_at", "updated_at"])
      .orderBy("created_at", "desc")
      .orderBy("key", "desc")
      .limit(maxSearched);
  }

  /** The same as `matching` where names are encrypted: this process decrypts and compares them. */
  async function matchingNames(caller: Principal, { name = "", ...query }: SessionQuery) {
    const rows = await database.read(newestOf(matching(caller, { ...query, sortBy: "createdAt" })).compile());
    const part = asciiLower(name);
    const keys = rows.filter((row) => asciiLower(row.name ?? row.title ?? "").includes(part)).map(({ key }) => key);
    return allSessions().where("key", "in", keys.length > 0 ? keys : [0]);
  }

  /** Uses the indexes of unfinished runs: a session may have very many finished ones. */
  async function unfinishedRunKeys(sessionKey: number): Promise<readonly number[]> {
    const heads = db.selectFrom("run_heads").select("run_key as key").where("session_key", "=", sessionKey);
    const parts = (["heads_unfinished", "heads_paused"] as const).map((index) => heads.where(matchesIndex(index)));
    const rows = await Promise.all(parts.map((part) => database.read(part.compile())));
    return rows.flat().map((row) => row.key);
  }

  return {
    async findSession(caller, sessionId) {
      if ((visibleSession(caller) ?? sessionId) !== sessionId) return undefined;
      let query = columns()
        .where("session_id", "=", sessionId)
        // A caller that sees every namespace gets the session of its own namespace first, then the common one.
        .orderBy(sql`case when owner = ${caller.owner ?? ""} then 0 else 1 end`)
        .orderBy("owner")
        .limit(1);
      const owner = visibleOwner(caller);
      if (owner !== null) query = query.where("owner", "=", owner);
      const rows = await database.read(query.compile());
      return rows[0];
    },

    async sessionSummary(key) {
      const rows = await database.read(bind(summaryOf, [key]));
      return rows[0];
    },

    async listSessions(caller, query) {
      const { sortBy, descending, limit, offset, maxBytes } = query;
      const order = descending ? "desc" : "asc";
      const matches = encryption && query.name ? await matchingNames(caller, query) : matching(caller, query);
      const keys = matches
        .select("key")
        .orderBy(sortBy === "createdAt" ? "created_at" : "updated_at", order)
        .orderBy("key", order)
        .limit(limit)
        .offset(offset);
      const page = narrow()
        .select(bytes.as("bytes"))
        .where("key", "in", keys)
        .orderBy(sortBy === "createdAt" ? "created_at" : "updated_at", order)
        .orderBy("key", order);
      const some = matches.select("key").limit(maxCounted);
      const count = db.selectFrom(some.as("some")).select(sql<number>`count(*)`.as("total"));
      const [found, totals] = await Promise.all([database.read(page.compile()), database.read(count.compile())]);
      const texts = await fittingTexts(found, maxBytes, (some) => {
        const read = db.selectFrom("sessions").select(["key", "state", "metadata", "summary"]);
        return database.read(read.where("key", "in", some).compile());
      });
      const rows = found.map(({ bytes: _, ...row }) => {
        return { ...row, ...(texts.get(row.key) ?? { state: null, metadata: null, summary: null }) };
      });
      return { rows, total: Math.max(Number(totals[0]?.total ?? 0), rows.length === 0 ? 0 : offset + rows.length) };
    },

    async sessionRunKeys(sessionKey, unfinished = false) {
      if (unfinished) return await unfinishedRunKeys(sessionKey);
      const query = db
        .selectFrom("runs")
        .select("key")
        .where("session_key", "=", sessionKey)
        .where("session_seq", "is not", null)
        .orderBy("session_seq");
      const rows = await database.read(query.compile());
      return rows.map((row) => row.key);
    },
  };
}

/** Makes these methods for a database. */
export function sessionChanges(database: Database): Pick<SessionStore, "createSession" | "updateSession"> {
  const { db, newSessionKey } = database.dialect;
  const { encryption } = database;
  return {
    createSession: (session) =>
      database.write(function* (): Transaction<boolean> {
        const { sessionId, owner, kind, componentId, userId, createdAt } = session;
        const { name = null, state, metadata = null } = session;
        const key = encryption && (yield* first({ compile: () => newSessionKey.compile(db) }))?.key;
        const query = db
          .insertInto("sessions")
          .values({
            ...(key === undefined ? {} : { key }),
            ...{ session_id: sessionId, owner, kind, component_id: componentId, user_id: userId },
            ...sealSession(encryption, key ?? 0, { name, state, metadata }),
            ...{ title: null, summary: null, usage: null, next_seq: 0, created_at: createdAt, updated_at: createdAt },
          })
          .onConflict((conflict) => conflict.doNothing());
        return (yield* run(query)) > 0;
      }),

    async updateSession(key, changes, at) {
      const query = db
        .updateTable("sessions")
        .set({ ...sealSession(encryption, key, given(changes)), updated_at: at })
        // A run that is extending the summary meanwhile must not undo the caller's change.
        .$if(changes.summary !== undefined, (update) => update.set({ summary_version: sql`summary_version + 1` }))
        .where("key", "=", key);
      return (await database.write(() => run(query))) > 0;
    },
  };
}

/** Returns the texts of a session as they are stored. */
export function sealSession<Texts extends Partial<Record<SealedText, string | null>>>(
  encryption: Encryption | undefined,
  key: number,
  texts: Texts,
): Texts {
  const stored = Object.entries(texts).map(([name, text]) => {
    const clear = name === "name" ? clearText(text ?? null) : (text ?? null);
    return [name, sealText(encryption, `sessions.${name as SealedText}`, [key], clear)];
  });
  return Object.fromEntries(stored) as Texts;
}

type SealedText = "name" | "title" | "state" | "metadata" | "summary";

function given({ name, state, metadata, summary }: SessionChanges): Record<string, string> {
  const all = { name, state, metadata, summary };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Lower-cases ASCII letters only, as `lower` does on both databases. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
