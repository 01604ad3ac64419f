/** All migrations, in order. Never edit a released migration: add one with a new number. */
import { runsPostgres } from "./postgres/0001-runs.ts";
import { listingsPostgres } from "./postgres/0002-listings.ts";
import { serviceAccountsPostgres } from "./postgres/0003-service-accounts.ts";
import { marksPostgres } from "./postgres/0004-marks.ts";
import { schedulesPostgres } from "./postgres/0005-schedules.ts";
import { pushTargetsPostgres } from "./postgres/0006-push-targets.ts";
import { approvalsPostgres } from "./postgres/0007-approvals.ts";
import { rareRunsPostgres } from "./postgres/0008-rare-runs.ts";
import { accountClaimsPostgres } from "./postgres/0009-account-claims.ts";
import { briefRowsPostgres } from "./postgres/0010-brief-rows.ts";
import { pushUsersPostgres } from "./postgres/0011-push-users.ts";
import { keyedPlansPostgres } from "./postgres/0012-keyed-plans.ts";
import { rateLimitsPostgres } from "./postgres/0013-rate-limits.ts";
import { usageCountersPostgres } from "./postgres/0014-usage-counters.ts";
import { tracesPostgres } from "./postgres/0015-traces.ts";
import { retentionPostgres } from "./postgres/0016-retention.ts";
import { usageDaysPostgres } from "./postgres/0017-usage-days.ts";
import { encryptionKeysPostgres } from "./postgres/0018-encryption-keys.ts";
import { userDataPostgres } from "./postgres/0019-user-data.ts";
import { largeDatabasesPostgres } from "./postgres/0020-large-databases.ts";
import { jobsPostgres } from "./postgres/0021-jobs.ts";
import { steeringPostgres } from "./postgres/0022-steering.ts";
import { connectionsPostgres } from "./postgres/0023-connections.ts";
import { memoriesPostgres } from "./postgres/0024-memories.ts";
import { learningsPostgres } from "./postgres/0025-learnings.ts";
import { sessionSummariesPostgres } from "./postgres/0026-session-summaries.ts";
import { cachedResponsesPostgres } from "./postgres/0027-cached-responses.ts";
import { knowledgePostgres } from "./postgres/0029-knowledge.ts";
import { knowledgeCitationsPostgres } from "./postgres/0030-knowledge-citations.ts";
import { componentsPostgres } from "./postgres/0031-components.ts";
import { evalsPostgres } from "./postgres/0032-evals.ts";
import { trialsPostgres } from "./postgres/0033-trials.ts";
import { runsSqlite } from "./sqlite/0001-runs.ts";
import { listingsSqlite } from "./sqlite/0002-listings.ts";
import { serviceAccountsSqlite } from "./sqlite/0003-service-accounts.ts";
import { marksSqlite } from "./sqlite/0004-marks.ts";
import { schedulesSqlite } from "./sqlite/0005-schedules.ts";
import { pushTargetsSqlite } from "./sqlite/0006-push-targets.ts";
import { approvalsSqlite } from "./sqlite/0007-approvals.ts";
import { rareRunsSqlite } from "./sqlite/0008-rare-runs.ts";
import { accountClaimsSqlite } from "./sqlite/0009-account-claims.ts";
import { briefRowsSqlite } from "./sqlite/0010-brief-rows.ts";
import { pushUsersSqlite } from "./sqlite/0011-push-users.ts";
import { keyedPlansSqlite } from "./sqlite/0012-keyed-plans.ts";
import { rateLimitsSqlite } from "./sqlite/0013-rate-limits.ts";
import { usageCountersSqlite } from "./sqlite/0014-usage-counters.ts";
import { tracesSqlite } from "./sqlite/0015-traces.ts";
import { retentionSqlite } from "./sqlite/0016-retention.ts";
import { usageDaysSqlite } from "./sqlite/0017-usage-days.ts";
import { encryptionKeysSqlite } from "./sqlite/0018-encryption-keys.ts";
import { userDataSqlite } from "./sqlite/0019-user-data.ts";
import { largeDatabasesSqlite } from "./sqlite/0020-large-databases.ts";
import { jobsSqlite } from "./sqlite/0021-jobs.ts";
import { steeringSqlite } from "./sqlite/0022-steering.ts";
import { connectionsSqlite } from "./sqlite/0023-connections.ts";
import { memoriesSqlite } from "./sqlite/0024-memories.ts";
import { learningsSqlite } from "./sqlite/0025-learnings.ts";
import { sessionSummariesSqlite } from "./sqlite/0026-session-summaries.ts";
import { cachedResponsesSqlite } from "./sqlite/0027-cached-responses.ts";
import { knowledgeSqlite } from "./sqlite/0029-knowledge.ts";
import { knowledgeCitationsSqlite } from "./sqlite/0030-knowledge-citations.ts";
import { componentsSqlite } from "./sqlite/0031-components.ts";
import { evalsSqlite } from "./sqlite/0032-evals.ts";
import { trialsSqlite } from "./sqlite/0033-trials.ts";

