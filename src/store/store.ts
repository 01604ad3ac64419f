/** The store, on either database. */

import type { Availability, ConnectionCounts, Store } from "./contract/store.ts";
import type { Database } from "./database.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { migrations } from "./migrations/index.ts";
import { deletions } from "./queries/delete.ts";
import { compaction } from "./queries/logs/compact.ts";
import { headChanges, logReads } from "./queries/logs/heads.ts";
import { processQueries } from "./queries/processes.ts";
import { claimQueries } from "./queries/runs/claim.ts";
import { continueQueries } from "./queries/runs/continues.ts";
import { idempotencyKeys } from "./queries/runs/idempotency-keys.ts";
import { messageReads } from "./queries/runs/messages.ts";
import { runReads } from "./queries/runs/runs.ts";
import { steeringQueries } from "./queries/runs/steering.ts";
import { sessionCopies } from "./queries/sessions/copies.ts";
import { sessionChanges, sessionReads } from "./queries/sessions/sessions.ts";
import { usageQueries } from "./queries/usage/counters.ts";
import type { RoutedReads } from "./standby-reads.ts";

/** Makes the store of an opened database. @param standby serves the segments of ended runs, if there is a standby */
export function makeStore(database: Database, standby?: RoutedReads): Store {
  const logs = logReads(database);
  return {
    capabilities: database.capabilities,
    get availability(): Availability {
      return database.availability;
    },
    get connections(): ConnectionCounts | undefined {
      return database.connections;
    },
    onLostCommits: (listener) => database.onLostCommits?.(listener),
    isMigrated: () => isMigrated(database),
    newestMigration: migrations.at(-1)?.number ?? 0,
    migrate: async () => {
      await migrate(database.dialect, (work) => database.write(work), true);
    },
    nextRunKey: () => database.nextRunKey(),
    append: (writes) => database.append(writes),
    ping: () => database.ping(),
    releaseMemory: () => database.releaseMemory?.(),
    close: async () => {
      await Promise.all([database.close(), standby?.close()]);
    },
    ...logs,
    ...(standby && {
      segments: (key, cursor, maxBytes, hasEnded) => (hasEnded ? standby : logs).segments(key, cursor, maxBytes),
    }),
    ...headChanges(database),
    ...claimQueries(database),
    ...continueQueries(database),
    ...steeringQueries(database),
    ...idempotencyKeys(database),
    ...processQueries(database),
    ...runReads(database),
    ...messageReads(database),
    ...sessionReads(database),
    ...sessionChanges(database),
    ...sessionCopies(database),
    ...deletions(database),
    ...compaction(database),
    ...usageQueries(database),
  };
}
