/** Removes a user's rows that belong to no run and no session, and takes the user from rows that others need. */
import { sql } from "kysely";
import { memoryJob, memoryLane } from "../../../model/memory.ts";
import type { PrincipalKind } from "../../../model/principal.ts";
import { ingestionJob, sweepJob } from "../../contract/knowledge.ts";
import type { ErasedRows, UserDataStore } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { evalRemoval } from "../evals.ts";
import { jobSteps } from "../jobs/jobs.ts";
import { chunkSteps } from "../knowledge/ingestions.ts";
import { removeSome } from "../learnings.ts";
import { memorySteps } from "../memories/steps.ts";
import { trialErasure } from "../trials/erase.ts";
import { digest } from "../usage/days.ts";
import { isScheduleOf } from "./schedule-owner.ts";

/** Rows per transaction. */
const maxRows = 200;

/** Schedules per read: their payloads may be large. */
const maxSchedules = 20;

/** Days whose counters may exist, before and after the current one. Older counters are deleted anyway. */
const countedDays = { before: 7, after: 1 };

const day = 86_400_000;

const principalKinds: Readonly<Record<PrincipalKind, true>> = {
  ...{ open: true, operator: true, outsider: true, user: true },
  ...{ "service-account": true, scheduler: true, system: true },
};

/** The names of a user's rate limits, as `src/runs/limits/rates.ts` makes them. */
export function bucketsOf(userId: string): readonly string[] {
  return Object.keys(principalKinds).flatMap((kind) => [`requests ${kind} ${userId}`, `starts ${kind} ${userId}`]);
}