/** One numbered migration, as SQL for both databases. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}

/** All migrations, in order. */
export const migrations: readonly Migration[] = [
  { number: 1, name: "runs", sqlite: runsSqlite, postgres: runsPostgres },
  { number: 2, name: "listings", sqlite: listingsSqlite, postgres: listingsPostgres },
  { number: 3, name: "service-accounts", sqlite: serviceAccountsSqlite, postgres: serviceAccountsPostgres },
  { number: 4, name: "marks", sqlite: marksSqlite, postgres: marksPostgres },
  { number: 5, name: "schedules", sqlite: schedulesSqlite, postgres: schedulesPostgres },
  { number: 6, name: "push-targets", sqlite: pushTargetsSqlite, postgres: pushTargetsPostgres },
  { number: 7, name: "approvals", sqlite: approvalsSqlite, postgres: approvalsPostgres },
  { number: 8, name: "rare-runs", sqlite: rareRunsSqlite, postgres: rareRunsPostgres },
  { number: 9, name: "account-claims", sqlite: accountClaimsSqlite, postgres: accountClaimsPostgres },
  { number: 10, name: "brief-rows", sqlite: briefRowsSqlite, postgres: briefRowsPostgres },
  { number: 11, name: "push-users", sqlite: pushUsersSqlite, postgres: pushUsersPostgres },
  { number: 12, name: "keyed-plans", sqlite: keyedPlansSqlite, postgres: keyedPlansPostgres },
  { number: 13, name: "rate-limits", sqlite: rateLimitsSqlite, postgres: rateLimitsPostgres },
  { number: 14, name: "usage-counters", sqlite: usageCountersSqlite, postgres: usageCountersPostgres },
  { number: 15, name: "traces", sqlite: tracesSqlite, postgres: tracesPostgres },
  { number: 16, name: "retention", sqlite: retentionSqlite, postgres: retentionPostgres },
  { number: 17, name: "usage-days", sqlite: usageDaysSqlite, postgres: usageDaysPostgres },
  { number: 18, name: "encryption-keys", sqlite: encryptionKeysSqlite, postgres: encryptionKeysPostgres },
  { number: 19, name: "user-data", sqlite: userDataSqlite, postgres: userDataPostgres },
  { number: 20, name: "large-databases", sqlite: largeDatabasesSqlite, postgres: largeDatabasesPostgres },
  { number: 21, name: "jobs", sqlite: jobsSqlite, postgres: jobsPostgres },
  { number: 22, name: "steering", sqlite: steeringSqlite, postgres: steeringPostgres },
  { number: 23, name: "connections", sqlite: connectionsSqlite, postgres: connectionsPostgres },
  { number: 24, name: "memories", sqlite: memoriesSqlite, postgres: memoriesPostgres },
  { number: 25, name: "learnings", sqlite: learningsSqlite, postgres: learningsPostgres },
  { number: 26, name: "session-summaries", sqlite: sessionSummariesSqlite, postgres: sessionSummariesPostgres },
  { number: 27, name: "cached-responses", sqlite: cachedResponsesSqlite, postgres: cachedResponsesPostgres },
  { number: 29, name: "knowledge", sqlite: knowledgeSqlite, postgres: knowledgePostgres },
  { number: 30, name: "knowledge-citations", sqlite: knowledgeCitationsSqlite, postgres: knowledgeCitationsPostgres },
  { number: 31, name: "components", sqlite: componentsSqlite, postgres: componentsPostgres },
  { number: 32, name: "evals", sqlite: evalsSqlite, postgres: evalsPostgres },
  { number: 33, name: "trials", sqlite: trialsSqlite, postgres: trialsPostgres },
];
