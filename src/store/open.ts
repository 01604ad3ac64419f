/** Opens the database that the settings specify. */
import type { KeyProvider } from "../model/encryption.ts";
import type { Runtime } from "../model/runtime.ts";
import type { ServiceAccountStore } from "../model/service-account.ts";
import { defaultSettings } from "../model/settings.ts";
import type { ApprovalStore } from "./contract/approvals.ts";
import type { ComponentVersionStore } from "./contract/component-versions.ts";
import type { ConnectionStore } from "./contract/connections.ts";
import type { EvalStore } from "./contract/evals.ts";
import type { JobStore } from "./contract/jobs.ts";
import type { KnowledgeStore } from "./contract/knowledge.ts";
import type { LearningStore } from "./contract/learnings.ts";
import type { MemoryStore } from "./contract/memories.ts";
import type { OverviewStore } from "./contract/overview.ts";
import type { PushStore } from "./contract/push-targets.ts";
import type { RateLimitStore } from "./contract/rate-limits.ts";
import type { ResponseStore } from "./contract/responses.ts";
import type { RetentionStore } from "./contract/retention.ts";
import type { ScheduleStore } from "./contract/schedules.ts";
import type { Signals } from "./contract/signals.ts";
import type { StandbyReads } from "./contract/standby.ts";
import type { Store } from "./contract/store.ts";
import type { TaskStore } from "./contract/tasks.ts";
import type { TraceStore } from "./contract/traces.ts";
import type { TrialStores } from "./contract/trials.ts";
import type { UsageDayStore } from "./contract/usage-days.ts";
import type { UserDataStore } from "./contract/user-data.ts";
import type { WebhookStore } from "./contract/webhooks.ts";
import type { Database } from "./database.ts";
import { openEncryption as encryptionOf, wrappingKeys } from "./encryption/data-keys.ts";
import { decrypted } from "./encryption/database.ts";
import { approvalStore } from "./queries/approvals.ts";
import { componentVersionStore } from "./queries/component-versions.ts";
import { connectionStore } from "./queries/connections.ts";
import { evalStore } from "./queries/evals.ts";
import { jobStore } from "./queries/jobs/jobs.ts";
import { webhookStore } from "./queries/jobs/webhooks.ts";
import { knowledgeStore } from "./queries/knowledge/knowledge.ts";
import { learningStore } from "./queries/learnings.ts";
import { memoryStore } from "./queries/memories/memories.ts";
import { pushStore } from "./queries/push-targets.ts";
import { rateLimitStore } from "./queries/rate-limits.ts";
import { type ReencryptionStore, reencryptionStore } from "./queries/reencrypt.ts";
import { responseStore } from "./queries/responses.ts";
import { retentionStore } from "./queries/retention.ts";
import { overviewStore } from "./queries/runs/overview.ts";
import { taskStore } from "./queries/runs/tasks.ts";
import { scheduleStore } from "./queries/schedules/schedules.ts";
import { serviceAccountStore } from "./queries/service-accounts.ts";
import { adoptSessions } from "./queries/sessions/adopt.ts";
import { traceStore } from "./queries/trace/traces.ts";
import { trialStores } from "./queries/trials/trials.ts";
import { usageDayStore } from "./queries/usage/days.ts";
import { userDataStore } from "./queries/user-data/store.ts";
import type { RoutedReads } from "./standby-reads.ts";
import { makeStore } from "./store.ts";

/** Connections of a process for appending and for signals, which bypass a pooler. */
export const ownConnections = 2;

/** Connections of a process for reads and short transactions. */
export const defaultPoolSize = 8;

/** Which database to open, and how. */
export interface StoreConfig {
  /** Postgres URL (`postgres://…`). Default: embedded SQLite. */
  readonly database?: string | undefined;
  /** Postgres URL without a transaction-mode pooler in between, for LISTEN and migrations. Default: `database`. */
  readonly directDatabase?: string | undefined;
  /** Postgres URL of a standby of `database`, for reads. Ignored without `database`. Default: none. */
  readonly readDatabase?: string | undefined;
  /** Directory of the embedded database; created if it does not exist. */
  readonly dataDir: string;
  /** Whether to apply missing migrations, or to fail when there are any. */
  readonly migrate: boolean;
  /** Max records kept per schedule. Default: the default of the setting `maxScheduleRecords`. */
  readonly maxScheduleRecords?: number | undefined;
  /** Postgres connections for reads and short transactions, in addition to `ownConnections` (default 8). */
  readonly poolSize?: number | undefined;
  /** The operator's keys. Default: none, and a database with data keys is rejected. `unused`: the caller reads and writes no content. */
  readonly keyProvider?: KeyProvider | "unused" | undefined;
  readonly runtime: Runtime;
  /** Distinguishes this process's signals from those of other processes. */
  readonly processId: string;
}