/** Makes these steps for a database. */
export function otherErasure(database: Database): Pick<UserDataStore, "eraseStarters" | "eraseOthers"> {
  const { db, now, locked, capabilities } = { ...database.dialect, capabilities: database.capabilities };
  const none = { removed: {}, anonymized: {} };
  const trials = trialErasure(database);

  /** The user resolved approvals of others' runs. The resolution stays, because the run depends on it. */
  function* forgetResolver(userId: string): Transaction<number> {
    const resolved = db.selectFrom("approvals").select("id").where("resolved_by", "=", JSON.stringify(userId));
    const some = resolved.where("resolved_by", "is not", null).limit(maxRows);
    return yield* run(db.updateTable("approvals").set({ resolved_by: null }).where("id", "in", some));
  }

  function* removeSchedule(id: string): Transaction<ErasedRows> {
    yield* all(db.selectFrom("schedules").select("id").where("id", "=", id).modifyEnd(locked));
    const scheduleRecords = yield* run(db.deleteFrom("schedule_fires").where("schedule_id", "=", id));
    yield* run(db.deleteFrom("webhook_deliveries").where("schedule_id", "=", id));
    return {
      ...none,
      removed: { scheduleRecords, schedules: yield* run(db.deleteFrom("schedules").where("id", "=", id)) },
    };
  }

  function* forgetAccounts(userId: string): Transaction<ErasedRows> {
    const accounts = db.updateTable("service_accounts").where("created_by", "=", userId);
    // The claims are the user's, and the account's rights depend on them: without them the account must not be used.
    const bound = accounts.where("claims", "is not", null);
    yield* run(bound.set({ claims: null, revoked_at: sql<number>`coalesce(revoked_at, ${now})` }));
    return { ...none, anonymized: { serviceAccounts: yield* run(accounts.set({ created_by: null })) } };
  }

  /** Components belong to the platform: only the name of their author goes. */
  function* forgetAuthor(userId: string): Transaction<ErasedRows> {
    const versions = db.updateTable("component_versions").where("created_by", "=", userId).set({ created_by: null });
    const components = db.updateTable("components").where("created_by", "=", userId).set({ created_by: null });
    return { ...none, anonymized: { components: (yield* run(versions)) + (yield* run(components)) } };
  }

  function* removeCounters(userId: string): Transaction<ErasedRows> {
    const time = Number((yield* first(db.selectNoFrom(now.as("at"))))?.at);
    const { before, after } = countedDays;
    const periods = Array.from({ length: before + after + 1 }, (_, place) => {
      return new Date(time + (place - before) * day).toISOString().slice(0, 10);
    });
    const counters = db.deleteFrom("usage_counters").where("period", "in", periods).where("scope", "=", "user");
    return { ...none, removed: { usageCounters: yield* run(counters.where("key", "=", userId)) } };
  }

  function* removeConnections(userId: string): Transaction<ErasedRows> {
    yield* run(db.deleteFrom("connection_flows").where("user_id", "=", userId));
    const connections = yield* run(db.deleteFrom("connections").where("user_id", "=", userId));
    return { ...none, removed: { connections } };
  }

  function* removeResponses(userId: string): Transaction<ErasedRows> {
    const responses = yield* run(db.deleteFrom("cached_responses").where("user_id", "=", userId));
    return { ...none, removed: { cachedResponses: responses } };
  }

  /** With the jobs: an extraction that ends later changes nothing without its job. */
  function* removeMemories(userId: string): Transaction<ErasedRows> {
    yield* memorySteps(database).lock(userId);
    yield* run(db.deleteFrom("jobs").where("kind", "=", memoryJob).where("lane", "=", memoryLane(userId)));
    const memories = yield* run(db.deleteFrom("memories").where("user_id", "=", userId));
    yield* run(db.deleteFrom("memory_users").where("user_id", "=", userId));
    return { ...none, removed: { memories } };
  }

  function* removeEvals(userId: string): Transaction<number> {
    const some = db.selectFrom("eval_runs").select(["key", "id"]).where("user_id", "=", userId).limit(maxRows);
    return yield* evalRemoval(database)(yield* all(some));
  }

  function* removeRates(userId: string): Transaction<ErasedRows> {
    return {
      ...none,
      removed: { rateLimits: yield* run(db.deleteFrom("rate_limits").where("bucket", "in", bucketsOf(userId))) },
    };
  }

  /** Tables in the order in which usage is counted. The sums of all users stay. */
  function* removeUsage(userId: string): Transaction<ErasedRows> {
    const queued = db.updateTable("usage_pending").set({ user_id: null, owner: "" });
    const pendingUsage = yield* run(
      queued.where((eb) => eb.or([eb("user_id", "=", userId), eb("owner", "=", userId)])),
    );
    const owner = digest(userId);
    const days = db.selectFrom("usage_days").select("day").where("owner", "=", "");
    const members = db.deleteFrom("usage_day_members").where("owner", "=", "").where("role", "=", "user");
    yield* run(members.where("member", "=", owner).where("day", "in", days));
    yield* run(db.deleteFrom("usage_day_members").where("owner", "=", owner));
    const usageDays = yield* run(db.deleteFrom("usage_days").where("owner", "=", owner));
    yield* run(db.deleteFrom("usage_day_models").where("owner", "=", owner));
    return { removed: { usageDays }, anonymized: { pendingUsage } };
  }

  /** Removes the user's documents, each before its chunks: then no search finds them. */
  async function* eraseDocuments(userId: string): AsyncGenerator<ErasedRows> {
    const { sweep } = chunkSteps(database);
    const jobs = jobSteps(database);
    const page = db.selectFrom("knowledge_contents").select("key").where("owner", "=", userId).limit(maxRows);
    for (let rows = maxRows; rows === maxRows; ) {
      const keys = (await database.read(page.compile())).map(({ key }) => key);
      rows = keys.length;
      for (const key of keys) {
        const ingestions = db.deleteFrom("jobs").where("kind", "=", ingestionJob).where("id", "=", String(key));
        await database.write(function* () {
          yield* run(db.deleteFrom("knowledge_contents").where("key", "=", key));
          yield* run(ingestions);
          // It removes the embeddings from a vector store, and the chunks if this process ends now.
          yield* jobs.addAgain({ kind: sweepJob, id: String(key) });
        });
        while (await database.write(() => sweep(key, false)));
      }
      if (rows > 0) yield { ...none, removed: { documents: rows } };
    }
  }

  async function* eraseSchedules(userId: string): AsyncGenerator<ErasedRows> {
    for (let after = ""; ; ) {
      const columns = ["id", "owner", "standing_grant", "payload", "definition"] as const;
      const page = db.selectFrom("schedules").select(columns).where("id", ">", after).orderBy("id").limit(maxSchedules);
      // A transaction also reads a schedule with a damaged payload: it does not stop the erasure.
      const rows = await database.write(() => all(page));
      for (const row of rows) if (isScheduleOf(userId, row)) yield await database.write(() => removeSchedule(row.id));
      const last = rows.at(-1);
      if (last === undefined || rows.length < maxSchedules) break;
      after = last.id;
    }
  }

  async function* eraseStarters(userId: string): AsyncGenerator<ErasedRows> {
    yield* eraseSchedules(userId);
    for (let evals = 1; evals > 0; ) {
      evals = await database.write(() => removeEvals(userId));
      yield { ...none, removed: { evals } };
    }
    yield* trials.eraseExperiments(userId);
  }

  async function* eraseOthers(userId: string): AsyncGenerator<ErasedRows> {
    yield* eraseDocuments(userId);
    yield* trials.eraseData(userId);
    for (let approvals = maxRows; approvals === maxRows; ) {
      approvals = await database.write(() => forgetResolver(userId));
      yield { ...none, anonymized: { approvals } };
    }
    for (let learnings = 1; learnings > 0; ) {
      learnings = await database.write(() => removeSome(database, userId, undefined));
      yield { ...none, removed: { learnings } };
    }
    const steps = [
      removeConnections,
      removeResponses,
      removeMemories,
      forgetAccounts,
      forgetAuthor,
      removeCounters,
      removeUsage,
      ...(capabilities.replicas ? [removeRates] : []),
    ];
    for (const step of steps) yield await database.write(() => step(userId));
  }

  return { eraseStarters, eraseOthers };
}
