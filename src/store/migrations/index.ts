/** All migrations, in order. Never edit a released migration: add one with a new number. */
import { runsPostgres } from "./0001-runs.postgres.ts";
import { runsSqlite } from "./0001-runs.sqlite.ts";
import { listingsPostgres } from "./0002-listings.postgres.ts";
import { listingsSqlite } from "./0002-listings.sqlite.ts";
import { serviceAccountsPostgres } from "./0003-service-accounts.postgres.ts";
import { serviceAccountsSqlite } from "./0003-service-accounts.sqlite.ts";
import { marksPostgres } from "./0004-marks.postgres.ts";
import { marksSqlite } from "./0004-marks.sqlite.ts";
import { schedulesPostgres } from "./0005-schedules.postgres.ts";
import { schedulesSqlite } from "./0005-schedules.sqlite.ts";
import { pushTargetsPostgres } from "./0006-push-targets.postgres.ts";
import { pushTargetsSqlite } from "./0006-push-targets.sqlite.ts";
import { approvalsPostgres } from "./0007-approvals.postgres.ts";
import { approvalsSqlite } from "./0007-approvals.sqlite.ts";
import { rareRunsPostgres } from "./0008-rare-runs.postgres.ts";
import { rareRunsSqlite } from "./0008-rare-runs.sqlite.ts";
import { accountClaimsPostgres } from "./0009-account-claims.postgres.ts";
import { accountClaimsSqlite } from "./0009-account-claims.sqlite.ts";
import { briefRowsPostgres } from "./0010-brief-rows.postgres.ts";
import { briefRowsSqlite } from "./0010-brief-rows.sqlite.ts";
import { pushUsersPostgres } from "./0011-push-users.postgres.ts";
import { pushUsersSqlite } from "./0011-push-users.sqlite.ts";
import { keyedPlansPostgres } from "./0012-keyed-plans.postgres.ts";
import { keyedPlansSqlite } from "./0012-keyed-plans.sqlite.ts";

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
];