/** A database with its signals. Close the signals first. */
export interface OpenedStore {
  readonly store: Store;
  readonly signals: Signals;
  readonly access: AuthorizationStore;
  readonly schedules: ScheduleStore;
  readonly pushes: PushStore;
  readonly tasks: TaskStore;
  readonly approvals: ApprovalStore;
  readonly rates: RateLimitStore;
  readonly traces: TraceStore;
  readonly retention: RetentionStore;
  readonly usageDays: UsageDayStore;
  readonly overview: OverviewStore;
  readonly connections: ConnectionStore;
  readonly memories: MemoryStore;
  /** Answers of models, for equal requests. */
  readonly responses: ResponseStore;
  readonly learnings: LearningStore;
  readonly evals: EvalStore;
  /** Undefined without a standby. */
  readonly reads?: StandbyReads | undefined;
  readonly userData: UserDataStore;
  readonly jobs: JobStore;
  readonly webhooks: WebhookStore;
  readonly knowledge: KnowledgeStore;
  readonly components: ComponentVersionStore;
  readonly trials: TrialStores;
  /** Undefined without keys. */
  readonly encryption?: EncryptionStore | undefined;
}

/** The state of the encryption. */
export interface EncryptionStore extends ReencryptionStore {
  /** Ids of the operator's keys that wrap data keys, with the number of data keys of each. All others are not needed. */
  wrappingKeys(): Promise<ReadonlyMap<string, number>>;
}

/** Stored data for authorization. */
export interface AuthorizationStore {
  readonly accounts: ServiceAccountStore;
  /** Moves sessions of the common namespace to the users who began them; returns how many it moved. */
  adoptSessions(): Promise<number>;
}

/**
 * Opens the database, migrates it, and creates its signals.
 * @throws ConfigurationError when the settings, the server's version or the tables prevent it
 */
export async function openStore(config: StoreConfig): Promise<OpenedStore> {
  const { database, directDatabase, readDatabase, poolSize = defaultPoolSize, migrate, runtime, processId } = config;
  const { keyProvider } = config;
  const openEncryption = keyProvider === "unused" ? undefined : encryptionOf(keyProvider, runtime);
  // Each database's driver is loaded only when it is used: loading takes most of the time of a start.
  if (database === undefined) {
    const { openSqlite } = await import("./sqlite/database.ts");
    const { localSignals } = await import("./sqlite/signals.ts");
    const opened = await openSqlite({ ...config, openEncryption });
    return { ...storesOf(opened, decrypted(opened), undefined, config), signals: localSignals(runtime.log) };
  }
  const { checkConnectionString, Hosts, openPostgres, openStandby, postgresSignals, rejectPooler } = await import(
    "./postgres/open.ts"
  );
  for (const url of [database, directDatabase ?? database]) checkConnectionString(url);
  if (readDatabase !== undefined) checkConnectionString(readDatabase, "standby");
  await rejectPooler(database, directDatabase);
  // Shared: when one of its connections has found another server, the signals follow at once.
  const hosts = new Hosts(directDatabase ?? database, runtime.log);
  const own = { hosts, poolSize, processId, migrate, openEncryption, runtime };
  const opened = await openPostgres({ database, directDatabase, ...own });
  const signals = await postgresSignals({ database: directDatabase ?? database, hosts, processId, runtime });
  const primary = decrypted(opened);
  const standby =
    readDatabase === undefined ? undefined : openStandby(primary, { url: readDatabase, poolSize, runtime, processId });
  return { ...storesOf(opened, primary, standby, config), signals };
}

/** @param raw the database that does not decrypt its results */
function storesOf(
  raw: Database,
  database: Database,
  standby: RoutedReads | undefined,
  { maxScheduleRecords = defaultSettings.maxScheduleRecords, runtime }: StoreConfig,
): Omit<OpenedStore, "signals"> {
  const access = { accounts: serviceAccountStore(database), adoptSessions: () => adoptSessions(database) };
  return {
    store: makeStore(database, standby),
    access,
    schedules: scheduleStore(database, maxScheduleRecords),
    pushes: pushStore(database),
    tasks: taskStore(database),
    approvals: approvalStore(database),
    rates: rateLimitStore(database, runtime.clock),
    traces: traceStore(database),
    retention: retentionStore(database),
    usageDays: usageDayStore(database),
    overview: overviewStore(database),
    connections: connectionStore(database),
    memories: memoryStore(database),
    responses: responseStore(database),
    learnings: learningStore(database),
    evals: evalStore(database),
    reads: standby,
    userData: userDataStore(database),
    jobs: jobStore(database),
    webhooks: webhookStore(database),
    knowledge: knowledgeStore(database),
    components: componentVersionStore(database),
    trials: trialStores(database),
    encryption: raw.encryption && {
      ...reencryptionStore(raw, raw.encryption),
      wrappingKeys: () => wrappingKeys(database.dialect, (work) => database.write(work)),
    },
  };
}
