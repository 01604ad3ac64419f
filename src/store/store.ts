/** The store, on either database. */

import type { Availability, ConnectionCounts, Store } from "./contract/store.ts";
import type { Database } from "./database.ts";
import { isMigrated } from "./migrate.ts";
import { claimQueries } from "./queries/claim.ts";
import { compaction } from "./queries/compact.ts";
import { continueQueries } from "./queries/continues.ts";
import { deletions } from "./queries/delete.ts";
import { headChanges, logReads } from "./queries/heads.ts";
import { idempotencyKeys } from "./queries/idempotency-keys.ts";
import { messageReads } from "./queries/messages.ts";
import { processQueries } from "./queries/processes.ts";
import { runReads } from "./queries/runs.ts";
import { sessionCopies } from "./queries/session-copies.ts";
import { sessionChanges, sessionReads } from "./queries/sessions.ts";
import { usageQueries } from "./queries/usage/counters.ts";

/** Makes the store of an opened database. */
export function makeStore(database: Database): Store {
  return {
    capabilities: database.capabilities,
    get availability(): Availability {
      return database.availability;
    },
    get connections(): ConnectionCounts | undefined {
      return database.connections;
    },
    isMigrated: () => isMigrated(database),
    nextRunKey: () => database.nextRunKey(),
    append: (writes) => database.append(writes),
    ping: () => database.ping(),
    releaseMemory: () => database.releaseMemory?.(),
    close: () => database.close(),
    ...logReads(database),
    ...headChanges(database),
    ...claimQueries(database),
    ...continueQueries(database),
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
